#include "analyser/session/run_options.h"

#include <algorithm>
#include <utility>

namespace analyser {

std::vector<std::string> shellWords(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool isOpen = false; // a word has begun, empty or not
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < line.size();
    if (escapes) {
      word += line[++i], isOpen = true;
    } else if (quote) {
      c == quote ? void(quote = 0) : void(word += c);
    } else if (c == '\'' || c == '"') {
      quote = c, isOpen = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (isOpen) words.push_back(std::exchange(word, {}));
      isOpen = false;
    } else {
      word += c, isOpen = true;
    }
  }
  if (isOpen) words.push_back(std::move(word));
  return words;
}

std::string shortRun(std::string_view commandLine) {
  const auto words = shellWords(commandLine);
  auto word = std::find(words.begin(), words.end(), "run");
  if (word == words.end()) return {};
  const auto isOneOf = [&](std::initializer_list<std::string_view> options) {
    return std::find(options.begin(), options.end(), *word) != options.end();
  };
  std::string text;
  for (++word; word != words.end(); ++word) {
    if (isOneOf({"--set", "--json", "--force", "--no-numbers"})) continue; // the value of --set speaks for itself
    if (isOneOf({"-o", "--report", "--progress"})) {
      if (++word == words.end()) break;
      continue;
    }
    if (!text.empty()) text += ' ';
    text += *word;
  }
  return text;
}

bool runHasOption(const Session& session, std::string_view option) {
  const auto words = shellWords(session.metadata("command_line"));
  return std::any_of(words.begin(), words.end(), [option](const std::string& word) {
    return word.starts_with(option) && (word.size() == option.size() || word[option.size()] == '=');
  });
}

} // namespace analyser
