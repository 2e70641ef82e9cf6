// A machine as data: the constants of one architecture and the number of IPUs. All plans and costs use these constants. The
// values and their sources are in resources/machines/machines.json.
#pragma once

#include "reports/core/ids.h"
#include "reports/core/units.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace simcore::arch {

using reports::Bytes;
using reports::Cycles;

// Speed and memory of one tile: the constants that poplibs' planners and cycle estimators read from a target (ipu-reference 1.2).
struct TileArchitecture {
  std::string architecture;  // gc2, gc200 or bow
  int workers = 6;           // worker contexts; each issues once in `workers` cycles
  Bytes memory{0};           // SRAM
  Bytes interleavedStart{0}; // code must end below it; 128-bit loads read data above it
  Bytes elementSize{0};      // one access per element and cycle
  int dataPathBytes = 8;     // bytes of one load or store
  int convUnitsHalf = 16;    // AMP units, fp16 inputs
  int convUnitsFloat = 8;    // AMP units, fp32 inputs
  int convUnitsQuarter = 0;  // AMP units, 8-bit float inputs; 0: the machine has no 8-bit floats
  int convInputsHalf = 4;    // elements a unit consumes per step
  int convInputsFloat = 2;
  int convInputsQuarter = 8;
  int convChainLength = 4;
  int coefficientBytesPerCycle = 8;
  int rptLimit = 4095; // most iterations of one hardware repeat

  bool hasQuarter() const { return convUnitsQuarter > 0; }
  int vectorWidth(int elementBytes) const { return dataPathBytes / elementBytes; } // 2 for fp32, 4 for fp16
};

struct ExchangeFabric {
  double bytesPerCycle = 4;  // bytes that a tile sends and receives per cycle, both at once
  int tilesPerBus = 2;       // neighbours that can pair up to receive the same data at double width
  Cycles baseLatency{25};    // first word out to first word in, nearest tiles (ipu-reference 5.2, L0)
  Cycles internalSync{150};  // barrier of one IPU without waiting
  Cycles messageOverhead{7}; // per additional sender of a receiver: set-mux, set-pointer, skew (calibrated on A14, A16 to A18)

  // How a partial last word counts: planners ignore it, the compiler counts a cycle for it.
  enum class LastWord { Dropped, Counted };
  // Cycles of the bytes only, at the width of one tile's bus.
  double transferCycles(double bytes) const { return bytes / bytesPerCycle; }
  // The exchange formula (ipu-reference 5.2) of planners and compiler: cycles of a tile that moves `bytes` in one exchange and
  // receives from `senders` tiles, without the barrier. `latency` is the latency of the path if known, as in the compiler;
  // planners use the base latency.
  int64_t exchangeCycles(double bytes, int64_t senders, int64_t latency, LastWord last) const {
    const double words = transferCycles(bytes);
    return int64_t(last == LastWord::Counted ? std::ceil(words) : words) +
           std::max<int64_t>(0, senders - 1) * messageOverhead.value() + latency;
  }
};

struct HostLink {
  double bytesPerCycle = 15.1; // tut6 on the chip: 20 GB/s at 1.33 GHz (ipu-reference 6)
  Cycles handshake{1500};      // of a StreamCopyMid with no data (programming-model 1.7)
  Cycles begin{2000};          // StreamCopyBegin of a prefetched stream
  Cycles end{2000};
};

struct IpuLink {
  double bytesPerSecond = 128e9 / 8 * 1.073741824 * 0.85; // one link, one direction, with efficiency (ipu-reference 6)
  int linksPerPair = 4;
  bool torus = false; // the ends of the ladder's rails are joined, for programs on all IPUs of the machine: Machine::isTorus()
  double secondsPerHop = 15e-9;
  // Set-up time of a global exchange without its sync, and time for each separate piece. Calibrated earlier on the runs of a
  // published study on several GC2, and kept for GC200 because A28 agrees; GC2 has its own values in machines.json (help page
  // model-fidelity).
  double setUpSeconds = 1.5e-6, secondsPerPiece = 2.9e-9;
};

struct Machine {
  std::string name, title; // "gc200", "GC200"
  TileArchitecture tile;
  ExchangeFabric exchange;
  HostLink host;
  IpuLink link;
  double clockHz = 0;
  double peakHalfFlops = 0, peakFloatFlops = 0; // of one IPU, per second
  double peakQuarterFlops = 0;                  // 0: the machine has no 8-bit floats
  int tilesPerIpu = 0;
  int ipus = 1; // IPUs for which a program is made
  // I/O tiles of each IPU: its last tiles, which only transfer data with the host. They do not take part in the barriers of the
  // compute tiles, so transfers and compute overlap. 0: no I/O tiles, every tile does both.
  int ioTiles = 0;
  int replicas = 1;           // identical copies of the program, each on its own `ipus` IPUs; one of them is simulated
  std::vector<int> ipuCounts; // numbers of IPUs that may be requested
  int gridColumns = 0, gridRows = 0;
  std::vector<int> tileColumns, tileRows; // floor plan of one IPU, by logical tile
  // Whether library ops of graphs for this machine compute their numbers tile by tile, as cut by their plans, instead of all at
  // once.
  bool vertexByVertex = false;
  // The smallest share of a linearly mapped tensor that a tile gets, in bytes (poputil::mapTensorLinearly: 128).
  int64_t leastLinearBytes = 128;

  int tiles() const { return tilesPerIpu * ipus; }
  int computeTiles() const { return tilesPerIpu - ioTiles; } // of each IPU
  int ipuOf(reports::TileId t) const { return int(t.value()) / tilesPerIpu; }
  bool isTorus() const { return link.torus && !ipuCounts.empty() && ipus * replicas == ipuCounts.back() && ipuCounts.back() > 4; }
  // Distance-dependent part of an exchange between two tiles of one IPU (ipu-reference 5.2, symmetric form: 0 for
  // neighbours, about 61 cycles across the chip).
  Cycles distance(int tileA, int tileB) const;
  // Global sync of `ipus` IPUs: ceil(15 ns x clock x hops x 2), hops = 1 + (ipus/2)/2 (ipu-reference 6).
  Cycles globalSync() const { return globalSync(ipus * replicas); }
  Cycles globalSync(int ipusTogether) const;
};

// All named machines, in order of age; `ipus` is the default of each.
const std::vector<Machine>& machineCatalogue();
// Throws Error(NotFound) listing the names, or Error(InvalidInput) if this machine cannot have `ipus` (0: its default).
Machine findMachine(const std::string& name, int ipus);
// The machine of one of `replicas` replicas. With `pipelineIpus` > 0 a replica is a pipeline of that many IPUs. Throws
// Error(InvalidInput) unless replicas x IPUs per replica = IPUs of the machine.
Machine replicaOf(Machine machine, int replicas, int pipelineIpus);
// The same machine with `ioTiles` I/O tiles on each IPU. Throws Error(InvalidInput) if no tile is left for compute.
Machine withIoTiles(Machine machine, int64_t ioTiles);
// Throws Error(Unsupported) if the machine has no 8-bit floats; the error lists the machines that have them.
void requireQuarter(const Machine& machine);
// A small machine for tests: `tiles` tiles of the GC200 kind.
Machine tinyMachine(int tiles, int ipus = 1);

} // namespace simcore::arch
