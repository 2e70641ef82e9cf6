// Repetitions in a lane of the trace: the same sequence of steps several times in a row. The plot shows such a stretch as one
// band, "12 × (exchange, matmul)".
#pragma once

#include "analyser/trace/slices.h"

#include <span>

namespace analyser::trace {

struct Repeat {
  std::size_t first = 0;  // index in the sequence
  std::size_t period = 0; // slices per round
  std::size_t times = 0;  // rounds, at least kFewestRepeats
  std::size_t size() const { return period * times; }
};
inline constexpr std::size_t kFewestRepeats = 3;
inline constexpr std::size_t kLongestPeriod = 4096; // a pipeline's cycle has as many steps as a stage

// The repeats of a sequence, disjoint and ascending. From left to right, takes at each position the period that covers most
// (ties: the shortest, so that equal neighbours are one repeated step). Covers whole rounds only. A round has at most
// kLongestPeriod steps, and its first step occurs in it at most kMostOfFirst times, so that the time is linear in the length, not
// quadratic.
inline constexpr int kMostOfFirst = 512;
std::vector<Repeat> repeatsOf(std::span<const uint64_t> sequence, std::stop_token stop = {});

// A stretch of one lane in which steps repeat, inside one slice of the lane above.
struct RepeatedSteps {
  TickRange ticks;                   // from the begin of the first to the end of the last
  Repeat repeat;                     // in slices of the lane
  std::vector<StringId> names;       // of one round, at most kNamedSteps
  uint8_t category = 0;              // with most busy ticks
  int64_t busy = 0;                  // ticks that its slices cover
  int64_t shortest = 0, longest = 0; // ticks from the begin of a round to the begin of the next
};
inline constexpr std::size_t kNamedSteps = 4;

// For a whole lane. Reads all of its slices; returns nothing for lanes with more than `most`.
std::vector<RepeatedSteps> repeatedSteps(Slices& slices, TrackId track, int depth, int64_t most, std::stop_token stop = {});

} // namespace analyser::trace
