#include "app/cli/samples_command.h"

#include "simcore/samples/sample.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <sstream>

namespace app::cli {

namespace {

constexpr std::size_t kTextWidth = 96;

std::string wrapped(const std::string& text, const std::string& indent) {
  std::istringstream words(text);
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

nlohmann::ordered_json json(const simcore::samples::Sample& s) {
  auto parameters = nlohmann::ordered_json::array();
  for (const auto& p : s.parameters) parameters.push_back({{"name", p.name}, {"default", p.defaultValue}, {"text", p.text}});
  return {{"name", s.name}, {"title", s.title}, {"text", s.text}, {"parameters", parameters}};
}

} // namespace

void SamplesCommand::declare(CLI::App& command) { command.add_flag("--json", m_json, "print JSON"); }

int SamplesCommand::run(Context& context) {
  const auto& samples = simcore::samples::catalogue();
  if (m_json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& s : samples) list.push_back(json(s));
    context.out << list.dump(2) << "\n";
    return kDone;
  }
  for (const auto& s : samples) {
    context.out << fmt::format("{:<16} {}\n", s.name, s.title) << wrapped(s.text, "    ");
    for (const auto& p : s.parameters) context.out << fmt::format("    --set {:<20} {}\n", p.name + "=" + p.defaultValue, p.text);
    context.out << "\n";
  }
  return kDone;
}

} // namespace app::cli
