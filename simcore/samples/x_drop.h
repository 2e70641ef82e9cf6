// X-drop alignment: pairs of sequences that share a seed, extended to both sides until the score falls too far below its best.
#pragma once

#include "simcore/samples/sample.h"

#include <cstdint>
#include <vector>

namespace simcore::samples {

Sample xDrop();

// Pairs of sequences of four bases (0 to 3) with a seed of equal bases in both. Some are two readings of one sequence, with errors; the
// others have only the seed in common.
struct SeededPair {
  static constexpr int64_t kSeed = 17; // bases of a seed
  std::vector<uint8_t> a, b;
  int64_t seedA = 0, seedB = 0; // where it begins
};
std::vector<SeededPair> seededPairsOf(const Parameters& parameters, int64_t seed);

// Scores: 1 for equal bases, -1 for others and for a base left out.
struct Extension {
  int32_t score = 0;
  int64_t cells = 0, antidiagonals = 0; // that were computed
};
// The best score of aligning beginnings of two sequences, by antidiagonals (Zhang, Schwartz, Wagner and Miller 2000): cells more than
// `drop` below the best of all antidiagonals before are dropped, and the search ends if no cell is left, or if the remaining cells span
// more than `room` cells.
Extension extend(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b, int32_t drop, int64_t room);

} // namespace simcore::samples
