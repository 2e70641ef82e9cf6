// The closed lists that all layers share: activities (how a step spends its time) and memory categories (the use of a tile's
// bytes). They are in display order; the numbers are stored in reports and never change.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace reports {

enum class Activity : uint8_t {
  Compute = 0,
  OnTileCopy = 1,
  InternalExchange = 2,
  GlobalExchange = 3,
  HostStream = 4,
  Sync = 5,
  Control = 6,
  Idle = 7,
  Scope = 8, // Scope: a named span around steps, never counted as time spent
};
inline constexpr int kActivityCount = 9;

// camelCase names of Poplar's storage categories (Graph Analyser user guide, profile-data reference).
enum class MemoryCategory : uint8_t {
  Variable = 0,
  Constant = 1,
  VertexCode = 2,
  InternalExchangeCode = 3,
  ControlCode = 4,
  VertexInstanceState = 5,
  Stack = 6,
  Message = 7,
  VertexFieldData = 8,
  CopyDescriptor = 9,
  VectorListDescriptor = 10,
  ControlTable = 11,
  ControlId = 12,
  HostExchangeCode = 13,
  HostExchangePacketHeader = 14,
  HostMessage = 15,
  GlobalExchangeCode = 16,
  GlobalExchangePacketHeader = 17,
  GlobalMessage = 18,
  InstrumentationResults = 19,
  Rearrangement = 20,
  SharedCodeStorage = 21,
  SharedDataStorage = 22,
};
inline constexpr int kMemoryCategoryCount = 23;

std::string_view activityName(Activity a);              // "compute", "on-tile copy", …
std::string_view memoryCategoryName(MemoryCategory c);  // "vertexCode", …
std::string_view memoryCategoryTitle(MemoryCategory c); // "Vertex code", for people
std::optional<MemoryCategory> memoryCategoryFromName(std::string_view name);
bool isCode(MemoryCategory c); // executable, so never in interleaved memory

} // namespace reports
