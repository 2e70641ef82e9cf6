// Tensors of random numbers like poprand's: every worker of a tile has its own generator, seeded from (seed, tile, worker), and
// the workers take turns with vectors. So numbers depend only on seed and layout, and a tile draws the same numbers whether
// numbers are computed at once or tile by tile. A step that runs again, in a loop or in the next run of an engine, continues with
// the state of its generators.
#pragma once

#include "simcore/codelets/random.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

struct RandomNumbers {
  codelets::RandomKind kind = codelets::RandomKind::Uniform;
  double low = -1, high = 1;       // Uniform; integers are below `high`
  double mean = 0, deviation = 1;  // Normal and TruncatedNormal
  double truncation = 2;           // deviations beyond which TruncatedNormal draws again
  double probability = 0.5;        // probability of a one in Bernoulli
  codelets::RandomOptions options; // options for the cost
};
// The finaliser of splitmix64, for numbers that differ in few bits. Except for its last step the generator is linear: states that
// differ by the same bits on every tile, like those of two calls, give correlated numbers.
uint64_t mixedBits(uint64_t number);

// Seed of the generators: a number, or two words on the machine with a number that distinguishes calls with the same words. A
// number seeds them once per engine, together with the engine's seed and the replica, so replicas draw different numbers. Words
// seed them whenever the step runs, as in poprand: change the words to draw other numbers in the next iteration. Words are mixed
// before use, so that similar words give unrelated numbers.
struct RandomSeed {
  RandomSeed(uint64_t number, bool isFixed = false) : value(number), fixed(isFixed) {}
  RandomSeed(const Tensor& twoWords, uint32_t modifier = 0) : value(modifier), words(twoWords) {}
  uint64_t value;
  Tensor words = {};
  bool fixed = false; // ignores the engine's seed
};
// Fills `x`, which must have a layout. Dropout is not a fill: throws Error(Unsupported).
void fillRandom(const OpBuilder& builder, const Tensor& x, const RandomNumbers& numbers, const RandomSeed& seed);
// Each element of x is kept with probability `keep` and multiplied by `scale`, else 0 (poprand dropout, where scale is usually 1
// / keep). `byElement`: draws numbers as for a linearly mapped tensor, so that the same words drop the same elements for any
// mapping of x; poprand has a reference tensor for that.
Tensor dropout(const OpBuilder& builder, const Tensor& x, double keep, double scale, const RandomSeed& seed,
               bool byElement = false);
// Draws two uint32 for a RandomSeed, different whenever the step runs. `number`, a seed without words, seeds the generator that
// draws them.
Tensor drawSeed(const OpBuilder& builder, const RandomSeed& number);

} // namespace simcore::ops
