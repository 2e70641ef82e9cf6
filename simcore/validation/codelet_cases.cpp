#include "simcore/validation/codelet_cases.h"

#include "reports/core/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace simcore::validation {

using reports::Error;
using reports::ErrorCode;

extern const char* const kCodeletsJson;     // a file of resources/validation, embedded at build time
extern const char* const kCodeletSources[]; // name, text, …, null

namespace {

constexpr int64_t kMostElements = 1'000'000;

numerics::ElementType elementTypeOf(const CodeletMember& member, const CodeletCase& c) {
  using numerics::ElementType;
  static const std::map<std::string, ElementType> types = {
      {"float", ElementType::Float}, {"half", ElementType::Half}, {"int", ElementType::Int32}, {"unsigned", ElementType::UInt32}};
  const auto found = types.find(member.type);
  if (found == types.end()) throw Error(ErrorCode::InvalidInput, "members of type '" + member.type + "' are not known", c.id);
  return found->second;
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
      c.published = entry.at("cycles").get<double>();
      c.besides = entry.value("besides", 0.0);
      for (const auto& member : entry.at("members")) {
        c.members.push_back(memberOf(member));
        const CodeletMember& m = c.members.back();
        if (m.elements < 0 || m.vectors < 0)
          throw Error(ErrorCode::InvalidInput, "member '" + m.name + "' has a negative number of elements or vectors", c.id);
        if (m.elements * std::max<int64_t>(1, m.vectors) > kMostElements)
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

std::vector<ConnectedField> fieldsOf(const CodeletCase& c) {
  std::vector<ConnectedField> fields;
  for (const CodeletMember& member : c.members) {
    if (member.shape == "state") continue;
    const auto values = numerics::HostTensor::full(elementTypeOf(member, c), {member.elements}, member.value);
    fields.push_back({member.name, std::vector(std::size_t(member.shape == "list" ? member.vectors : 1), values)});
  }
  return fields;
}

std::vector<std::pair<std::string, double>> stateOf(const CodeletCase& c) {
  std::vector<std::pair<std::string, double>> state;
  for (const CodeletMember& member : c.members)
    if (member.shape == "state") state.emplace_back(member.name, member.value);
  return state;
}

std::string sourceOfCodelet(const std::string& file) {
  for (const char* const* at = kCodeletSources; *at; at += 2)
    if (file == *at) return at[1];
  return {};
}

std::vector<CodeletResult> runCodelets(const std::vector<CodeletCase>& cases, const CompileCodelets& compile) {
  std::map<std::string, std::vector<graph::Codelet>> libraries; // by source file
  std::vector<CodeletResult> results;
  for (const CodeletCase& c : cases) {
    CodeletResult result{c, std::nullopt, std::nullopt, {}};
    if (!libraries.count(c.source)) libraries[c.source] = compile(c.source, sourceOfCodelet(c.source));
    try {
      const auto& library = libraries[c.source];
      const auto found =
          std::find_if(library.begin(), library.end(), [&](const auto& codelet) { return codelet.name == c.codelet; });
      if (found == library.end()) throw Error(ErrorCode::InvalidInput, "the source has no such codelet", c.codelet);
      result.estimated = static_cast<double>(VertexObject(*found, fieldsOf(c), stateOf(c)).run()) + c.besides;
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
