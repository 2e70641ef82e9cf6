// Simulated devices, found and attached like real ones. The pod has 16 IPUs; its devices are the single IPUs and the groups of 2,
// 4, 8 and 16. A device is a small value that may be copied, moved and assigned. Copies are attached together; the IPUs are free
// when the last copy is destroyed.
#pragma once

#include "simcore/arch/machine.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simcore::run {

enum class TargetType { Ipu, IpuModel, Cpu };

class Device {
public:
  Device() = default; // not valid(): without a pod
  bool valid() const { return m_state != nullptr; }
  int getId() const;
  const arch::Machine& getTarget() const;
  // False if another device holds one of its IPUs. Throws Error(InvalidInput) for a device without a pod.
  bool attach() const;
  void detach() const;
  bool isAttached() const;
  bool supportsRemoteBuffers() const { return valid(); }
  // The same device with fewer tiles on each IPU; both are attached together.
  Device createVirtualDevice(int tilesPerIpu) const;

private:
  friend class DevicePod;
  friend struct IpuModel;
  struct Pod;
  struct Hold;
  struct State;
  explicit Device(std::shared_ptr<State> state) : m_state(std::move(state)) {}
  State& state() const;
  std::shared_ptr<State> m_state;
};

class DevicePod {
public:
  // The pod's machine is the one named by the environment variable TILESCOPE_MACHINE, by default gc200.
  DevicePod();
  static DevicePod createDeviceManager() { return DevicePod(); }

  std::size_t getNumDevices() const { return m_devices.size(); }
  std::vector<Device> getDevices() const { return m_devices; }
  // Devices with `ipus` IPUs, in order of their ids; empty for a target type other than Ipu, or if no group has this number.
  std::vector<Device> getDevices(TargetType type, int ipus) const;
  Device getDevice(int id) const; // throws Error(NotFound)

private:
  std::vector<Device> m_devices;
};

// A device made from a description; it is always free.
struct IpuModel {
  std::string version = "ipu2"; // ipu1: GC2, ipu2: GC200, ipu21: Bow
  int numIPUs = 1;
  int tilesPerIPU = 0; // 0: all
  Device createDevice() const;
};

// Converts values for a stream or handle of halves, and back: the machine's halves are two bytes, rounded to nearest even.
void copyFloatToDeviceHalf(const float* from, void* to, std::size_t count);
void copyDeviceHalfToFloat(const void* from, float* to, std::size_t count);

} // namespace simcore::run
