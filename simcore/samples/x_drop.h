// X-drop alignment: extends pairs of sequences from a common seed to both sides until the score drops too far below its best.
#pragma once

#include "simcore/samples/sample.h"

#include <cstdint>
#include <vector>

namespace simcore::samples {

Sample xDrop();

// Pairs of sequences of four bases (0 to 3), each with a seed of equal bases. Some pairs are two readings of one sequence, with
// errors; the others share only the seed.
struct SeededPair {
  static constexpr int64_t kSeed = 17; // bases of a seed
  std::vector<uint8_t> a, b;
  int64_t seedA = 0, seedB = 0; // begin of the seed
};
std::vector<SeededPair> seededPairsOf(const Parameters& parameters, int64_t seed);

// Scores: 1 for equal bases, -1 for different bases and for a gap.
struct Extension {
  int32_t score = 0;
  int64_t cells = 0, antidiagonals = 0; // number of computed cells and antidiagonals
};
// The best score for aligning prefixes of two sequences, by antidiagonals (Zhang, Schwartz, Wagner and Miller 2000). Cells more
// than `drop` below the best of all earlier antidiagonals are dropped. The search ends if no cell is left, or if the remaining
// cells span more than `room` cells.
Extension extend(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b, int32_t drop, int64_t room);

} // namespace simcore::samples
