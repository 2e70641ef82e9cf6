#include "poplar/Target.hpp"

#include "poplar/IeeeHalf.hpp"
#include "poplar/exceptions.hpp"
#include "simcore/poplar/graph/handles.h"
#include "simcore/poplar/inner.h"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace poplar {

namespace arch = simcore::arch;
using simcore::poplar::asPoplar;
using simcore::poplar::asPoplarOr;

const Target::Inside& core::TargetAccess::inside(const Target& target) {
  if (!target.m_inside) throw poplar_error("the Target was declared without a value: use that of a device or a graph");
  return *target.m_inside;
}
Target core::TargetAccess::made(arch::Machine machine, TargetType type, std::string architecture) {
  Target target;
  target.m_inside = std::make_shared<const Target::Inside>(Target::Inside{std::move(machine), type, std::move(architecture)});
  return target;
}
std::string core::TargetAccess::architectureOf(const arch::Machine& m) {
  if (m.tile.architecture == "gc2") return "ipu1";
  return m.tile.architecture == "bow" ? "ipu21" : "ipu2";
}

namespace {
const Target::Inside& in(const Target& target) { return core::TargetAccess::inside(target); }
const arch::Machine& machine(const Target& target) { return in(target).machine; }
const arch::TileArchitecture& tile(const Target& target) { return machine(target).tile; }

std::string machineOfArchitecture(const std::string& system) {
  if (system == "ipu1") return "gc2";
  if (system == "ipu2") return "gc200";
  if (system == "ipu21") return "bow";
  return system;
}
arch::Machine withSize(arch::Machine m, unsigned ipus, unsigned tilesPerIpu) {
  m.ipus = int(ipus);
  if (tilesPerIpu == 0 || int(tilesPerIpu) == m.tilesPerIpu) return m;
  return simcore::graph::Graph(m).createVirtualGraph(int64_t(tilesPerIpu)).getTarget();
}
} // namespace

Target::Target() = default;
Target::Target(const Target&) = default;
Target::Target(Target&&) noexcept = default;
Target& Target::operator=(const Target&) = default;
Target& Target::operator=(Target&&) noexcept = default;
Target::~Target() = default;

