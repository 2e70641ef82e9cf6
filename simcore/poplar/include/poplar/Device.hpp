// A machine, or a part of one, onto which a program can be loaded. Devices are simulated. Copies of a device share whether it is
// attached.
#pragma once

#include "poplar/OptionFlags.hpp"
#include "poplar/Target.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace poplar {

namespace core {
struct DeviceAccess;
}

class Device {
public:
  Device(); // has no machine
  Device(const Device& other);
  Device(Device&& other) noexcept;
  Device& operator=(const Device& other);
  Device& operator=(Device&& other) noexcept;
  ~Device();

  unsigned getId() const;
  const Target& getTarget() const;
  // Returns false if another device holds one of its IPUs. Copies of a device hold its IPUs together.
  bool attach() const;
  void detach() const;
  bool isAttached() const;
  void getDriverVersion(unsigned& major, unsigned& minor, unsigned& point) const;
  std::vector<int> getDriverIDs() const;
  int getNumaTopologyNode() const { return 0; }
  bool supportsRemoteBuffers() const;
  bool hasGateway() const { return false; }
  void reset() const {}
  std::map<std::string, std::string> getAttributes() const;
  std::string getAttribute(const std::string& name) const { return getAttributes()[name]; }

  // The same device with fewer tiles on each IPU.
  Device createVirtualDevice(unsigned tilesPerIpu);
  Device createVirtualDevice(unsigned ipus, unsigned tilesPerIpu);
  static Device createCPUDevice(unsigned ipus = 1); // each IPU has one tile
  static Device createSimulatorDevice(const Target& target, const OptionFlags& options = {});

  struct Inside;

private:
  friend struct core::DeviceAccess;
  std::shared_ptr<Inside> m_inside;
};

} // namespace poplar
