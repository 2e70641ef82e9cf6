// Devices of the simulated pod, and devices that an IPUModel describes.
#include "poplar/Device.hpp"
#include "poplar/DeviceManager.hpp"
#include "poplar/IPUModel.hpp"
#include "poplar/exceptions.hpp"
#include "simcore/poplar/graph/handles.h"
#include "simcore/poplar/inner.h"
#include "simcore/poplar/libs/library_call.h"

#include <bit>
#include <cstdlib>

namespace poplar {

using simcore::poplar::asPoplar;
using simcore::poplar::asPoplarOr;
namespace run = simcore::run;
namespace arch = simcore::arch;

namespace {
// The machine that the environment sets, for IPUModels too; null if unset.
const char* chosenMachine() {
  const char* name = std::getenv("TILESCOPE_MACHINE");
  return name && *name ? name : nullptr;
}
std::string machineOf(const std::string& version) {
  if (const char* chosen = chosenMachine()) return chosen;
  if (version == "ipu1") return "gc2";
  if (version == "ipu2") return "gc200";
  if (version == "ipu21") return "bow";
  throw invalid_machine_model("unknown IPU version '" + version + "': known are ipu1, ipu2 and ipu21");
}
} // namespace

Device::Inside& core::DeviceAccess::inside(const Device& device) {
  if (!device.m_inside)
    throw poplar_error("the Device was declared without a value: use DeviceManager::getDevices or IPUModel::createDevice");
  return *device.m_inside;
}
Device core::DeviceAccess::made(run::Device device, TargetType type, unsigned id) {
  Device made;
  made.m_inside = std::make_shared<Device::Inside>();
  made.m_inside->target = TargetAccess::made(device.getTarget(), type, TargetAccess::architectureOf(device.getTarget()));
  made.m_inside->device = std::move(device);
  made.m_inside->id = id;
  return made;
}

Device::Device() = default;
Device::Device(const Device&) = default;
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(const Device&) = default;
Device& Device::operator=(Device&&) noexcept = default;
Device::~Device() = default;

namespace {
Device::Inside& in(const Device& device) { return core::DeviceAccess::inside(device); }
} // namespace

unsigned Device::getId() const { return in(*this).id; }
const Target& Device::getTarget() const { return in(*this).target; }
bool Device::attach() const {
  auto& i = in(*this);
  return i.device.valid() ? i.device.attach() : (i.attached = true);
}
void Device::detach() const {
  auto& i = in(*this);
  i.attached = false;
  if (i.device.valid()) i.device.detach();
}
bool Device::isAttached() const { return in(*this).device.valid() ? in(*this).device.isAttached() : in(*this).attached; }
void Device::getDriverVersion(unsigned& major, unsigned& minor, unsigned& point) const { major = minor = point = 0; }
std::vector<int> Device::getDriverIDs() const {
  std::vector<int> ids(getTarget().getNumIPUs());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = int(i);
  return ids;
}
bool Device::supportsRemoteBuffers() const { return in(*this).target.getTargetType() != TargetType::CPU; }
std::map<std::string, std::string> Device::getAttributes() const {
  return {{"simulated", "true"}, {"machine", getTarget().getTargetSystemString()}};
}
Device Device::createVirtualDevice(unsigned tilesPerIpu) { return createVirtualDevice(getTarget().getNumIPUs(), tilesPerIpu); }
Device Device::createVirtualDevice(unsigned ipus, unsigned tilesPerIpu) {
  return asPoplarOr<invalid_machine_model>([&] {
    Device made;
    made.m_inside = std::make_shared<Inside>(in(*this));
    made.m_inside->target = getTarget().createVirtualTarget(ipus, tilesPerIpu);
    if (made.m_inside->device.valid() && ipus == getTarget().getNumIPUs())
      made.m_inside->device = made.m_inside->device.createVirtualDevice(int(tilesPerIpu));
    return made;
  });
}
Device Device::createSimulatorDevice(const Target& target, const OptionFlags& options) {
  simcore::poplar::ignoreOptions("Device::createSimulatorDevice", options);
  Device made;
  made.m_inside = std::make_shared<Inside>();
  made.m_inside->target = target;
  return made;
}
Device Device::createCPUDevice(unsigned ipus) { return createSimulatorDevice(Target::createCPUTarget(false, ipus)); }

struct DeviceManager::Inside {
  std::vector<Device> devices;
};

DeviceManager::DeviceManager() {
  auto inside = std::make_shared<Inside>();
  asPoplarOr<invalid_machine_model>([&] {
    for (const run::Device& device : run::DevicePod().getDevices())
      inside->devices.push_back(core::DeviceAccess::made(device, TargetType::IPU, unsigned(device.getId())));
  });
  m_inside = std::move(inside);
}
DeviceManager::DeviceManager(const DeviceManager&) = default;
DeviceManager::DeviceManager(DeviceManager&&) noexcept = default;
DeviceManager& DeviceManager::operator=(const DeviceManager&) = default;
DeviceManager::~DeviceManager() = default;

std::size_t DeviceManager::getNumDevices() const { return m_inside->devices.size(); }
std::vector<Device> DeviceManager::getDevices(const OptionFlags& options) const {
  simcore::poplar::ignoreOptions("DeviceManager", options);
  return m_inside->devices;
}
std::vector<Device> DeviceManager::getDevices(TargetType type, unsigned ipus, const OptionFlags& options) const {
  simcore::poplar::ignoreOptions("DeviceManager", options);
  std::vector<Device> found;
  if (type == TargetType::CPU) found.push_back(Device::createCPUDevice());
  if (type == TargetType::IPU_MODEL && ipus > 0) {
    IPUModel model;
    model.numIPUs = ipus;
    found.push_back(model.createDevice());
  }
  if (type == TargetType::IPU)
    for (const Device& device : m_inside->devices)
      if (device.getTarget().getNumIPUs() == ipus) found.push_back(device);
  return found;
}
Device DeviceManager::getDevice(unsigned id, const OptionFlags& options) const {
  simcore::poplar::ignoreOptions("DeviceManager", options);
  if (id >= m_inside->devices.size())
    throw poplar_error("device " + std::to_string(id) + " does not exist: devices are 0 to " +
                       std::to_string(m_inside->devices.size() - 1));
  return m_inside->devices[id];
}
Device DeviceManager::acquireAvailableDevice(unsigned ipus, const OptionFlags& options) const {
  simcore::poplar::ignoreOptions("DeviceManager", options);
  for (const Device& device : getDevices(TargetType::IPU, ipus))
    if (device.attach()) return device;
  throw poplar_error("no device with " + std::to_string(ipus) + " IPUs can be attached");
}
Device DeviceManager::acquireDeviceById(unsigned id, const OptionFlags& options) const {
  const Device device = getDevice(id, options);
  if (!device.attach()) throw poplar_error("device " + std::to_string(id) + " is in use");
  return device;
}
std::vector<unsigned> DeviceManager::getChildDeviceIds(unsigned parent, unsigned ipusOfChild) const {
  const unsigned ipus = getDevice(parent).getTarget().getNumIPUs();
  unsigned firstOfSize = 0, first = 0;
  for (unsigned size = 1; size < ipus; size *= 2) firstOfSize += 16 / size;
  first = (parent - firstOfSize) * ipus; // first IPU in the pod
  unsigned childrenBegin = 0;
  for (unsigned size = 1; size < ipusOfChild; size *= 2) childrenBegin += 16 / size;
  std::vector<unsigned> ids;
  for (unsigned i = first; i < first + ipus; i += ipusOfChild) ids.push_back(childrenBegin + i / ipusOfChild);
  return ids;
}

IPUModel::IPUModel(const char* ipuVersion) : version(ipuVersion ? ipuVersion : "ipu2") {
  asPoplarOr<invalid_machine_model>([&] {
    const arch::Machine m = arch::findMachine(machineOf(version), 0);
    tilesPerIPU = unsigned(m.tilesPerIpu);
    numWorkerContexts = unsigned(m.tile.workers);
    bytesPerTile = unsigned(m.tile.memory.value());
    exchangeBytesPerCycle = unsigned(m.exchange.bytesPerCycle);
    memcpyBytesPerCycle = unsigned(m.tile.dataPathBytes);
    minIPUSyncDelay = unsigned(m.exchange.internalSync.value());
    globalSyncCycles = unsigned(m.globalSync(2).value());
    tileClockFrequency = m.clockHz;
  });
}
IPUModel::IPUModel(const IPUModel&) = default;
IPUModel& IPUModel::operator=(const IPUModel&) = default;
IPUModel::~IPUModel() = default;

Device IPUModel::createDevice(OptionFlags options, bool accurateHalf, unsigned) const {
  simcore::poplar::ignoreArgument(accurateHalf, "IPUModel::createDevice", "accurateHalf (halves are always the machine's)");
  simcore::poplar::ignoreOptions("IPUModel::createDevice", options);
  return asPoplarOr<invalid_machine_model>([&] {
    arch::Machine m = arch::findMachine(machineOf(version), 0);
    if (numIPUs < 1) throw invalid_machine_model("a device must have at least one IPU");
    const auto warnIf = [](bool differs, const char* field) {
      if (differs)
        simcore::poplar::warnOnce(std::string("IPUModel::") + field + " has no effect here: the machine's own value is taken");
    };
    warnIf(numWorkerContexts != unsigned(m.tile.workers), "numWorkerContexts");
    warnIf(exchangeBytesPerCycle != unsigned(m.exchange.bytesPerCycle), "exchangeBytesPerCycle");
    warnIf(bytesPerTile != unsigned(m.tile.memory.value()), "bytesPerTile");
    warnIf(minIPUSyncDelay != unsigned(m.exchange.internalSync.value()), "minIPUSyncDelay");
    warnIf(tileClockFrequency != m.clockHz, "tileClockFrequency");
    warnIf(!globalExchangeConstraints.empty(), "globalExchangeConstraints");
    m.ipus = int(numIPUs);
    Target target = core::TargetAccess::made(m, TargetType::IPU_MODEL, core::TargetAccess::architectureOf(m));
    if (tilesPerIPU > 0) target = target.createVirtualTarget(numIPUs, tilesPerIPU);
    return Device::createSimulatorDevice(target);
  });
}

} // namespace poplar
