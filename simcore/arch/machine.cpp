#include "simcore/arch/machine.h"

#include "reports/core/error.h"
#include "reports/core/join.h"
#include "reports/core/json.h"
#include "reports/core/option.h"
#include "reports/core/spelling.h"
#include "reports/core/text.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <map>

namespace simcore::arch {

extern const char* const kMachinesJson; // resources/machines/machines.json, embedded at build time

namespace {

// GC200 and Bow: pairs of tiles in blocks of 23, odd blocks mirrored (ipu-reference 5.2).
void layPairs(Machine& m) {
  m.gridColumns = 64;
  m.gridRows = 23;
  for (int tile = 0; tile < m.tilesPerIpu; ++tile) {
    const int pair = tile / 2, lane = tile % 2, block = pair / 23, place = pair % 23;
    m.tileRows.push_back(block % 2 ? 22 - place : place);
    m.tileColumns.push_back(4 * (block / 2) + block % 2 + 2 * lane);
  }
}

// GC2: 16 columns of 76 tiles that programs may use; within them the order is serpentine.
void layColumns(Machine& m, int columns, int rows) {
  m.gridColumns = columns;
  m.gridRows = rows;
  for (int tile = 0; tile < m.tilesPerIpu; ++tile) {
    const int column = tile / rows, place = tile % rows;
    m.tileColumns.push_back(column);
    m.tileRows.push_back(column % 2 ? rows - 1 - place : place);
  }
}

Machine machineOf(const nlohmann::json& entry, const nlohmann::json& a) {
  Machine m;
  m.name = entry.at("name");
  m.title = entry.at("title");
  m.ipus = entry.at("ipus");
  m.ipuCounts = entry.at("ipu_counts").get<std::vector<int>>();
  m.tilesPerIpu = a.at("tiles_per_ipu");
  m.link.torus = entry.value("topology", "ladder") == "torus";
  m.clockHz = a.at("clock_hz");
  m.peakHalfFlops = a.at("peak_fp16");
  m.peakFloatFlops = a.at("peak_fp32");
  m.peakQuarterFlops = a.value("peak_fp8", 0.0);
  m.tile.architecture = entry.at("architecture");
  m.tile.memory = Bytes(a.at("memory_bytes").get<int64_t>());
  m.tile.interleavedStart = Bytes(a.at("interleaved_start_bytes").get<int64_t>());
  m.tile.elementSize = Bytes(a.at("element_bytes").get<int64_t>());
  m.tile.convUnitsHalf = a.at("conv_units_half");
  m.tile.convUnitsFloat = a.at("conv_units_float");
  m.tile.convUnitsQuarter = a.value("conv_units_fp8", 0);
  m.tile.convInputsQuarter = a.value("conv_inputs_fp8", m.tile.convInputsQuarter);
  m.tile.coefficientBytesPerCycle = a.at("coefficient_bytes_per_cycle");
  m.exchange.internalSync = Cycles(a.at("internal_sync_cycles").get<int64_t>());
  m.host.bytesPerCycle = a.at("host_bytes_per_cycle");
  m.link.setUpSeconds = a.value("link_set_up_seconds", m.link.setUpSeconds);
  m.link.secondsPerPiece = a.value("link_seconds_per_piece", m.link.secondsPerPiece);
  if (a.at("grid") == "pairs23x64")
    layPairs(m);
  else
    layColumns(m, 16, 76);
  return m;
}

std::vector<Machine> readCatalogue() {
  const nlohmann::json all = reports::parseJsonBounded(kMachinesJson, "machines.json");
  std::vector<Machine> machines;
  for (const auto& entry : all.at("machines"))
    machines.push_back(machineOf(entry, all.at("architectures").at(entry.at("architecture").get<std::string>())));
  return machines;
}

} // namespace

Cycles Machine::distance(int tileA, int tileB) const {
  const int columns = std::abs(tileColumns[std::size_t(tileA)] - tileColumns[std::size_t(tileB)]);
  const int rows = std::abs(tileRows[std::size_t(tileA)] - tileRows[std::size_t(tileB)]);
  // 61 cycles across the whole chip: the larger part along the columns (6 per mux column), the rest along the rows (2 per row).
  const double full = double(gridColumns - 1) * 0.62 + double(gridRows - 1);
  return Cycles(full > 0 ? int64_t(std::lround(61.0 * (0.62 * columns + rows) / full)) : 0);
}

Cycles Machine::globalSync(int ipusTogether) const {
  if (ipusTogether <= 1) return exchange.internalSync;
  const int hops = 1 + (ipusTogether / 2) / 2;
  return Cycles(int64_t(std::ceil(link.secondsPerHop * clockHz * hops * 2))) + exchange.internalSync;
}

const std::vector<Machine>& machineCatalogue() {
  static const std::vector<Machine> machines = readCatalogue();
  return machines;
}

namespace {
// Also accepts names as other documents print them ("GC200", "Bow Pod16", "IPU-M2000"), names of the generations (ipu-reference
// 1.1), and names of pods that are a single box.
bool isCalled(const Machine& m, const std::string& name) {
  static const std::map<std::string, const char*> others{{"mk1", "gc2"},    {"ipu1", "gc2"},   {"mk2", "gc200"},
                                                         {"ipu2", "gc200"}, {"pod4", "m2000"}, {"bowpod4", "bow-2000"}};
  std::string plain = reports::plainSpelling(name);
  if (plain == reports::plainSpelling(m.name) || plain == reports::plainSpelling(m.title)) return true;
  if (const auto other = others.find(plain); other != others.end()) return m.name == other->second;
  return plain.starts_with("ipu") && isCalled(m, plain.substr(3));
}
} // namespace

Machine findMachine(const std::string& name, int ipus) {
  for (const Machine& m : machineCatalogue()) {
    if (!isCalled(m, name)) continue;
    Machine found = m;
    if (ipus > 0) {
      if (std::find(m.ipuCounts.begin(), m.ipuCounts.end(), ipus) == m.ipuCounts.end())
        throw reports::Error(reports::ErrorCode::InvalidInput,
                             "machine " + name + " cannot have " + reports::counted(ipus, "IPU"), reports::option("ipus"),
                             "choose one of " + reports::joined(m.ipuCounts));
      found.ipus = ipus;
    }
    return found;
  }
  throw reports::Error(reports::ErrorCode::NotFound, "no machine is called '" + name + "'", reports::option("machine"),
                       "there are " + reports::joined(machineCatalogue(), &Machine::name));
}

Machine replicaOf(Machine machine, int replicas, int pipelineIpus) {
  const auto fail = [&](const std::string& message, const std::string& advice) -> reports::Error {
    return reports::Error(reports::ErrorCode::InvalidInput, message,
                          "machine " + machine.name + " with " + reports::counted(machine.ipus, "IPU"), advice);
  };
  if (pipelineIpus > 0 && pipelineIpus * replicas != machine.ipus)
    throw fail(
        "a pipeline of " + reports::counted(pipelineIpus, "IPU") + " x " + reports::counted(replicas, "replica") + " needs " +
            reports::counted(pipelineIpus * replicas, "IPU") + ", the machine has " + std::to_string(machine.ipus),
        "choose {option pipeline}, {option replicas} and {option ipus} so that IPUs per replica x replicas = {option ipus}");
  if (machine.ipus % replicas != 0)
    throw fail(reports::counted(machine.ipus, "IPU") + " cannot be shared by " + reports::counted(replicas, "replica"),
               "choose a number that divides the IPUs");
  machine.ipus /= replicas;
  machine.replicas = replicas;
  if (replicas > 1) machine.title += ", one of " + std::to_string(replicas) + " replicas";
  return machine;
}

Machine withIoTiles(Machine machine, int64_t ioTiles) {
  if (ioTiles < 0 || ioTiles >= machine.tilesPerIpu)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         std::to_string(ioTiles) + " I/O tiles leave no tile to compute: an IPU of " + machine.name + " has " +
                             std::to_string(machine.tilesPerIpu) + " tiles",
                         reports::option("io-tiles"),
                         "take enough to hold a batch's inputs and outputs, e.g. 32, and fewer than " +
                             std::to_string(machine.tilesPerIpu));
  machine.ioTiles = int(ioTiles);
  if (ioTiles > 0) machine.title += ", " + std::to_string(ioTiles) + " I/O tiles each IPU";
  return machine;
}

void requireQuarter(const Machine& machine) {
  if (machine.tile.hasQuarter()) return;
  std::vector<std::string> having;
  for (const Machine& m : machineCatalogue())
    if (m.tile.hasQuarter()) having.push_back(m.name);
  throw reports::Error(reports::ErrorCode::Unsupported, "the machine " + machine.title + " has no 8-bit floats",
                       reports::option("precision") + " fp8",
                       "add " + reports::option("machine") + " " + reports::joined(having));
}

Machine tinyMachine(int tiles, int ipus) {
  Machine m = findMachine("gc200", 1);
  m.name = "tiny" + std::to_string(tiles);
  m.title = "Tiny " + std::to_string(tiles);
  m.tilesPerIpu = tiles;
  m.ipus = ipus;
  m.tileColumns.resize(std::size_t(tiles));
  m.tileRows.resize(std::size_t(tiles));
  return m;
}

} // namespace simcore::arch
