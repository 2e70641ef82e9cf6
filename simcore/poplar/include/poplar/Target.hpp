// The facts of a machine for planning by programs and libraries. Sizes are in bytes, times in cycles of a tile.
#pragma once

#include "poplar/OptionFlags.hpp"
#include "poplar/StringRef.hpp"
#include "poplar/TargetType.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace poplar {

namespace core {
struct TargetAccess;
}

enum class IpuLinkConfiguration { Default, BarleyTwist, SlidingWindow, None };
enum class IpuLinkTopology { Mesh, Torus, Line };

class Target {
public:
  Target(); // has no machine: its functions throw poplar_error
  Target(const Target& other);
  Target(Target&& other) noexcept;
  Target& operator=(const Target& other);
  Target& operator=(Target&& other) noexcept;
  ~Target();

  TargetType getTargetType() const;
  StringRef getTargetArchString() const;   // "ipu2"
  StringRef getTargetSystemString() const; // "C600"
  unsigned getNumIPUs() const;
  unsigned getTilesPerIPU() const;
  unsigned getNumTiles() const; // of all IPUs
  unsigned getNumWorkerContexts() const;
  unsigned getBytesPerTile() const;
  unsigned getExchangeBytesPerCycle() const;
  unsigned getMemcpyBytesPerCycle() const;
  unsigned getMinIPUSyncDelay() const;
  unsigned getMaxIPUSyncDelay() const;
  unsigned getGlobalSyncCycles() const;
  unsigned getDataPathWidth() const;               // bits
  unsigned getVectorWidth(const Type& type) const; // elements that one instruction processes
  unsigned getInterleavedMemoryElementIndex() const;
  std::size_t getMemoryBytes() const; // of all IPUs
  unsigned getFloatVectorWidth() const;
  unsigned getHalfVectorWidth() const;
  unsigned getQuarterVectorWidth() const;
  unsigned getMemoryElementOffsets(unsigned element) const;
  std::vector<unsigned> getMemoryElementOffsets() const; // of all elements
  unsigned getRptCountMax() const;
  unsigned getAtomicStoreGranularity() const;
  std::size_t getTypeSize(const Type& type) const;
  double getTileClockFrequency() const; // Hz
  bool supportsExchangeBusSharing() const;
  unsigned getTilesPerSharedExchangeBus() const;
  unsigned getNumConvUnits(const Type& inputs, const Type& partials) const;
  unsigned getFp16InFp16OutConvUnitsPerTile() const;
  unsigned getFp16InFp32OutConvUnitsPerTile() const;
  unsigned getFp32InFp32OutConvUnitsPerTile() const;
  unsigned getFp16ConvUnitMaxPipelineDepth() const;
  unsigned getFp32ConvUnitMaxPipelineDepth() const;
  unsigned getFp16ConvUnitInputLoadElemsPerCycle() const;
  unsigned getFp32ConvUnitInputLoadElemsPerCycle() const;
  unsigned getFp8InFp16OutConvUnitsPerTile() const;
  unsigned getFp8ConvUnitMaxPipelineDepth() const;
  unsigned getFp8ConvUnitInputLoadElemsPerCycle() const;
  unsigned getConvUnitMaxPipelineDepth(const Type& inputs) const;
  unsigned getConvUnitInputLoadElemsPerCycle(const Type& inputs) const;
  unsigned getConvUnitCoeffLoadBytesPerCycle() const;
  unsigned getWeightsPerConvUnit(bool floatActivations) const;
  unsigned getWeightsPerConvUnit(const Type& inputs) const;
  IpuLinkConfiguration getIpuLinkConfiguration() const;
  IpuLinkTopology getIpuLinkTopology() const;
  unsigned getIpuLinkDomainSize() const;
  unsigned getGatewayMode() const;
  unsigned getInstanceSize() const; // IPUs of one instance, which is all IPUs
  std::size_t hash() const;
  // The largest and the lowest finite number of a type.
  template<class T> T getTypeLimitsMaxAs(const Type& type) const { return static_cast<T>(typeLimit(type, true)); }
  template<class T> T getTypeLimitsLowestAs(const Type& type) const { return static_cast<T>(typeLimit(type, false)); }

  // A machine without a device: a program compiled for it runs on every device of the same kind. `system` is "ipu1", "ipu2",
  // "ipu21" or the name of a machine, e.g. "gc200". Throws poplar_error for another name, or a number of IPUs that no such
  // machine has.
  static Target createIPUTarget(unsigned ipus, StringRef system, const OptionFlags& options = {});
  static Target createIPUTarget(unsigned ipus, unsigned tilesPerIpu, StringRef system, const OptionFlags& options = {});
  static Target createIPUTarget(StringRef system, const OptionFlags& options = {}) { return createIPUTarget(1, system, options); }
  static Target createIPUTarget(unsigned ipus) { return createIPUTarget(ipus, "ipu2"); }
  static Target createCPUTarget(bool accurateHalf = false, unsigned ipus = 1);
  Target createVirtualTarget(unsigned ipus, unsigned tilesPerIpu) const;

  bool operator==(const Target& other) const;
  bool operator!=(const Target& other) const { return !(*this == other); }

  struct Inside;

private:
  long double typeLimit(const Type& type, bool largest) const; // exact for 64 bits
  friend struct core::TargetAccess;
  std::shared_ptr<const Inside> m_inside;
};

// Convert values for a stream or handle of halves, and back. The machine's halves are two bytes, rounded to nearest even.
void copyFloatToDeviceHalf(const Target& target, const float* from, void* to, std::size_t count);
void copyDeviceHalfToFloat(const Target& target, const void* from, float* to, std::size_t count);
void copyDoubleToDeviceHalf(const Target& target, const double* from, void* to, std::size_t count);
void copyDeviceHalfToDouble(const Target& target, const void* from, double* to, std::size_t count);

} // namespace poplar
