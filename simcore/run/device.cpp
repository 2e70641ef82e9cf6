#include "simcore/run/device.h"

#include "reports/core/error.h"
#include "simcore/graph/graph.h"
#include "simcore/numerics/half.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace simcore::run {

using reports::Error;
using reports::ErrorCode;

namespace {

constexpr int kPodIpus = 16;

arch::Machine withTiles(const arch::Machine& machine, int tilesPerIpu) {
  if (tilesPerIpu == 0 || tilesPerIpu == machine.tilesPerIpu) return machine;
  return graph::Graph(machine).createVirtualGraph(int64_t(tilesPerIpu)).getTarget(); // throws for tiles that do not exist
}

} // namespace

struct Device::Pod {
  std::vector<bool> taken = std::vector<bool>(kPodIpus, false);
};

// The IPUs of the pod that a device holds together with its virtual devices.
struct Device::Hold {
  std::shared_ptr<Pod> pod; // null for a model, which is always free
  int firstIpu = 0, ipus = 1;
  bool attached = false;

  void mark(bool taken) {
    attached = taken;
    if (pod) std::fill_n(pod->taken.begin() + firstIpu, ipus, taken);
  }
  ~Hold() {
    if (attached) mark(false);
  }
};

struct Device::State {
  std::shared_ptr<Hold> hold = std::make_shared<Hold>();
  int id = 0;
  arch::Machine machine;
};

Device::State& Device::state() const {
  if (!m_state)
    throw Error(ErrorCode::InvalidInput, "the device was declared without a value", "Device",
                "use DevicePod::getDevices or IpuModel::createDevice");
  return *m_state;
}

int Device::getId() const { return state().id; }
const arch::Machine& Device::getTarget() const { return state().machine; }
bool Device::isAttached() const { return state().hold->attached; }

bool Device::attach() const {
  Hold& hold = *state().hold;
  if (hold.attached) return true;
  if (hold.pod) {
    const auto first = hold.pod->taken.begin() + hold.firstIpu;
    if (std::find(first, first + hold.ipus, true) != first + hold.ipus) return false;
  }
  hold.mark(true);
  return true;
}

void Device::detach() const {
  if (isAttached()) state().hold->mark(false);
}

Device Device::createVirtualDevice(int tilesPerIpu) const {
  auto s = std::make_shared<State>(state());
  s->machine = withTiles(s->machine, tilesPerIpu);
  return Device(std::move(s));
}

DevicePod::DevicePod() {
  static const auto pod = std::make_shared<Device::Pod>(); // one pod per process
  const char* const named = std::getenv("TILESCOPE_MACHINE");
  const std::string name = named && *named ? named : "gc200";
  for (int size = 1; size <= kPodIpus; size *= 2)
    for (int first = 0; first < kPodIpus; first += size) {
      auto s = std::make_shared<Device::State>();
      s->hold->pod = pod;
      s->hold->firstIpu = first;
      s->hold->ipus = size;
      s->id = int(m_devices.size());
      s->machine = arch::findMachine(name, 0);
      s->machine.ipus = size;
      m_devices.push_back(Device(std::move(s)));
    }
}

std::vector<Device> DevicePod::getDevices(TargetType type, int ipus) const {
  std::vector<Device> found;
  if (type == TargetType::Ipu)
    for (const Device& d : m_devices)
      if (d.getTarget().ipus == ipus) found.push_back(d);
  return found;
}

Device DevicePod::getDevice(int id) const {
  if (id < 0 || std::size_t(id) >= m_devices.size())
    throw Error(ErrorCode::NotFound, "device " + std::to_string(id) + " does not exist", "DevicePod::getDevice",
                "devices are 0 to " + std::to_string(int64_t(m_devices.size()) - 1));
  return m_devices[std::size_t(id)];
}

Device IpuModel::createDevice() const {
  const char* const name = version == "ipu1" ? "gc2" : version == "ipu2" ? "gc200" : version == "ipu21" ? "bow" : nullptr;
  if (!name)
    throw Error(ErrorCode::NotFound, "unknown IPU version '" + version + "'", "IpuModel", "known are ipu1, ipu2 and ipu21");
  if (numIPUs < 1 || (numIPUs & (numIPUs - 1)))
    throw Error(ErrorCode::InvalidInput, "a device cannot have " + std::to_string(numIPUs) + " IPUs", "IpuModel",
                "their number is a power of two");
  auto s = std::make_shared<Device::State>();
  s->machine = arch::findMachine(name, 0);
  s->machine.ipus = numIPUs;
  s->machine = withTiles(s->machine, tilesPerIPU);
  return Device(std::move(s));
}

void copyFloatToDeviceHalf(const float* from, void* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const uint16_t bits = numerics::halfBits(from[i]);
    std::memcpy(static_cast<std::byte*>(to) + i * sizeof bits, &bits, sizeof bits);
  }
}

void copyDeviceHalfToFloat(const void* from, float* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, static_cast<const std::byte*>(from) + i * sizeof bits, sizeof bits);
    to[i] = numerics::halfValue(bits);
  }
}

} // namespace simcore::run
