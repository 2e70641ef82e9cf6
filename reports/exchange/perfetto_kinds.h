// Perfetto's names for the kinds of its packets and of kernel events, to name those that are not shown.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace reports::exchange {

// The name of a field of TracePacket, such as "gpu_log"; "packet field 7000" for an unknown one.
std::string perfettoPacketKind(uint32_t field);
// Fields without trace data: ids, times, names of a writer, configuration and statistics of the tracer.
bool isPerfettoBookkeeping(uint32_t field);
// The names of fields of FtraceEvent and TrackEvent.
std::string perfettoFtraceKind(uint32_t field);
std::string perfettoEventField(uint32_t field);

} // namespace reports::exchange
