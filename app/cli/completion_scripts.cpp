#include "app/cli/completion_scripts.h"

#include "reports/core/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace app::cli {

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

// Between single quotes, for bash and zsh; in fish a backslash is special there.
std::string inQuotes(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }
std::string inFishQuotes(const std::string& text) { return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'"; }
// In a specification of zsh's _arguments, brackets and colons are separators.
std::string zshText(std::string text) {
  for (const char* mark : {"\\", "[", "]", ":"}) text = replaced(text, mark, std::string("\\") + mark);
  return text;
}

// The first clause of a help text, which is short enough for the list of options.
std::string brief(const std::string& help) {
  const std::size_t end = help.find_first_of(";(:");
  return help.substr(0, end == std::string::npos ? end : help.find_last_not_of(' ', end - 1) + 1);
}

std::string spaced(const std::vector<std::string>& words) { return reports::joined(words, {}, " "); }

// Whether the choices are names that a value follows ("name="): the shell then adds no space.
bool areNamesOfValues(const std::vector<std::string>& choices) { return !choices.empty() && choices.front().ends_with('='); }

// Visits the command and all its subcommands; `path` is "" or " sweep plan".
using Visit = std::function<void(const CommandWords& command, const std::string& path)>;
void forEachCommand(const CommandWords& command, const std::string& path, const Visit& visit) {
  visit(command, path);
  for (const CommandWords& below : command.commands) forEachCommand(below, path + " " + below.name, visit);
}

// Whether the last words of the command can be files: those of a command whose only arguments are choices cannot.
bool takesFiles(const CommandWords& command) {
  return std::any_of(command.positionals.begin(), command.positionals.end(),
                     [](const OptionWords& argument) { return argument.choices.empty() && !argument.isNumber; });
}

// The option's values that depend on the sample on the line, which a function of the script prints; null if no option has them.
const OptionWords* optionOfSamples(const CommandWords& all) {
  const OptionWords* found = nullptr;
  forEachCommand(all, "", [&](const CommandWords& command, const std::string&) {
    for (const OptionWords& option : command.options)
      if (!option.choicesOfSample.empty()) found = &option;
  });
  return found;
}

// The function of bash and zsh that prints the values for the sample among its arguments.
std::string functionOfSamples(const CommandWords& all, const std::string& name) {
  const OptionWords* option = optionOfSamples(all);
  if (!option) return {};
  std::string cases;
  for (const auto& [sample, values] : option->choicesOfSample)
    cases += fmt::format("    {}) echo {}; return ;;\n", inQuotes(sample), inQuotes(spaced(values)));
  return fmt::format(
      "_{}_of_sample() {{\n  local word\n  for word; do\n    case \"$word\" in\n{}    esac\n  done\n  echo {}\n}}\n", name, cases,
      inQuotes(spaced(option->choices)));
}

// The paths of all commands as a case pattern for bash and zsh.
std::string pathPattern(const CommandWords& all) {
  std::vector<std::string> paths;
  forEachCommand(all, "", [&](const CommandWords&, const std::string& path) {
    if (!path.empty()) paths.push_back(inQuotes(path));
  });
  return reports::joined(paths, {}, " | ");
}

std::vector<std::string> commandNames(const CommandWords& command) {
  std::vector<std::string> names;
  for (const CommandWords& below : command.commands) names.push_back(below.name);
  return names;
}

} // namespace

std::string bashCompletion(const CommandWords& all) {
  const std::string function = replaced(all.name, "-", "_");
  std::string values, words;
  forEachCommand(all, "", [&](const CommandWords& command, const std::string& path) {
    std::vector<std::string> options;
    for (const OptionWords& option : command.options) {
      options.insert(options.end(), option.names.begin(), option.names.end());
      if (!option.takesValue) continue;
      const std::string cases = reports::joined(
          option.names, [&](const std::string& name) { return inQuotes(path + "|" + name); }, " | ");
      if (!option.choicesOfSample.empty())
        values += fmt::format("    {}) compopt -o nospace 2>/dev/null; mapfile -t COMPREPLY < <(compgen -W "
                              "\"$(_{}_of_sample \"${{COMP_WORDS[@]}}\")\" -- \"$current\"); return ;;\n",
                              cases, function);
      else if (option.choices.empty())
        values += option.isNumber
                      ? fmt::format("    {}) COMPREPLY=(); return ;;\n", cases)
                      : fmt::format("    {}) mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return ;;\n", cases);
      else
        values += fmt::format("    {}) {}mapfile -t COMPREPLY < <(compgen -W {} -- \"$current\"); return ;;\n", cases,
                              areNamesOfValues(option.choices) ? "compopt -o nospace 2>/dev/null; " : "",
                              inQuotes(spaced(option.choices)));
    }
    std::vector<std::string> others = commandNames(command);
    others.insert(others.end(), command.words.begin(), command.words.end());
    words += fmt::format("    {}) options={}; words={}; files={} ;;\n", inQuotes(path), inQuotes(spaced(options)),
                         inQuotes(spaced(others)), takesFiles(command) ? "yes" : "");
  });
  return fmt::format(R"(# Completion of {0} for bash; made by `{0} completion bash`.
{5}_{1}() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" path= options= words= files= i
  if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous="${{COMP_WORDS[COMP_CWORD-2]}}"; fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$path ${{COMP_WORDS[i]}}" in
    {2}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path|$previous" in
{3}  esac
  case "$path" in
{4}  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; [[ -z $files ]] || compgen -f -- "$current")
  fi
}}
complete -o filenames -F _{1} {0}
)",
                     all.name, function, pathPattern(all), values, words, functionOfSamples(all, function));
}

