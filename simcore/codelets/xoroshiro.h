// The random number generator of a tile: xoroshiro128aox, one state per worker, with poprand's seeding. Numbers are computed from
// the state before its update. Source: ipu-reference 10 (Hanlon & Felix, arXiv 2203.04058; poprand Seeds.S).
#pragma once

#include <array>
#include <cstdint>

namespace simcore::codelets {

class Xoroshiro128aox {
public:
  constexpr Xoroshiro128aox(uint64_t s0, uint64_t s1) : m_s0(s0), m_s1(s1) {}

  // The state of a worker after poprand's seeding: s0 = the master seed; s1 = the user modifier in the high word and the hardware
  // modifier or worker number in the low word; then fifteen draws are discarded.
  static Xoroshiro128aox forWorker(uint64_t masterSeed, uint32_t worker, uint32_t userModifier = 0,
                                   uint32_t hardwareModifier = 0);

  constexpr uint64_t next() {
    const uint64_t x = m_s0 ^ m_s1, a = m_s0 & m_s1;
    const uint64_t out = x ^ (rotl(a, 1) | rotl(a, 2));
    m_s0 = rotl(m_s0, 55) ^ x ^ (x << 14);
    m_s1 = rotl(x, 36);
    return out;
  }
  bool operator==(const Xoroshiro128aox&) const = default;
  constexpr uint64_t s0() const { return m_s0; }
  constexpr uint64_t s1() const { return m_s1; }

  // Two floats or four halves per 64-bit draw, in [-0.5, 0.5): a fraction of 32 or 16 bits less one half.
  std::array<float, 2> uniformFloats();
  std::array<float, 4> uniformHalves();
  // Approximately normal with mean 0 and variance 1: the sum of twelve five-bit parts of one draw, so between -5.8125 and 5.8125.
  float normal();

private:
  static constexpr uint64_t rotl(uint64_t v, int by) { return (v << by) | (v >> (64 - by)); }
  uint64_t m_s0, m_s1;
};

// A uniform value between low and high, from u in [-0.5, 0.5): scale x u + (offset + scale / 2).
inline float uniformBetween(float u, float low, float high) {
  const float scale = high - low;
  return scale * u + (low + scale / 2);
}

} // namespace simcore::codelets
