#include "app/cli/machines_command.h"

#include "analyser/session/format.h"
#include "reports/core/json.h"
#include "simcore/arch/data_sheet.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ostream>

namespace app::cli {

namespace {

using simcore::arch::Machine;

std::string countsText(const Machine& m) {
  std::string text;
  for (const int n : m.ipuCounts) text += (text.empty() ? "" : " ") + std::to_string(n);
  return text;
}

nlohmann::ordered_json json(const Machine& m) {
  nlohmann::ordered_json sheet{
      {"name", m.name},
      {"title", m.title},
      {"architecture", m.tile.architecture},
      {"default_ipus", m.ipus},
      {"ipus", m.ipuCounts},
      {"tiles_per_ipu", m.tilesPerIpu},
      {"workers_per_tile", m.tile.workers},
      {"memory_per_tile_bytes", m.tile.memory.value()},
      {"clock_hz", m.clockHz},
      {"exchange_bytes_per_cycle", m.exchange.bytesPerCycle},
      {"peak_fp8_flops_per_second", m.tile.hasQuarter() ? nlohmann::ordered_json(m.peakQuarterFlops) : nlohmann::ordered_json()},
      {"peak_fp16_flops_per_second", m.peakHalfFlops},
      {"peak_fp32_flops_per_second", m.peakFloatFlops}};
  for (const simcore::arch::Peak& peak : simcore::arch::peaksOf(m)) sheet[peak.key] = peak.perSecond;
  return sheet;
}

} // namespace

void MachinesCommand::declare(Options& command) { command.addFlag("--json", m_json, "print JSON"); }

int MachinesCommand::run(Context& context) {
  const auto& machines = simcore::arch::machineCatalogue();
  if (m_json) {
    auto list = nlohmann::ordered_json::array();
    for (const Machine& m : machines) list.push_back(json(m));
    context.out << reports::jsonText(list, 2) << "\n";
    return kDone;
  }
  context.out << fmt::format("{:<10} {:<14} {:>9} {:>11} {:>10} {:>15} {:>15} {:>15}  {}\n", "NAME", "TITLE", "TILES/IPU",
                             "TILE MEMORY", "CLOCK", "FP8", "FP16", "FP32", "IPUS");
  for (const Machine& m : machines)
    context.out << fmt::format(
        "{:<10} {:<14} {:>9} {:>11} {:>10} {:>15} {:>15} {:>15}  {}\n", m.name, m.title, analyser::formatCount(m.tilesPerIpu),
        analyser::formatBytes(m.tile.memory), analyser::formatSi(m.clockHz, "Hz"),
        m.tile.hasQuarter() ? analyser::formatRate(m.peakQuarterFlops, "FLOP/s") : "-",
        analyser::formatRate(m.peakHalfFlops, "FLOP/s"), analyser::formatRate(m.peakFloatFlops, "FLOP/s"), countsText(m));
  return kDone;
}

} // namespace app::cli
