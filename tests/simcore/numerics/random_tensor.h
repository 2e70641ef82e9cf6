// Deterministic random tensors for kernel tests.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <random>

namespace tests {

inline simcore::numerics::HostTensor randomTensor(const simcore::numerics::Shape& shape, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(std::size_t(simcore::numerics::elementCount(shape)));
  for (float& value : values) value = float(random() % 2001) / 1000.0f - 1.0f;
  return simcore::numerics::HostTensor::of(shape, values);
}

// Largest difference relative to 1 + the expected magnitude; infinite for other shapes.
inline double difference(const simcore::numerics::HostTensor& a, const simcore::numerics::HostTensor& b) {
  if (a.shape() != b.shape()) return 1e300;
  double worst = 0;
  for (std::int64_t i = 0; i < a.count(); ++i) {
    const double error = std::abs(a.at(i) - b.at(i)) / (1 + std::abs(b.at(i)));
    worst = error > worst || error != error ? error : worst;
  }
  return worst;
}

} // namespace tests
