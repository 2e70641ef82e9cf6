#include "app/cli/completion_command.h"

#include "app/cli/cli.h"
#include "app/cli/completion_scripts.h"
#include "simcore/arch/machine.h"
#include "simcore/samples/sample.h"

#include <iostream>

namespace app::cli {

namespace {

// Words outside the list of a check: machines, and samples for the argument GRAPH.
void addNames(CommandWords& command) {
  std::vector<std::string> machines, samples;
  for (const auto& machine : simcore::arch::machineCatalogue()) machines.push_back(machine.name);
  for (const auto& sample : simcore::samples::catalogue()) samples.push_back(sample.name);
  for (OptionWords& option : command.options)
    if (option.takesValue && option.names.front() == "--machine") option.choices = machines;
  for (const OptionWords& argument : command.positionals) {
    command.words.insert(command.words.end(), argument.choices.begin(), argument.choices.end());
    if (argument.names.front() == "GRAPH" || command.name == "samples") command.words = samples;
  }
  for (CommandWords& below : command.commands) addNames(below);
}

} // namespace

void CompletionCommand::declare(Options& command) {
  command.addOption("SHELL", m_shell, "bash, zsh or fish").required().check(isOneOf({"bash", "zsh", "fish"}));
  command.footer(
      "For this shell alone:  source <(tilescope-cli completion bash); in fish: tilescope-cli completion fish | source\n"
      "For every shell:       tilescope-cli completion fish > ~/.config/fish/completions/tilescope-cli.fish");
}

int CompletionCommand::run(Context& context) {
  CommandWords all = commandWords();
  addNames(all);
  context.out << (m_shell == "bash" ? bashCompletion(all) : m_shell == "zsh" ? zshCompletion(all) : fishCompletion(all));
  return kDone;
}

} // namespace app::cli