TargetType Target::getTargetType() const { return in(*this).type; }
StringRef Target::getTargetArchString() const { return in(*this).architecture; }
StringRef Target::getTargetSystemString() const { return machine(*this).title; }
unsigned Target::getNumIPUs() const { return unsigned(machine(*this).ipus); }
unsigned Target::getTilesPerIPU() const { return unsigned(machine(*this).tilesPerIpu); }
unsigned Target::getNumTiles() const { return unsigned(machine(*this).tiles()); }
unsigned Target::getNumWorkerContexts() const { return unsigned(tile(*this).workers); }
unsigned Target::getBytesPerTile() const { return unsigned(tile(*this).memory.value()); }
unsigned Target::getExchangeBytesPerCycle() const { return unsigned(machine(*this).exchange.bytesPerCycle); }
unsigned Target::getMemcpyBytesPerCycle() const { return unsigned(tile(*this).dataPathBytes); }
unsigned Target::getMinIPUSyncDelay() const { return unsigned(machine(*this).exchange.internalSync.value()); }
unsigned Target::getMaxIPUSyncDelay() const { return getMinIPUSyncDelay(); }
unsigned Target::getGlobalSyncCycles() const { return unsigned(machine(*this).globalSync().value()); }
unsigned Target::getDataPathWidth() const { return unsigned(tile(*this).dataPathBytes) * 8; }
unsigned Target::getVectorWidth(const Type& type) const { return unsigned(tile(*this).vectorWidth(int(getTypeSize(type)))); }
unsigned Target::getInterleavedMemoryElementIndex() const {
  return unsigned(tile(*this).interleavedStart.value() / tile(*this).elementSize.value());
}
unsigned Target::getMemoryElementOffsets(unsigned element) const { return element * unsigned(tile(*this).elementSize.value()); }
std::vector<unsigned> Target::getMemoryElementOffsets() const {
  std::vector<unsigned> offsets;
  for (unsigned at = 0; at < getBytesPerTile(); at = getMemoryElementOffsets(unsigned(offsets.size()))) offsets.push_back(at);
  return offsets;
}
std::size_t Target::getMemoryBytes() const { return std::size_t(getNumTiles()) * getBytesPerTile(); }
unsigned Target::getFloatVectorWidth() const { return getVectorWidth(FLOAT); }
unsigned Target::getHalfVectorWidth() const { return getVectorWidth(HALF); }
unsigned Target::getQuarterVectorWidth() const { return getVectorWidth(QUARTER); }
unsigned Target::getFp8InFp16OutConvUnitsPerTile() const { return unsigned(tile(*this).convUnitsQuarter); }
unsigned Target::getFp8ConvUnitMaxPipelineDepth() const { return unsigned(tile(*this).convChainLength); }
unsigned Target::getFp8ConvUnitInputLoadElemsPerCycle() const { return unsigned(tile(*this).convInputsQuarter); }
unsigned Target::getConvUnitMaxPipelineDepth(const Type&) const { return unsigned(tile(*this).convChainLength); }
unsigned Target::getConvUnitInputLoadElemsPerCycle(const Type& inputs) const {
  const auto& t = tile(*this);
  return unsigned(inputs == FLOAT ? t.convInputsFloat : inputs == QUARTER ? t.convInputsQuarter : t.convInputsHalf);
}
unsigned Target::getInstanceSize() const { return getNumIPUs(); }
std::size_t Target::hash() const {
  return m_inside ? std::hash<std::string>()(machine(*this).name) ^ (std::size_t(getNumTiles()) * 2654435761U) : 0;
}
long double Target::typeLimit(const Type& type, bool largest) const {
  if (type == HALF) return largest ? 65504 : -65504;
  if (type.isFloatingPoint()) return (largest ? 1.0L : -1.0L) * (type == QUARTER ? 240.0F : std::numeric_limits<float>::max());
  if (type == BOOL) return largest;
  const long double range = std::ldexp(1.0L, int(8 * getTypeSize(type)));
  const bool isUnsigned = type.toString().rfind("unsigned", 0) == 0;
  return isUnsigned ? (largest ? range - 1 : 0) : largest ? range / 2 - 1 : -range / 2;
}
unsigned Target::getRptCountMax() const { return unsigned(tile(*this).rptLimit); }
unsigned Target::getAtomicStoreGranularity() const { return 4; }
std::size_t Target::getTypeSize(const Type& type) const {
  if (type == LONGLONG || type == UNSIGNED_LONGLONG)
    return 8; // 64-bit numbers of models have the same type, but are stored in 32 bits
  return simcore::numerics::deviceSize(simcore::poplar::inner(type));
}
double Target::getTileClockFrequency() const { return machine(*this).clockHz; }
bool Target::supportsExchangeBusSharing() const { return machine(*this).exchange.tilesPerBus > 1; }
unsigned Target::getTilesPerSharedExchangeBus() const { return unsigned(machine(*this).exchange.tilesPerBus); }
unsigned Target::getNumConvUnits(const Type& inputs, const Type&) const {
  const auto& t = tile(*this);
  return unsigned(inputs == FLOAT ? t.convUnitsFloat : inputs == QUARTER ? t.convUnitsQuarter : t.convUnitsHalf);
}
unsigned Target::getFp16InFp16OutConvUnitsPerTile() const { return unsigned(tile(*this).convUnitsHalf); }
unsigned Target::getFp16InFp32OutConvUnitsPerTile() const { return unsigned(tile(*this).convUnitsHalf); }
unsigned Target::getFp32InFp32OutConvUnitsPerTile() const { return unsigned(tile(*this).convUnitsFloat); }
unsigned Target::getFp16ConvUnitMaxPipelineDepth() const { return unsigned(tile(*this).convChainLength); }
unsigned Target::getFp32ConvUnitMaxPipelineDepth() const { return unsigned(tile(*this).convChainLength); }
unsigned Target::getFp16ConvUnitInputLoadElemsPerCycle() const { return unsigned(tile(*this).convInputsHalf); }
unsigned Target::getFp32ConvUnitInputLoadElemsPerCycle() const { return unsigned(tile(*this).convInputsFloat); }
unsigned Target::getConvUnitCoeffLoadBytesPerCycle() const { return unsigned(tile(*this).coefficientBytesPerCycle); }
unsigned Target::getWeightsPerConvUnit(bool floatActivations) const {
  return unsigned(tile(*this).convChainLength * (floatActivations ? tile(*this).convInputsFloat : tile(*this).convInputsHalf));
}
unsigned Target::getWeightsPerConvUnit(const Type& inputs) const {
  return unsigned(tile(*this).convChainLength) * getConvUnitInputLoadElemsPerCycle(inputs);
}
IpuLinkConfiguration Target::getIpuLinkConfiguration() const { return IpuLinkConfiguration::Default; }
IpuLinkTopology Target::getIpuLinkTopology() const {
  return machine(*this).isTorus() ? IpuLinkTopology::Torus : IpuLinkTopology::Mesh;
}
unsigned Target::getIpuLinkDomainSize() const { return 64; }
unsigned Target::getGatewayMode() const { return 1; }

