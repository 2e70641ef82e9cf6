// Indices that cannot be mixed up: a TileId is not a VariableId. Four bytes; the invalid id is the largest value.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace reports {

template<class Tag> class Id {
public:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  constexpr Id() = default;
  constexpr explicit Id(std::size_t v) : m_value(static_cast<uint32_t>(v)) {}
  constexpr uint32_t value() const { return m_value; }
  constexpr bool valid() const { return m_value != kNone; }
  constexpr auto operator<=>(const Id&) const = default;

private:
  uint32_t m_value = kNone;
};

using StringId = Id<struct StringTag>;
using DebugContextId = Id<struct DebugContextTag>;
using IpuId = Id<struct IpuTag>;
using TileId = Id<struct TileTag>; // over all IPUs: ipu * tilesPerIpu + tile
using VariableId = Id<struct VariableTag>;
using ComputeSetId = Id<struct ComputeSetTag>;
using VertexTypeId = Id<struct VertexTypeTag>;
using ExchangeId = Id<struct ExchangeTag>;
using ProgramStepId = Id<struct ProgramStepTag>;
using StepProfileId = Id<struct StepProfileTag>;
using TrackId = Id<struct TrackTag>;
using OperationId = Id<struct OperationTag>;

} // namespace reports

template<class Tag> struct std::hash<reports::Id<Tag>> {
  std::size_t operator()(reports::Id<Tag> id) const noexcept { return std::hash<uint32_t>()(id.value()); }
};
