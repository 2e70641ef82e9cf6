// Reads the attributes of poplar from the source, because clang drops unknown attributes.
#include "simcore/native/vertex_class.h"

#include <cctype>

namespace simcore::native {

namespace {

bool isNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Replaces comments by spaces; string literals stay.
std::string withoutComments(std::string_view source) {
  std::string result(source);
  for (std::size_t i = 0; i + 1 < result.size(); ++i) {
    if (result[i] == '"' || result[i] == '\'') {
      const char quote = result[i];
      for (++i; i < result.size() && result[i] != quote && result[i] != '\n'; ++i)
        if (result[i] == '\\') ++i;
    } else if (result[i] == '/' && (result[i + 1] == '/' || result[i + 1] == '*')) {
      const bool isLine = result[i + 1] == '/';
      std::size_t end = isLine ? result.find('\n', i) : result.find("*/", i + 2);
      end = end == std::string::npos ? result.size() : isLine ? end : end + 2;
      for (; i < end; ++i)
        if (result[i] != '\n') result[i] = ' ';
      --i;
    }
  }
  return result;
}

std::size_t skipSpaces(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

// The position after the bracket that closes the one at `at`.
std::size_t behindBrackets(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if ((text[at] == ')' || text[at] == ']') && --depth == 0) return at + 1;
  }
  return at;
}

// Name of the class whose head continues at `at`, after further attributes and macros.
std::string classNameFrom(std::string_view text, std::size_t at) {
  std::string name;
  while ((at = skipSpaces(text, at)) < text.size()) {
    if (text[at] == '[' || text[at] == '(') {
      at = behindBrackets(text, at);
    } else if (isNameCharacter(text[at])) {
      const std::size_t begin = at;
      while (at < text.size() && isNameCharacter(text[at])) ++at;
      const std::string_view word = text.substr(begin, at - begin);
      if (word != "class" && word != "struct" && word != "final" && word != "alignas" && word != "__attribute__") name = word;
    } else if (text[at] == ']') {
      ++at; // skips the attribute's own bracket
    } else {
      break;
    }
  }
  return name;
}

} // namespace

std::vector<std::pair<std::string, std::string>> constraintsOf(std::string_view source) {
  std::vector<std::pair<std::string, std::string>> result;
  if (source.find("constraint") == std::string_view::npos) return result;
  const std::string text = withoutComments(source);
  constexpr std::string_view kName = "poplar::constraint";
  for (std::size_t at = text.find(kName); at != std::string::npos; at = text.find(kName, at + 1)) {
    const std::size_t open = skipSpaces(text, at + kName.size());
    if (open >= text.size() || text[open] != '(') continue;
    const std::size_t close = behindBrackets(text, open);
    const std::string name = classNameFrom(text, close);
    std::string constraint;
    bool isOpen = false; // adjacent string literals are one
    for (std::size_t i = open + 1; i < close; ++i) {
      if (text[i] == '"') {
        isOpen = !isOpen;
      } else if (isOpen) {
        // elem(**a), the elements of all vectors of a list, is elem(*a) in a graph.
        const bool isSecondStar = text[i] == '*' && constraint.ends_with('*');
        if (!isSecondStar && !std::isspace(static_cast<unsigned char>(text[i]))) constraint += text[i];
      } else if ((text[i] == ',' || i + 1 == close) && !constraint.empty() && !name.empty()) {
        result.emplace_back(name, constraint);
        constraint.clear();
      }
    }
  }
  return result;
}

bool hasInitialiser(std::string_view line, std::string_view member) {
  const std::string text = withoutComments(line);
  for (std::size_t at = text.find(member); at != std::string::npos; at = text.find(member, at + 1)) {
    std::size_t end = at + member.size();
    if ((at > 0 && isNameCharacter(text[at - 1])) || (end < text.size() && isNameCharacter(text[end]))) continue;
    while ((end = skipSpaces(text, end)) < text.size() && text[end] == '[') end = behindBrackets(text, end);
    if (end < text.size() && (text[end] == '{' || (text[end] == '=' && text.compare(end, 2, "==") != 0))) return true;
    if (end < text.size() && text[end] == ';') return false; // text after the declaration is not an initialiser
  }
  return false;
}

} // namespace simcore::native
