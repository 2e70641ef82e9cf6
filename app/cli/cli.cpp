#include "app/cli/cli.h"

#include "analyser/session/format.h"
#include "app/cli/commands.h"
#include "app/cli/fetch_command.h"
#include "app/cli/flags.h"
#include "app/cli/system_limits.h"
#include "app/cli/terminal_line.h"
#include "reports/core/join.h"
#include "reports/core/spelling.h"

#include <poll.h>
#include <unistd.h>

#include <iostream>
#include <new>
#include <optional>
#include <system_error>

namespace app::cli {

namespace {

constexpr const char* kDescription =
    "Simulates graphs on machines with thousands of tiles and answers questions about the reports.\n"
    "Exit codes: 0 done, 1 the answer is no (a test failed, a budget does not hold, a model does not fit), 2 error.";

int fail(std::ostream& err, std::string message) {
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
  for (char& c : message)
    if (c == '\n') c = ' ';
  // Limits the message, because names and equations of a model may have any length.
  constexpr std::size_t kMessageWidth = 2000;
  err << "tilescope-cli: " << analyser::elideMiddle(analyser::printable(withFlags(message)), kMessageWidth) << "\n";
  return kFailed;
}

// `help` and `help COMMAND`, as people type them.
std::vector<std::string> withoutHelpWord(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments[0] != "help" || arguments.size() > 2) return arguments;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

// CLI11 reports a misspelt command as an unexpected argument; this error lists the commands instead.
void checkCommandName(const std::vector<std::unique_ptr<Command>>& commands, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0].starts_with("-")) return;
  for (const auto& command : commands)
    if (arguments[0] == command->name()) return;
  std::vector<std::string> names;
  for (const auto& command : commands) names.emplace_back(command->name());
  const std::string meant = reports::likelyMeant(arguments[0], names);
  throw reports::Error(reports::ErrorCode::NotFound, "no command is called '" + arguments[0] + "'", "",
                       meant.empty() ? "there are " + reports::joined(names) : meant + " was probably meant");
}

// Whether the reader has closed the pipe (`| head`), which is not a failure.
bool isReaderGone(const Context& context) {
  pollfd standardOutput{STDOUT_FILENO, 0, 0};
  return context.outIsStandard && poll(&standardOutput, 1, 0) == 1 && (standardOutput.revents & POLLERR);
}

int runParsed(const std::vector<std::unique_ptr<Command>>& commands, const OptionParser& parser, Context& context) {
  for (const auto& command : commands) {
    if (!parser.hasCommand(command->name())) continue;
    int code = kDone;
    try {
      code = command->run(context);
    } catch (const reports::Error&) { // from a command that checks its output while writing
      if (context.out || !isReaderGone(context)) throw;
    }
    context.out.flush();
    if (!context.out && isReaderGone(context)) return code;
    if (!context.out) throw reports::Error(reports::ErrorCode::Io, "cannot write the output", "standard output");
    return code;
  }
  context.out << parser.help();
  return kDone;
}

void declareAll(OptionParser& parser, const std::vector<std::unique_ptr<Command>>& commands) {
  for (const auto& c : commands) {
    Options options = parser.options().addCommand(c->name(), c->summary());
    c->declare(options);
  }
}

OptionParser makeParser() {
  return OptionParser(kDescription, "tilescope-cli", std::string("tilescope-cli ") + TILESCOPE_VERSION);
}

int parseAndRun(Context& context) {
  OptionParser parser = makeParser();
  const auto commands = allCommands();
  declareAll(parser, commands);
  std::vector<std::string> arguments = withoutHelpWord(context.arguments);
  checkCommandName(commands, arguments);
  arguments = withLocalCopies(std::move(arguments), context);
  const std::string command = arguments.empty() || arguments[0].starts_with("-") ? "" : " " + arguments[0];
  if (const std::string wrong = parser.parse(arguments); !wrong.empty())
    return fail(context.err, wrong + " (see tilescope-cli" + command + " --help)");
  if (parser.answered(context.out, context.err)) {
    context.out.flush();
    return kDone;
  }
  return runParsed(commands, parser, context);
}

} // namespace

CommandWords commandWords() {
  OptionParser parser = makeParser();
  const auto commands = allCommands();
  declareAll(parser, commands);
  return parser.words();
}

int runCommandLine(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err, bool errIsTerminal,
                   std::stop_token stop, const std::string& program) {
  std::optional<TerminalLine> line;
  if (errIsTerminal) line.emplace(out, err);
  Context context{
      line ? line->out() : out, line ? line->err() : err, line ? &*line : nullptr, std::move(stop), program, arguments,
      &out == &std::cout};
  try {
    return parseAndRun(context);
  } catch (const reports::Error& e) {
    return fail(context.err, e.what());
  } catch (const std::bad_alloc&) {
    return fail(context.err, "this computer does not have enough memory");
  } catch (const std::system_error& e) {
    return fail(context.err, refusalOf(e));
  } catch (const std::exception& e) {
    return fail(context.err, std::string("internal error: ") + e.what());
  }
}

} // namespace app::cli
