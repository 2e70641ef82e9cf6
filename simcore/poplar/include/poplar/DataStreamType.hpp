// The kinds of streams, by source and destination.
#pragma once

#include <ostream>

namespace poplar {

enum class DataStreamType { HostToDeviceFIFO, DeviceToHostFIFO, HostToDeviceBuffer, DeviceToHostBuffer, RemoteBuffer };
bool isDeviceToHost(DataStreamType type);
bool isHostToDevice(DataStreamType type);
bool isRemoteBuffer(DataStreamType type);
std::ostream& operator<<(std::ostream& out, const DataStreamType& type);

} // namespace poplar