std::string zshCompletion(const CommandWords& all) {
  const std::string function = replaced(all.name, "-", "_");
  std::string cases;
  forEachCommand(all, "", [&](const CommandWords& command, const std::string& path) {
    std::string specs;
    for (const OptionWords& option : command.options)
      for (const std::string& name : option.names) {
        std::string spec = "*" + name + "[" + zshText(brief(option.help)) + "]";
        if (option.takesValue)
          spec += !option.choicesOfSample.empty()    ? ":value:{compadd -S \"\" -- ${=$(_" + function + "_of_sample $words)}}"
                  : option.choices.empty()           ? (option.isNumber ? ":value: " : ":value:_files")
                  : areNamesOfValues(option.choices) ? ":value:{compadd -S \"\" -- " + spaced(option.choices) + "}"
                                                     : ":value:(" + zshText(spaced(option.choices)) + ")";
        specs += " \\\n      " + inQuotes(spec);
      }
    const std::string files = !takesFiles(command) ? "" : " " + inQuotes("*:file:_files");
    std::vector<std::string> described;
    for (const CommandWords& below : command.commands)
      described.push_back(inQuotes(replaced(below.name, ":", "\\:") + ":" + brief(below.summary)));
    for (const std::string& word : command.words) described.push_back(inQuotes(replaced(word, ":", "\\:")));
    std::string choice = "    words_of=(" + spaced(described) + ")\n";
    if (!described.empty()) choice += "    [[ $PREFIX == -* ]] || _describe word words_of\n";
    cases += fmt::format("  {})\n{}    _arguments{}{} ;;\n", inQuotes(path), choice, files, specs);
  });
  return fmt::format(R"(#compdef {0}
# Completion of {0} for zsh; made by `{0} completion zsh`.
{4}_{1}() {{
  local at= word
  local -a words_of
  for word in ${{words[2,CURRENT-1]}}; do
    case "$at $word" in
    {2}) at="$at $word" ;;
    esac
  done
  case "$at" in
{3}  esac
}}
if [[ ${{funcstack[1]}} == _{0} ]]; then # read by zsh where it looks for completions; else sourced
  _{1} "$@"
else
  compdef _{1} {0}
fi
)",
                     all.name, function, pathPattern(all), cases, functionOfSamples(all, function));
}

std::string fishCompletion(const CommandWords& all) {
  const std::string function = "__" + replaced(all.name, "-", "_"), line = "complete -c " + all.name;
  std::string paths, lines, ofSample;
  if (const OptionWords* option = optionOfSamples(all)) {
    std::string cases;
    for (const auto& [sample, values] : option->choicesOfSample)
      cases += fmt::format("      case {}\n        printf '%s\\n' {}; return\n", sample, spaced(values));
    ofSample = fmt::format("function {}_of_sample # values for the sample that was typed\n  for word in (commandline -opc)\n"
                           "    switch $word\n{}    end\n  end\n  printf '%s\\n' {}\nend\n",
                           function, cases, spaced(option->choices));
  }
  forEachCommand(all, "", [&](const CommandWords& command, const std::string& path) {
    if (!path.empty()) paths += " " + inFishQuotes(path);
    const std::string when = " -n " + inFishQuotes("test (" + function + "_path) = '" + path + "'");
    if (!path.empty() && !takesFiles(command)) lines += line + when + " -f\n";
    for (const CommandWords& below : command.commands)
      lines += fmt::format("{}{} -f -a {} -d {}\n", line, when, inFishQuotes(below.name), inFishQuotes(brief(below.summary)));
    for (const std::string& word : command.words) lines += fmt::format("{}{} -a {}\n", line, when, inFishQuotes(word));
    for (const OptionWords& option : command.options) {
      std::string names;
      for (const std::string& name : option.names)
        names += (name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1));
      const std::string value = !option.takesValue                ? ""
                                : !option.choicesOfSample.empty() ? " -x -a '(" + function + "_of_sample)'"
                                : option.choices.empty()          ? (option.isNumber ? " -x" : " -r")
                                                                  : " -x -a " + inFishQuotes(spaced(option.choices));
      lines += fmt::format("{}{}{}{} -d {}\n", line, when, names, value, inFishQuotes(brief(option.help)));
    }
  });
  return fmt::format(R"(# Completion of {0} for fish; made by `{0} completion fish`.
{4}function {1}_path # the commands that were typed: " sweep plan"
  set -l at ''
  for word in (commandline -opc)[2..]
    contains -- "$at $word"{2}; and set at "$at $word"
  end
  echo "$at"
end
{3})",
                     all.name, function, paths, lines, ofSample);
}

} // namespace app::cli
