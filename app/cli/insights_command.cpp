#include "app/cli/insights_command.h"

#include "analyser/insights/insights.h"
#include "analyser/session/format.h"
#include "analyser/session/in_report.h"
#include "app/cli/flags.h"
#include "app/cli/options.h"
#include "reports/core/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ostream>

namespace app::cli {

namespace {

using analyser::printable;
using analyser::insights::Insight;
using OrderedJson = nlohmann::ordered_json;

std::string savingText(const Insight& i) {
  if (i.savesMemory()) return "up to " + analyser::formatBytes(i.bytes) + (i.onOneTile ? " on a tile" : "");
  return "up to " + analyser::formatCycles(i.cycles);
}

OrderedJson amountJson(const analyser::Sentence::Part& amount) {
  if (const auto* bytes = std::get_if<reports::Bytes>(&amount)) return {{"bytes", bytes->value()}};
  if (const auto* change = std::get_if<analyser::Sentence::Change<reports::Bytes>>(&amount))
    return {{"bytes", change->value.value()}};
  if (const auto* cycles = std::get_if<reports::Cycles>(&amount)) return {{"cycles", cycles->value()}};
  if (const auto* share = std::get_if<analyser::Sentence::Percent>(&amount)) return {{"share", share->fraction}};
  if (const auto* count = std::get_if<int64_t>(&amount)) return {{"count", *count}};
  return OrderedJson::object();
}

OrderedJson insightJson(const Insight& i) {
  OrderedJson json = OrderedJson::object();
  json["rule"] = i.rule;
  json["title"] = i.title;
  json["what"] = i.what.text(std::string::npos);
  json["where"] = i.where;
  if (i.savesMemory()) {
    json["saves_bytes"] = i.bytes.value();
    json["of"] = i.onOneTile ? "tile" : "machine";
  } else {
    json["saves_cycles"] = i.cycles.value();
    json["of"] = "run";
  }
  json["share"] = i.share;
  json["confidence"] = analyser::insights::confidenceName(i.confidence);
  OrderedJson evidence = {{"view", i.evidence.view}};
  if (!i.evidence.tiles.empty()) {
    evidence["tiles"] = OrderedJson::array();
    for (const auto tile : i.evidence.tiles) evidence["tiles"].push_back(tile.value());
  }
  if (i.evidence.step.valid()) evidence["program_step_id"] = i.evidence.step.value();
  if (i.evidence.operation.valid()) evidence["operation_id"] = i.evidence.operation.value();
  if (i.evidence.variable.valid()) evidence["variable_id"] = i.evidence.variable.value();
  json["evidence"] = std::move(evidence);
  json["parts"] = OrderedJson::array();
  for (const auto& part : i.parts) {
    OrderedJson line = {{"name", part.name}};
    line.update(amountJson(part.amount));
    json["parts"].push_back(std::move(line));
  }
  json["try"] = OrderedJson::array();
  for (const std::string& line : i.advice) json["try"].push_back(withFlags(line));
  json["trials"] = OrderedJson::array();
  for (const auto& trial : i.trials)
    json["trials"].push_back({{"title", trial.title}, {"options", trial.options}, {"why", trial.why}});
  return json;
}

} // namespace

void InsightsCommand::declare(Options& command) {
  command.addOption("REPORT", m_report, "a report (.tsr)").required().check(isNamed());
  command.addFlag("--json", m_json, "print JSON: a list, the largest saving first");
}

namespace {
constexpr std::size_t kWhole = std::string::npos; // full names, because readers search for them
} // namespace

int InsightsCommand::run(Context& context) {
  const auto session = analyser::Session::open(m_report);
  const auto all = analyser::inReport(*session, [&] { return analyser::insights::insights(*session, context.stop); });
  if (m_json) {
    OrderedJson list = OrderedJson::array();
    for (const Insight& i : all.list) list.push_back(insightJson(i));
    context.out << reports::jsonText(list, 2) << "\n";
    return kDone;
  }
  context.out << all.verdict.text(kWhole) << "\n";
  int number = 0;
  for (const Insight& i : all.list) {
    const std::string gain = i.lacks ? "lacks " + savingText(i) : savingText(i) + ", " + analyser::formatPercent(i.share);
    context.out << fmt::format("\n{}. {} ({}; confidence {})\n   {}\n", ++number, i.title, gain,
                               analyser::insights::confidenceName(i.confidence), i.what.text(kWhole));
    for (const auto& part : i.parts) {
      analyser::Sentence amount;
      amount << part.amount;
      context.out << fmt::format("     {:<56} {:>16}\n", printable(part.name), amount.text());
    }
    for (const std::string& line : i.advice) context.out << "   - " << withFlags(line) << "\n";
    for (const auto& trial : i.trials) context.out << fmt::format("   try: {}  ({})\n", fmt::join(trial.options, " "), trial.why);
  }
  return kDone;
}

} // namespace app::cli
