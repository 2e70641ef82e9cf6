#include "simcore/validation/codelet_cases.h"

#include "reports/core/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace simcore::validation {

using reports::Error;
using reports::ErrorCode;

extern const char* const kCodeletsJson;     // of resources/validation, embedded at build time
extern const char* const kCodeletSources[]; // name, text, …, null

namespace {

constexpr int kIssueSlot = 6; // tile cycles
constexpr int64_t kBudget = int64_t(1) << 50;
constexpr int64_t kMostElements = 1'000'000;

int64_t bytesOf(const std::string& type) {
  if (type == "half" || type == "short" || type == "unsigned short") return 2;
  if (type == "bool" || type == "char" || type == "unsigned char") return 1;
  return 4;
}

void writeElements(std::byte* to, const CodeletMember& member) {
  for (int64_t i = 0; i < member.elements; ++i) {
    std::byte* at = to + i * bytesOf(member.type);
    if (member.type == "float") {
      const float value = static_cast<float>(member.value);
      std::memcpy(at, &value, sizeof value);
    } else if (bytesOf(member.type) == 4) {
      const auto value = static_cast<int32_t>(member.value);
      std::memcpy(at, &value, sizeof value);
    } // times do not depend on halves, so they stay 0
  }
}

// The memory of one vertex.
class VertexMemory {
public:
  explicit VertexMemory(const graph::NativeBody& body) : m_object(static_cast<std::size_t>(body.objectBytes) / 8 + 8) {}

  void* object() { return m_object.data(); }

  void connect(int64_t offset, const CodeletMember& member) {
    if (member.shape != "list") {
      const uint64_t words[2] = {elements(member), static_cast<uint64_t>(member.elements)};
      std::memcpy(bytes() + offset, words, member.shape == "scalar" ? 8 : 16);
      return;
    }
    std::vector<uint64_t> table;
    for (int64_t i = 0; i < member.vectors; ++i) {
      table.push_back(elements(member));
      table.push_back(static_cast<uint64_t>(member.elements));
    }
    m_blocks.push_back(std::move(table));
    const uint64_t words[2] = {reinterpret_cast<uint64_t>(m_blocks.back().data()), static_cast<uint64_t>(member.vectors)};
    std::memcpy(bytes() + offset, words, 16);
  }

  void setState(int64_t offset, const CodeletMember& member) { writeElements(bytes() + offset, member); }

private:
  std::byte* bytes() { return reinterpret_cast<std::byte*>(m_object.data()); }

  uint64_t elements(const CodeletMember& member) {
    m_blocks.emplace_back(static_cast<std::size_t>(member.elements * bytesOf(member.type) / 8 + 4), 0);
    writeElements(reinterpret_cast<std::byte*>(m_blocks.back().data()), member);
    return reinterpret_cast<uint64_t>(m_blocks.back().data());
  }

  std::vector<uint64_t> m_object;
  std::vector<std::vector<uint64_t>> m_blocks;
};

void fail(const std::string& what, const CodeletCase& c) { throw Error(ErrorCode::InvalidInput, what, c.id + ", " + c.codelet); }

double cyclesOf(const CodeletCase& c, const graph::Codelet& codelet) {
  const auto* body = codelet.native.get();
  if (!body || !body->counted || !body->counters) fail("its instructions cannot be counted", c);
  VertexMemory memory(*body);
  for (const CodeletMember& member : c.members) {
    if (member.shape == "state") {
      const auto found =
          std::find_if(body->state.begin(), body->state.end(), [&](const auto& s) { return s.name == member.name; });
      if (found == body->state.end()) fail("the codelet has no member '" + member.name + "'", c);
      memory.setState(found->offset, member);
      continue;
    }
    const auto found =
        std::find_if(codelet.fields.begin(), codelet.fields.end(), [&](const auto& f) { return f.name == member.name; });
    if (found == codelet.fields.end()) fail("the codelet has no field '" + member.name + "'", c);
    memory.connect(body->fields[static_cast<std::size_t>(found - codelet.fields.begin())].offset, member);
  }
  graph::Counters& counters = *body->counters();
  counters = {0, kBudget, [] { std::abort(); }}; // the sources are ours, and they end
  body->counted(memory.object(), 0);
  return static_cast<double>(counters.cycles) * (c.isSupervisor ? 1 : kIssueSlot);
}

CodeletMember memberOf(const nlohmann::json& entry) {
  CodeletMember member;
  member.name = entry.at("name").get<std::string>();
  member.shape = entry.at("shape").get<std::string>();
  member.type = entry.at("type").get<std::string>();
  member.elements = entry.value("elements", int64_t(1));
  member.vectors = entry.value("vectors", int64_t(1));
  member.value = entry.value("value", 1.0);
  return member;
}

} // namespace

