#include "analyser/session/shell_line.h"

#include <algorithm>
#include <utility>

namespace analyser {

namespace {

bool isPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
}

} // namespace

std::vector<std::string> shellWords(std::string_view line, bool* isOpen) {
  std::vector<std::string> words;
  std::string word;
  bool hasBegun = false; // a word, empty or not
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const char next = i + 1 < line.size() ? line[i + 1] : '\0';
    // within double quotes a backslash is literal except before these
    const bool escapes = c == '\\' && i + 1 < line.size() && quote != '\'' &&
                         (quote != '"' || std::string_view("\\\"$`").find(next) != std::string_view::npos);
    if (escapes) {
      word += line[++i], hasBegun = true;
    } else if (quote) {
      c == quote ? void(quote = 0) : void(word += c);
    } else if (c == '\'' || c == '"') {
      quote = c, hasBegun = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (hasBegun) words.push_back(std::exchange(word, {}));
      hasBegun = false;
    } else {
      word += c, hasBegun = true;
    }
  }
  if (isOpen) *isOpen = quote != 0;
  if (hasBegun) words.push_back(std::move(word));
  return words;
}

std::string shellLine(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && std::all_of(word.begin(), word.end(), isPlain)) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) c == '\'' ? line += "'\\''" : line += c;
    line += '\'';
  }
  return line;
}

} // namespace analyser
