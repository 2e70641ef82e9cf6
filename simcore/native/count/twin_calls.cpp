#include "simcore/native/count/twin_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

namespace simcore::native {

namespace {

constexpr int64_t kFirstGroup = 1'000'000; // numbers of attribute groups that clang does not use
constexpr std::string_view kGroup = "attributes #";

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// All names after @ except the callee of a direct call.
void addMentioned(std::string_view text, std::string_view callee, std::set<std::string>& names) {
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
    std::size_t end = at + 1;
    if (end < text.size() && text[end] == '"')
      end = std::min(text.find('"', end + 1), text.size() - 1) + 1;
    else
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text.find_first_of("_.-$", end) == end))
        ++end;
    const std::string_view name = text.substr(at + 1, end - at - 1);
    if (name != callee || end >= text.size() || text[end] != '(') names.emplace(name);
  }
}

} // namespace

std::size_t closingBracket(std::string_view text, std::size_t open) {
  int depth = 0;
  bool isQuoted = false;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

std::map<std::string, std::string> functionsThatTakeCounters(const IrModule& module, const std::set<std::string>& excluded) {
  std::set<std::string> mentioned = excluded;
  for (const auto& line : module.otherLines)
    if (!line.starts_with("declare ")) addMentioned(line, {}, mentioned);
  for (const auto& global : module.globals) {
    const std::size_t value = global.text.find('='); // after its own name
    addMentioned(std::string_view(global.text).substr(value == std::string::npos ? 0 : value), {}, mentioned);
  }
  for (const auto& function : module.functions)
    for (const auto& i : function.instructions) {
      addMentioned(i.text, i.is("call") ? i.callee : std::string(), mentioned);
      if (i.text.find("musttail ") != std::string::npos) mentioned.insert(i.callee);
    }
  std::map<std::string, std::string> takers;
  for (const auto& function : module.functions)
    if (!mentioned.count(function.name) && function.header.find("...)") == std::string::npos)
      takers[function.name] = function.returnsText;
  return takers;
}

std::string countedType(const std::string& returns) { return returns == "void" ? "i64" : "{ " + returns + ", i64 }"; }

std::string resultOf(const std::string& text) {
  const std::size_t equals = text.find(" = ");
  return text.starts_with("%") && equals != std::string::npos ? text.substr(0, equals) : std::string();
}

std::string withCount(const std::string& text, const std::string& function, const std::string& returns,
                      const std::string& count) {
  const std::string name = "@" + function + "(";
  const std::size_t at = text.find(name);
  const std::size_t open = at + name.size() - 1, end = at == std::string::npos ? at : closingBracket(text, open);
  if (end == std::string::npos) return text;
  const bool isDefinition = text.starts_with("define ");
  std::string out = isDefinition ? "define internal " : "call ";
  std::istringstream words(text.substr(resultOf(text).size(), at - resultOf(text).size()));
  for (std::string word; words >> word;) // attributes of the result do not fit a pair
    if (word.ends_with("cc") && word.find_first_of("%@\"") == std::string::npos) out += word + " ";
  std::string arguments = text.substr(open, end - open);
  for (const std::string_view broken : {" returned", " sret"}) // attributes that are wrong for the new result
    for (std::size_t from = arguments.find(broken); from != std::string::npos; from = arguments.find(broken, from)) {
      std::size_t past = from + broken.size();
      if (past < arguments.size() && arguments[past] == '(') past = closingBracket(arguments, past) + 1;
      if (past < arguments.size() && arguments[past] != ' ')
        from = past;
      else
        arguments.erase(from, past - from);
    }
  std::string after = text.substr(end);
  if (!isDefinition) after = after.substr(0, after.find(", !")); // metadata of the result
  return fmt::format("{}{} @{}{}{}i64 {}{}", out, countedType(returns), function, arguments, arguments.size() > 1 ? ", " : "",
                     count, after);
}

std::string countedReturn(const std::string& text, const std::string& returns, const std::string& count, const std::string& id) {
  if (returns == "void") return fmt::format("ret i64 {}", count);
  const std::string pair = countedType(returns), value = text.substr(text.find("ret ") + 4);
  return fmt::format(
      "%tilescope.v.{0} = insertvalue {1} undef, {2}, 0\n  %tilescope.w.{0} = insertvalue {1} %tilescope.v.{0}, i64 {3}, 1\n"
      "  ret {1} %tilescope.w.{0}",
      id, pair, value.substr(0, value.find(", !")), count);
}

std::string countingAttributes(const IrModule& module) {
  static constexpr std::array kBroken = {"readnone",
                                         "readonly",
                                         "writeonly",
                                         "argmemonly",
                                         "inaccessiblememonly",
                                         "willreturn",
                                         "speculatable",
                                         "mustprogress",
                                         "inaccessiblemem_or_argmemonly"};
  std::string all;
  for (const auto& line : module.otherLines) {
    if (!line.starts_with(kGroup)) continue;
    std::istringstream words(line.substr(kGroup.size()));
    int64_t number = 0;
    words >> number;
    all += fmt::format("{}{}", kGroup, kFirstGroup + number);
    for (std::string word; words >> word;) {
      if (word.starts_with("memory(")) { // memory(argmem: read, inaccessiblemem: none)
        while (word.find(')') == std::string::npos && words >> word) {
        }
      } else if (std::find(kBroken.begin(), kBroken.end(), word) == kBroken.end()) {
        all += " " + word;
      }
    }
    all += "\n";
  }
  return all;
}

std::string withCountingAttributes(const std::string& text) {
  const std::size_t from = text.rfind(')');
  for (std::size_t at = text.find(" #", from == std::string::npos ? 0 : from); at != std::string::npos;
       at = text.find(" #", at + 1)) {
    std::size_t end = at + 2;
    while (end < text.size() && isDigit(text[end])) ++end;
    if (end == at + 2) continue;
    return fmt::format("{} #{}{}", text.substr(0, at), kFirstGroup + std::stoll(text.substr(at + 2, end - at - 2)),
                       text.substr(end));
  }
  return text;
}

} // namespace simcore::native