std::vector<CodeletCase> parseCodelets(const std::string& text, const std::string& where) {
  std::vector<CodeletCase> cases;
  try {
    const auto document = nlohmann::json::parse(text);
    for (const auto& entry : document.at("codelets")) {
      CodeletCase c;
      c.id = entry.at("id").get<std::string>();
      c.title = entry.at("title").get<std::string>();
      c.source = entry.at("source").get<std::string>();
      c.codelet = entry.at("codelet").get<std::string>();
      c.from = entry.at("from").get<std::string>();
      c.isSupervisor = entry.value("supervisor", false);
      c.published = entry.at("cycles").get<double>();
      c.besides = entry.value("besides", 0.0);
      for (const auto& member : entry.at("members")) {
        c.members.push_back(memberOf(member));
        const CodeletMember& m = c.members.back();
        if (m.elements < 0 || m.vectors < 0 || m.elements * std::max<int64_t>(1, m.vectors) > kMostElements)
          throw Error(ErrorCode::InvalidInput, "member '" + m.name + "' has more than 1,000,000 elements", c.id);
      }
      cases.push_back(std::move(c));
    }
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorCode::InvalidInput, std::string("the list of codelets cannot be read: ") + e.what(), where);
  }
  return cases;
}

std::vector<CodeletCase> builtInCodelets() { return parseCodelets(kCodeletsJson, "codelets.json"); }

std::string sourceOfCodelet(const std::string& file) {
  for (const char* const* at = kCodeletSources; *at; at += 2)
    if (file == *at) return at[1];
  return {};
}

std::vector<CodeletResult> runCodelets(const std::vector<CodeletCase>& cases, const CompileCodelets& compile) {
  std::map<std::string, std::vector<graph::Codelet>> libraries; // by source
  std::vector<CodeletResult> results;
  for (const CodeletCase& c : cases) {
    CodeletResult result{c, std::nullopt, std::nullopt, {}};
    if (!libraries.count(c.source)) libraries[c.source] = compile(c.source, sourceOfCodelet(c.source));
    try {
      const auto& library = libraries[c.source];
      const auto found =
          std::find_if(library.begin(), library.end(), [&](const auto& codelet) { return codelet.name == c.codelet; });
      if (found == library.end()) fail("the source has no such codelet", c);
      result.estimated = cyclesOf(c, *found) + c.besides;
      result.error = *result.estimated / c.published - 1;
    } catch (const Error& e) {
      result.problem = e.what();
    }
    results.push_back(std::move(result));
  }
  return results;
}

CodeletTotals totalsOfCodelets(const std::vector<CodeletResult>& results) {
  CodeletTotals totals;
  std::vector<double> errors;
  for (const auto& r : results)
    if (r.error) errors.push_back(std::abs(*r.error));
  totals.estimated = static_cast<int>(errors.size());
  totals.failed = static_cast<int>(results.size()) - totals.estimated;
  if (errors.empty()) return totals;
  std::sort(errors.begin(), errors.end());
  const std::size_t middle = errors.size() / 2;
  totals.medianError = errors.size() % 2 ? errors[middle] : (errors[middle - 1] + errors[middle]) / 2;
  totals.largestError = errors.back();
  return totals;
}

} // namespace simcore::validation
