#include "reports/exchange/packed_slices.h"

namespace reports::exchange {

void packSlices(TraceTrack& track) {
  if (track.slices.size() < kSlicesToPack) return;
  PackedSlices block;
  block.count = track.slices.size();
  std::vector<int64_t> column(block.count);
  const auto fill = [&](auto value) -> const std::vector<int64_t>& {
    for (std::size_t i = 0; i < block.count; ++i) column[i] = value(track.slices[i]);
    return column;
  };
  const auto tight = [](Blob blob) {
    blob.shrink_to_fit();
    return blob;
  };
  block.starts = tight(packDeltas(fill([](const TraceSlice& s) { return s.start; })));
  block.durations = tight(packVarints(fill([](const TraceSlice& s) { return s.end - s.start; })));
  block.names = tight(packVarints(fill([](const TraceSlice& s) { return int64_t(s.name); })));
  block.details = tight(packVarints(fill([](const TraceSlice& s) { return int64_t(s.details) + 1; })));
  block.orders = tight(packDeltas(fill([](const TraceSlice& s) { return int64_t(s.order); })));
  block.channels.reserve(block.count);
  for (const TraceSlice& s : track.slices) block.channels.push_back(s.channel);
  track.packed.push_back(std::move(block));
  track.slices.clear();
}

void unpackSlices(TraceTrack& track) {
  if (track.packed.empty()) return;
  std::size_t count = track.slices.size();
  for (const PackedSlices& block : track.packed) count += block.count;
  std::vector<TraceSlice> all;
  all.reserve(count);
  for (PackedSlices& block : track.packed) {
    const char* const what = "slices in memory";
    const auto starts = unpackDeltas(block.starts, block.count, what),
               durations = unpackVarints(block.durations, block.count, what);
    const auto names = unpackVarints(block.names, block.count, what), details = unpackVarints(block.details, block.count, what);
    const auto orders = unpackDeltas(block.orders, block.count, what);
    for (std::size_t i = 0; i < block.count; ++i)
      all.push_back({starts[i], starts[i] + durations[i], uint32_t(names[i]), int32_t(details[i] - 1), uint32_t(orders[i]),
                     block.channels[i], 0});
    block = {};
  }
  all.insert(all.end(), track.slices.begin(), track.slices.end());
  track.slices = std::move(all);
  track.packed.clear();
}

} // namespace reports::exchange
