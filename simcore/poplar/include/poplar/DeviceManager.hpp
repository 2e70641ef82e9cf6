// Finds the devices of a simulated pod of 16 IPUs: single ones, and groups of 2, 4, 8 and 16. The environment variable
// TILESCOPE_MACHINE names the machine; the default is a GC200.
#pragma once

#include "poplar/Device.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace poplar {

class DeviceManager {
public:
  DeviceManager();
  DeviceManager(const DeviceManager& other);
  DeviceManager(DeviceManager&& other) noexcept;
  DeviceManager& operator=(const DeviceManager& other);
  ~DeviceManager();
  static DeviceManager createDeviceManager() { return DeviceManager(); }

  std::size_t getNumDevices() const;
  std::vector<Device> getDevices(const OptionFlags& options = {}) const;
  // Returns no device if no group has this number of IPUs.
  std::vector<Device> getDevices(TargetType type, unsigned ipus, const OptionFlags& options = {}) const;
  Device getDevice(unsigned id, const OptionFlags& options = {}) const; // throws poplar_error for an unknown id
  // Attaches the first device that can be attached. Throws poplar_error if there is none.
  Device acquireAvailableDevice(unsigned ipus, const OptionFlags& options = {}) const;
  Device acquireDeviceById(unsigned id, const OptionFlags& options = {}) const;
  std::vector<unsigned> getChildDeviceIds(unsigned parent, unsigned ipusOfChild = 1) const;

private:
  struct Inside;
  std::shared_ptr<const Inside> m_inside;
};

} // namespace poplar
