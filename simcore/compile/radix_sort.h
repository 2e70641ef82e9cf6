// A stable sort by whole numbers in time that grows with their count: for addresses and sizes of many tiles, each of which has thousands.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace simcore::compile {

struct Keyed {
  uint64_t key;
  uint32_t index;
};

// Ascending by key; equal keys keep their order. `buffer` is memory for the work, kept for the next call.
inline void radixSort(std::vector<Keyed>& items, std::vector<Keyed>& buffer) {
  constexpr int kBits = 8;
  constexpr uint64_t kDigits = uint64_t(1) << kBits;
  uint64_t largest = 0;
  for (const Keyed& i : items) largest = std::max(largest, i.key);
  buffer.resize(items.size());
  for (int shift = 0; shift < 64 && largest >> shift; shift += kBits) {
    const auto digitOf = [&](const Keyed& i) { return (i.key >> shift) & (kDigits - 1); };
    std::array<uint32_t, kDigits> place{};
    for (const Keyed& i : items) ++place[digitOf(i)];
    uint32_t before = 0;
    for (uint32_t& p : place) {
      const uint32_t count = p;
      p = before;
      before += count;
    }
    for (const Keyed& i : items) buffer[place[digitOf(i)]++] = i;
    items.swap(buffer);
  }
}

} // namespace simcore::compile
