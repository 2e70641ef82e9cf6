#include "app/cli/completion_command.h"

#include "app/cli/cli.h"
#include "app/cli/completion_scripts.h"
#include "simcore/arch/machine.h"
#include "simcore/fusion/fusion.h"
#include "simcore/model/training/optimiser.h"
#include "simcore/run/engine_options.h"
#include "simcore/samples/sample.h"

#include <map>
#include <ostream>
#include <set>

namespace app::cli {

namespace {

// Possible values that the declarations of the options do not list.
struct Names {
  std::vector<std::string> samples;
  std::map<std::string, std::vector<std::string>> values;     // by option
  std::map<std::string, std::vector<std::string>> parameters; // by sample
};

Names knownNames() {
  Names names;
  for (const auto& machine : simcore::arch::machineCatalogue()) names.values["--machine"].push_back(machine.name);
  names.values["--optimiser"] = simcore::model::optimiserNames();
  std::vector<std::string>& passes = names.values["--disable-pass"];
  for (const auto& pass : simcore::model::fusionPasses()) passes.push_back(pass.name);
  passes.emplace_back("all");
  std::set<std::string> parameters;
  for (const auto& sample : simcore::samples::catalogue()) {
    names.samples.push_back(sample.name);
    for (const auto& parameter : sample.parameters) {
      names.parameters[sample.name].push_back(parameter.name + "=");
      parameters.insert(parameter.name + "=");
    }
  }
  names.values["--set"].assign(parameters.begin(), parameters.end());
  for (const auto& option : simcore::run::knownEngineOptions()) names.values["--engine-option"].push_back(option.name + "=");
  return names;
}

void addNames(CommandWords& command, const Names& names) {
  for (OptionWords& option : command.options)
    if (const auto values = names.values.find(option.names.front()); option.takesValue && values != names.values.end())
      option.choices = values->second;
  for (OptionWords& option : command.options)
    if (option.names.front() == "--set") option.choicesOfSample = names.parameters;
  for (const OptionWords& argument : command.positionals) {
    command.words.insert(command.words.end(), argument.choices.begin(), argument.choices.end());
    if (argument.names.front() == "GRAPH" || command.name == "samples") command.words = names.samples;
  }
  for (CommandWords& below : command.commands) addNames(below, names);
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
  addNames(all, knownNames());
  context.out << (m_shell == "bash" ? bashCompletion(all) : m_shell == "zsh" ? zshCompletion(all) : fishCompletion(all));
  return kDone;
}

} // namespace app::cli
