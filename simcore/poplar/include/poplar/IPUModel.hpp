// A device made from a description, not found by a DeviceManager.
#pragma once

#include "poplar/Device.hpp"

#include <string>
#include <utility>
#include <vector>

namespace poplar {

enum class IPUExchangeType { CoarseGrained, Detailed };

// Traffic from one IPU to another.
struct GlobalExchangeFlow {
  GlobalExchangeFlow(unsigned from, unsigned to) : src(from), dst(to) {}
  unsigned src, dst;
};
// Flows that share links, and the bandwidth that they share, in bits per second.
struct GlobalExchangeConstraint {
  GlobalExchangeConstraint(double bandwidthOfAll, std::vector<GlobalExchangeFlow> allFlows)
      : bandwidth(bandwidthOfAll), flows(std::move(allFlows)) {}
  double bandwidth;
  std::vector<GlobalExchangeFlow> flows;
};

struct IPUModel {
  // "ipu1", "ipu2" or "ipu21".
  explicit IPUModel(const char* version = "ipu2");
  IPUModel(const IPUModel& other);
  IPUModel& operator=(const IPUModel& other);
  ~IPUModel();

  enum class RelativeSyncDelayType { STAGGERED, NO_DELAY, AUTO };

  // Initially the machine's values. The numbers of IPUs and tiles are used; any other value that differs from the machine's gives
  // a warning and has no effect, because the simulator knows the machine itself.
  unsigned numIPUs = 1;
  unsigned tilesPerIPU = 0;
  unsigned numWorkerContexts = 0;
  unsigned bytesPerTile = 0;
  unsigned exchangeBytesPerCycle = 0;
  unsigned memcpyBytesPerCycle = 0;
  unsigned minIPUSyncDelay = 0;
  RelativeSyncDelayType relativeSyncDelay = RelativeSyncDelayType::STAGGERED;
  unsigned globalSyncCycles = 0;
  std::vector<GlobalExchangeConstraint> globalExchangeConstraints;
  double tileClockFrequency = 0;
  IPUExchangeType exchangeType = IPUExchangeType::Detailed;
  bool compileIPUCode = false;
  std::string version;

  Device createDevice(OptionFlags options = {}, bool accurateHalf = false, unsigned deviceManagerId = ~0u) const;
};

} // namespace poplar
