#include "simcore/codelets/xoroshiro.h"

namespace simcore::codelets {

Xoroshiro128aox Xoroshiro128aox::forWorker(uint64_t masterSeed, uint32_t worker, uint32_t userModifier,
                                           uint32_t hardwareModifier) {
  Xoroshiro128aox generator(masterSeed, (uint64_t(userModifier) << 32) | (hardwareModifier | worker));
  for (int i = 0; i < 15; ++i) generator.next();
  return generator;
}

std::array<float, 2> Xoroshiro128aox::uniformFloats() {
  const uint64_t bits = next();
  // Only 24 of 32 bits are used, as many as fit a float; more could round up to 0.5.
  const auto fraction = [](uint32_t word) { return float(word >> 8) * 0x1p-24f - 0.5f; };
  return {fraction(uint32_t(bits)), fraction(uint32_t(bits >> 32))};
}

std::array<float, 4> Xoroshiro128aox::uniformHalves() {
  const uint64_t bits = next();
  std::array<float, 4> values{};
  for (std::size_t i = 0; i < 4; ++i) values[i] = float(uint16_t(bits >> (16 * i))) * 0x1p-16f - 0.5f;
  return values;
}

float Xoroshiro128aox::normal() {
  uint64_t bits = next();
  int sum = 0;
  for (int i = 0; i < 12; ++i, bits >>= 5) sum += int(bits & 31);
  return float(sum - 186) / 32.0f; // twelve values of mean 15.5 and standard deviation 32 / sqrt(12)
}

} // namespace simcore::codelets
