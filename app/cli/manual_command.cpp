#include "app/cli/manual_command.h"

#include "app/cli/cli.h"
#include "reports/core/join.h"

#include <fmt/format.h>

#include <ostream>

namespace app::cli {

namespace {

constexpr const char* kBefore = R"(.SH NAME
tilescope\-cli \- simulate graphs on machines with thousands of tiles and question the reports
.SH SYNOPSIS
.B tilescope\-cli
.I COMMAND
.RI [ OPTIONS ]
.SH DESCRIPTION
.B tilescope\-cli
compiles and runs a graph on a simulated machine of many tiles, writes one report file
.RI ( .tsr ,
an SQLite database), and prints what is in reports. It needs no display.
Every command has
.BR \-\-help .
Progress goes to standard error, and only on a terminal.
.SH COMMANDS
)";

constexpr const char* kAfter = R"(.SH ENVIRONMENT
.TP
.B POPLAR_ENGINE_OPTIONS
engine options as a JSON object of texts; \-\-engine\-option overrides them
.TP
.BR TILESCOPE_MACHINE ", " TILESCOPE_REPORT
machine and report of a program that was built with the SDK
.TP
.B TILESCOPE_CLANG
compiler of codelets (default: clang++\-14 in PATH, else the next version up to 19, else clang++)
.TP
.B TILESCOPE_SSH_CONFIG
configuration file for ssh, as \-\-ssh\-config
.TP
.BR XDG_DATA_HOME ", " XDG_CACHE_HOME
folders of runs, and of imported traces, remote copies and compiled codelets (default: ~/.local/share and ~/.cache)
.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
the answer is no: a test failed, a budget does not hold, or the graph does not fit the machine (the report is written and shows where)
.TP
.B 2
an error; one line on standard error says what, where and what to do
.TP
.B 77
a validation was skipped, because a program that it needs is not installed
.SH EXAMPLES
.nf
tilescope\-cli run mnist\-train \-\-machine bow \-o mnist.tsr
tilescope\-cli summary mnist.tsr
tilescope\-cli query mnist.tsr "SELECT name FROM sqlite_schema"
.fi
.SH SEE ALSO
.BR tilescope (1)
)";

// Escapes the characters that roff interprets: a hyphen, a backslash, and a dot or quote at the start of a line.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string optionText(const OptionWords& option) {
  std::string line = ".TP\n.B " + roff(reports::joined(option.names));
  if (!option.choices.empty())
    line += " " + roff(reports::joined(option.choices, {}, "|"));
  else if (option.takesValue)
    line += " \\fIVALUE\\fR";
  const std::string ofDefault = option.defaultValue.empty() ? "" : " (default: " + option.defaultValue + ")";
  return line + "\n" + roff(option.help + ofDefault) + "\n";
}

void addCommand(const CommandWords& command, const std::string& path, std::string& page) {
  const std::string name = path + command.name;
  page += ".SS " + roff(name);
  for (const OptionWords& argument : command.positionals) page += " " + roff(argument.names.front());
  page += "\n" + roff(command.summary) + ".\n";
  for (const OptionWords& argument : command.positionals)
    if (!argument.help.empty()) page += ".TP\n.I " + roff(argument.names.front()) + "\n" + roff(argument.help) + "\n";
  for (const OptionWords& option : command.options)
    if (option.names.back() != "--help") page += optionText(option);
  for (const CommandWords& below : command.commands) addCommand(below, name + " ", page);
}

} // namespace

int ManualCommand::run(Context& context) {
  std::string page = fmt::format(".TH TILESCOPE\\-CLI 1 \"\" \"Tilescope {}\" \"User Commands\"\n{}", TILESCOPE_VERSION, kBefore);
  for (const CommandWords& command : commandWords().commands) addCommand(command, "", page);
  context.out << page << kAfter;
  return kDone;
}

} // namespace app::cli
