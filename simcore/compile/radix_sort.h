// A stable sort by integers in linear time, for addresses and sizes of many tiles with thousands of entries each.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

namespace simcore::compile {

struct Keyed {
  uint64_t key;
  uint32_t index;
};

// Ascending by key; equal keys keep their order. `buffer` is working memory, reused by the next call.
inline void radixSort(std::vector<Keyed>& items, std::vector<Keyed>& buffer) {
  constexpr int kMostBits = 11;
  constexpr std::size_t kMany = 1024;
  const int bits = items.size() < kMany ? 8 : kMostBits; // a pass has a counter for every digit
  const uint64_t digits = uint64_t(1) << bits;
  uint64_t largest = 0;
  for (const Keyed& i : items) largest = std::max(largest, i.key);
  buffer.resize(items.size());
  for (int shift = 0; shift < 64 && largest >> shift; shift += bits) {
    const auto digitOf = [=](const Keyed& i) { return (i.key >> shift) & (digits - 1); };
    std::array<uint32_t, std::size_t(1) << kMostBits> place;
    std::fill_n(place.begin(), digits, 0u);
    for (const Keyed& i : items) ++place[digitOf(i)];
    std::exclusive_scan(place.begin(), place.begin() + std::ptrdiff_t(digits), place.begin(), 0u);
    for (const Keyed& i : items) buffer[place[digitOf(i)]++] = i;
    items.swap(buffer);
  }
}

} // namespace simcore::compile
