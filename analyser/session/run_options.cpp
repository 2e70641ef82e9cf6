#include "analyser/session/run_options.h"

#include "analyser/session/shell_line.h"

#include <algorithm>

namespace analyser {

std::string shortRun(std::string_view commandLine) {
  const auto words = shellWords(commandLine);
  auto word = std::find(words.begin(), words.end(), "run");
  if (word == words.end()) return {};
  const auto isOneOf = [&](std::initializer_list<std::string_view> options) {
    return std::find(options.begin(), options.end(), *word) != options.end();
  };
  std::string text;
  for (++word; word != words.end(); ++word) {
    if (isOneOf({"--set", "--json", "--force", "--no-numbers"})) continue; // the value of --set is clear without its option
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
