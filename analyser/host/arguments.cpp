#include "analyser/host/arguments.h"

#include "reports/core/error.h"
#include "reports/rows/host_decode.h"
#include "reports/sqlite/reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace analyser::host {

namespace {

using Json = nlohmann::ordered_json;
constexpr int kDeepest = 32;     // levels of the tree; a deeper value is one text
constexpr int kDeepestText = 64; // levels; the library prints nested values by recursion

class Arguments {
public:
  explicit Arguments(std::size_t most) : m_most(most) {}

  void addMembers(const Json& object, int parent, const std::string& path, int depth) {
    for (const auto& [key, value] : object.items()) add(value, parent, key, path.empty() ? key : path + '.' + key, depth);
  }
  std::vector<Argument> take() { return std::move(m_list); }

private:
  void add(const Json& value, int parent, std::string key, std::string path, int depth) {
    if (m_list.size() >= m_most) return;
    const bool isBranch = value.is_structured() && !value.empty() && depth < kDeepest;
    const int own = int(m_list.size());
    m_list.push_back({parent, std::move(key), path, isBranch ? std::string() : textOf(value), value.is_number(), !isBranch});
    if (!isBranch) return;
    if (value.is_object()) return addMembers(value, own, path, depth + 1);
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string index = '[' + std::to_string(i) + ']';
      add(value[i], own, index, path + index, depth + 1);
    }
  }
  static std::string textOf(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  std::size_t m_most;
  std::vector<Argument> m_list;
};

std::optional<double> numberOf(std::string_view text) {
  double v = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), v);
  return !text.empty() && parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? std::optional(v) : std::nullopt;
}

bool equalWithoutCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; };
           return lower(x) == lower(y);
         });
}

} // namespace

std::vector<Argument> argumentsOf(const std::string& json, std::size_t most) {
  if (json.empty()) return {};
  bool isTooDeep = false;
  const auto guard = [&](int depth, Json::parse_event_t, Json&) {
    isTooDeep = isTooDeep || depth > kDeepestText;
    return !isTooDeep;
  };
  const Json parsed = Json::parse(json, guard, false);
  if (isTooDeep || !parsed.is_object()) return {{-1, {}, {}, json, false, true}};
  Arguments arguments(most);
  arguments.addMembers(parsed, -1, {}, 0);
  return arguments.take();
}

const columns::Columns<Argument>& argumentColumns() {
  using columns::Kind;
  static const columns::Columns<Argument> columns = {{"argument", "Argument", Kind::Name, "", &Argument::key},
                                                     {"value", "Value", Kind::Name, "", &Argument::value}};
  return columns;
}

std::optional<TypedArgument> typedArgument(std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos || sign == 0) return std::nullopt;
  const auto trimmed = [](std::string_view part) {
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    return part;
  };
  TypedArgument typed{std::string(trimmed(text.substr(0, sign))), std::string(trimmed(text.substr(sign + 1)))};
  if (typed.value.size() > 1 && typed.value.front() == '"' && typed.value.back() == '"')
    typed.value = typed.value.substr(1, typed.value.size() - 2);
  if (typed.key.empty() || typed.key.find_first_of(" \t<>!(") != std::string::npos) return std::nullopt;
  return typed;
}

bool TypedArgument::matches(const Argument& argument) const {
  if (!argument.isLeaf) return false;
  const std::string& path = argument.path;
  const bool isEnd = path.size() > key.size() && (path[path.size() - key.size() - 1] == '.' || key.front() == '[') &&
                     equalWithoutCase(std::string_view(path).substr(path.size() - key.size()), key);
  if (!isEnd && !equalWithoutCase(path, key)) return false;
  if (equalWithoutCase(argument.value, value)) return true;
  const auto a = argument.isNumber ? numberOf(argument.value) : std::nullopt, b = numberOf(value);
  return a && b && *a == *b;
}

std::vector<bool> detailsWith(Session& session, const std::function<bool(const std::string& json)>& mayMatch,
                              const std::function<bool(const Argument&)>& isWanted, const std::stop_token& stop) {
  std::vector<bool> with;
  session.reader().forEach<reports::DetailsChunkRow>(
      "1 ORDER BY first_id", {},
      [&](const reports::DetailsChunkRow& chunk) {
        if (chunk.firstId < 0 || std::size_t(chunk.firstId) > with.size()) // else one row could request any amount of memory
          throw reports::Error(reports::ErrorCode::Damaged, "texts are missing before id " + std::to_string(chunk.firstId),
                               "table details_chunk", "the report was made by a faulty program or is damaged");
        auto id = std::size_t(chunk.firstId);
        const std::vector<std::string> texts = reports::decodeDetails(chunk);
        if (with.size() < id + texts.size()) with.resize(id + texts.size());
        for (const std::string& text : texts) {
          if (!text.empty() && mayMatch(text)) {
            const std::vector<Argument> arguments = argumentsOf(text);
            with[id] = std::any_of(arguments.begin(), arguments.end(), isWanted);
          }
          ++id;
        }
      },
      stop);
  return with;
}

const std::string& DetailsReader::text(int64_t id) {
  static const std::string kNone;
  if (id < 0) return kNone;
  if (id < m_first || id >= m_first + int64_t(m_texts.size())) {
    const auto chunk = m_session.reader().first<reports::DetailsChunkRow>(
        "first_id = (SELECT max(first_id) FROM details_chunk WHERE first_id <= ?)", {id});
    m_texts.clear();
    if (!chunk) return kNone;
    m_first = chunk->firstId, m_texts = reports::decodeDetails(*chunk);
  }
  return id < m_first + int64_t(m_texts.size()) ? m_texts[std::size_t(id - m_first)] : kNone;
}

} // namespace analyser::host
