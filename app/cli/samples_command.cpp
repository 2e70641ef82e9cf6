#include "app/cli/samples_command.h"

#include "analyser/session/format.h"
#include "app/cli/flags.h"
#include "reports/core/json.h"
#include "simcore/samples/baseline.h"
#include "simcore/samples/sample.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ostream>
#include <sstream>

namespace app::cli {

namespace {

constexpr std::size_t kTextWidth = 96;

std::string wrapped(const std::string& text, const std::string& indent) {
  std::istringstream words(withFlags(text));
  std::string out, line, word;
  while (words >> word) {
    if (!line.empty() && line.size() + 1 + word.size() > kTextWidth) {
      out += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? out : out + indent + line + "\n";
}

// How a sample's precision is chosen. "chosen": only by --precision; "type": by the parameter `type`, whose default --precision
// changes; "fp32": always fp32.
const char* precisionOf(const simcore::samples::Sample& s) {
  if (s.distributes) return "chosen";
  for (const auto& p : s.parameters)
    if (p.name == "type") return "type";
  return "fp32";
}

nlohmann::ordered_json json(const simcore::samples::Sample& s) {
  auto parameters = nlohmann::ordered_json::array();
  for (const auto& p : s.parameters)
    parameters.push_back({{"name", p.name}, {"default", p.defaultValue}, {"text", withFlags(p.text)}, {"choices", p.choices}});
  nlohmann::ordered_json json{{"name", s.name},          {"title", s.title},          {"group", s.group},
                              {"names", s.names},        {"text", withFlags(s.text)}, {"precision", precisionOf(s)},
                              {"parameters", parameters}};
  if (s.stages > 0) json["stages"] = s.stages;
  if (s.replicas > 1) json["replicas"] = s.replicas;
  for (const auto& step : s.lesson) json["lesson"].push_back({{"text", withFlags(step.text)}, {"place", step.place}});
  if (!s.variant.name.empty())
    json["variant"] = {{"name", s.variant.name},
                       {"settings", s.variant.settings},
                       {"text", withFlags(s.variant.text)},
                       {"figure", s.variant.figure}};
  if (const auto* baseline = simcore::samples::baselineOf(s.name)) {
    json["baseline"] = {{"machine", baseline->machine}, {"default", baseline->standard}};
    if (!baseline->variant.empty()) json["baseline"]["variant"] = baseline->variant;
  }
  return json;
}

bool isSwitch(const simcore::samples::Parameter& p) { return p.choices == std::vector<std::string>{"0", "1"}; }

void printParameters(std::ostream& out, const simcore::samples::Sample& s) {
  for (const auto& p : s.parameters)
    out << fmt::format("    --set {:<20} {}{}\n", p.name + "=" + p.defaultValue, isSwitch(p) ? "1 or 0; " : "",
                       withFlags(p.text));
}

// Prints the comparison of the default and the variant from the saved figures.
void printVariant(std::ostream& out, const simcore::samples::Sample& s) {
  const auto& v = s.variant;
  if (v.name.empty()) return;
  out << "\n    --set variant=" << v.name << "\n" << wrapped(v.text, "    ");
  out << "    Try:  tilescope-cli run " << s.name << " -o default.tsr\n"
      << "          tilescope-cli run " << s.name << " --set variant=" << v.name << " -o " << v.name << ".tsr\n"
      << "          tilescope-cli compare default.tsr " << v.name << ".tsr\n";
}

void printBaseline(std::ostream& out, const simcore::samples::Sample& s) {
  const auto* baseline = simcore::samples::baselineOf(s.name);
  if (!baseline) return;
  const bool both = !baseline->variant.empty();
  out << fmt::format("\n    {:<20} {:>18}", "on " + baseline->machine, "default")
      << (both ? fmt::format(" {:>18}", s.variant.name) : std::string()) << "\n";
  for (const auto& [name, value] : baseline->standard) {
    out << fmt::format("    {:<20} {:>18}", name, analyser::formatCount(value));
    if (const auto other = baseline->variant.find(name); other != baseline->variant.end()) {
      out << fmt::format(" {:>18}", analyser::formatCount(other->second));
      if (value > 0) out << fmt::format(" {:>+8.1f} %", 100.0 * (double(other->second) / double(value) - 1));
    }
    out << "\n";
  }
}

} // namespace

void SamplesCommand::declare(Options& command) {
  command.addOption("NAME", m_sample, "only this sample, with its variant and its saved figures");
  command.addFlag("--json", m_json, "print JSON");
}

int SamplesCommand::run(Context& context) {
  if (!m_sample.empty()) {
    const auto& s = simcore::samples::findSample(m_sample);
    if (m_json) {
      context.out << reports::jsonText(json(s), 2) << "\n";
      return kDone;
    }
    context.out << s.name << ": " << s.title << "\n" << wrapped(s.text, "    ");
    printParameters(context.out, s);
    printVariant(context.out, s);
    printBaseline(context.out, s);
    return kDone;
  }
  const auto& samples = simcore::samples::catalogue();
  if (m_json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& s : samples) list.push_back(json(s));
    context.out << reports::jsonText(list, 2) << "\n";
    return kDone;
  }
  std::string group;
  for (const auto& s : samples) {
    if (s.group != group) context.out << (group = s.group) << "\n\n";
    context.out << fmt::format("{:<16} {}\n", s.name, s.title) << wrapped(s.text, "    ");
    printParameters(context.out, s);
    context.out << "\n";
  }
  context.out
      << "Host programs\n\n"
      << fmt::format("{:<16} {}\n", "host waits", "What a training script does while the IPU waits")
      << wrapped("A training loop is recorded on this computer and laid beside a simulated run (help page host-waits). Not for "
                 "run, but: python3 -m tilescope_host_waits (package python3-tilescope).",
                 "    ");
  return kDone;
}

} // namespace app::cli
