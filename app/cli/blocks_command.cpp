#include "app/cli/blocks_command.h"

#include "analyser/session/format.h"
#include "analyser/session/in_report.h"
#include "analyser/trace/blocks.h"
#include "app/cli/options.h"
#include "reports/core/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <ostream>

namespace app::cli {

namespace {

using analyser::trace::BlockTimes;

nlohmann::ordered_json blockJson(const BlockTimes& b) {
  nlohmann::ordered_json json = {
      {"name", b.name},           {"ipu", b.ipu.value()}, {"tile", b.tile.value()},    {"block", b.isBlock},
      {"executions", b.recorded}, {"lost", b.lost},       {"cycles", b.total.value()}, {"share", b.shareOfRuns}};
  if (b.recorded == 0) return json;
  json.update({{"min", b.min.value()},
               {"median", b.median.value()},
               {"p95", b.p95.value()},
               {"max", b.max.value()},
               {"mean", b.mean},
               {"deviation", b.deviation}});
  json["drift"] = b.drift ? nlohmann::ordered_json(*b.drift) : nlohmann::ordered_json();
  json["histogram"] = nlohmann::ordered_json::array();
  for (const auto& bar : b.histogram)
    json["histogram"].push_back({{"begin", bar.begin.value()}, {"end", bar.end.value()}, {"executions", bar.executions}});
  return json;
}

} // namespace

void BlocksCommand::declare(Options& command) {
  command.addOption("REPORT", m_report, "a report (.tsr)").required().check(isNamed());
  command.addFlag("--json", m_json, "print JSON: a list, the largest total first");
}

int BlocksCommand::run(Context& context) {
  const auto session = analyser::Session::open(m_report);
  const auto profile = analyser::inReport(*session, [&] { return analyser::trace::blockProfile(*session, context.stop); });
  if (m_json) {
    auto list = nlohmann::ordered_json::array();
    for (const BlockTimes& b : profile.blocks) list.push_back(blockJson(b));
    context.out << reports::jsonText(list, 2) << "\n";
    return kDone;
  }
  if (profile.empty()) {
    if (!profile.verdict.empty()) context.out << analyser::printable(profile.verdict.text()) << "\n";
    context.out
        << "no Blocks were timed; run with --engine-option 'profiler.blocks.filter=.*' or 'profiler.programs.filter=NAME'\n";
    return kDone;
  }
  context.out << profile.verdict.text() << ".\n\n";
  std::size_t width = 12; // width of the longest name: names are not cut, because readers search for them
  for (const BlockTimes& b : profile.blocks) width = std::max(width, analyser::printable(b.name).size());
  const auto line = [&](const std::string& name, const auto&... cells) {
    context.out << fmt::format("{:<{}} {:>4} {:>10} {:>8} {:>14} {:>7} {:>10} {:>10} {:>10} {:>10} {:>12} {:>8}\n", name, width,
                               cells...);
  };
  line("BLOCK", "IPU", "EXECUTIONS", "LOST", "CYCLES", "SHARE", "MIN", "MEDIAN", "P95", "MAX", "DEVIATION", "DRIFT");
  for (const BlockTimes& b : profile.blocks) {
    const auto cell = [&](reports::Cycles c) { return b.recorded > 0 ? fmt::to_string(c.value()) : std::string("-"); };
    line(analyser::printable(b.name), b.ipu.value(), b.recorded, b.lost, b.total.value(), analyser::formatPercent(b.shareOfRuns),
         cell(b.min), cell(b.median), cell(b.p95), cell(b.max), cell(reports::Cycles(std::llround(b.deviation))),
         b.drift ? fmt::format("{:+.1f} %", *b.drift * 100) : std::string("-"));
  }
  return kDone;
}

} // namespace app::cli