Target Target::createIPUTarget(unsigned ipus, StringRef system, const OptionFlags& options) {
  return createIPUTarget(ipus, 0, system, options);
}
Target Target::createIPUTarget(unsigned ipus, unsigned tilesPerIpu, StringRef system, const OptionFlags& options) {
  simcore::poplar::ignoreOptions("Target::createIPUTarget", options);
  return asPoplarOr<invalid_machine_model>([&] {
    arch::Machine m = withSize(arch::findMachine(machineOfArchitecture(system), 0), ipus, tilesPerIpu);
    std::string architecture = core::TargetAccess::architectureOf(m);
    return core::TargetAccess::made(std::move(m), TargetType::IPU, std::move(architecture));
  });
}
Target Target::createCPUTarget(bool accurateHalf, unsigned ipus) {
  simcore::poplar::ignoreArgument(accurateHalf, "Target::createCPUTarget", "accurateHalf (halves are always the machine's)");
  return core::TargetAccess::made(arch::tinyMachine(1, int(std::max(1U, ipus))), TargetType::CPU, "cpu");
}
Target Target::createVirtualTarget(unsigned ipus, unsigned tilesPerIpu) const {
  return asPoplarOr<invalid_machine_model>([&] {
    return core::TargetAccess::made(withSize(machine(*this), ipus, tilesPerIpu), in(*this).type, in(*this).architecture);
  });
}
bool Target::operator==(const Target& other) const {
  if (!m_inside || !other.m_inside) return m_inside == other.m_inside;
  const auto &a = machine(*this), &b = machine(other);
  return in(*this).type == in(other).type && a.name == b.name && a.ipus == b.ipus && a.tilesPerIpu == b.tilesPerIpu;
}

IeeeHalf::IeeeHalf(float value) : m_bits(0) { simcore::run::copyFloatToDeviceHalf(&value, &m_bits, 1); }
IeeeHalf::operator float() const {
  float value = 0;
  simcore::run::copyDeviceHalfToFloat(&m_bits, &value, 1);
  return value;
}

void copyFloatToDeviceHalf(const Target&, const float* from, void* to, std::size_t count) {
  simcore::run::copyFloatToDeviceHalf(from, to, count);
}
void copyDeviceHalfToFloat(const Target&, const void* from, float* to, std::size_t count) {
  simcore::run::copyDeviceHalfToFloat(from, to, count);
}
void copyDoubleToDeviceHalf(const Target& target, const double* from, void* to, std::size_t count) {
  const std::vector<float> floats(from, from + count);
  copyFloatToDeviceHalf(target, floats.data(), to, count);
}
void copyDeviceHalfToDouble(const Target& target, const void* from, double* to, std::size_t count) {
  std::vector<float> floats(count);
  copyDeviceHalfToFloat(target, from, floats.data(), count);
  std::copy(floats.begin(), floats.end(), to);
}

} // namespace poplar

namespace simcore::poplar {
const arch::Machine& inner(const ::poplar::Target& target) { return ::poplar::core::TargetAccess::inside(target).machine; }
} // namespace simcore::poplar
