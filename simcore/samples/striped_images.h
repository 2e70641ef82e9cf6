// Images that networks can learn to classify: noise under stripes whose width and direction depend on the label.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <map>
#include <string>

namespace simcore::samples {

struct PictureShape {
  int64_t batch = 1, size = 224, classes = 1000;
  bool areBytes = false; // uint8: value v as round(kByteMean + kByteDeviation v)
};
inline constexpr double kByteMean = 128, kByteDeviation = 64;

// The inputs "images" [batch, 3, size, size], float or uint8, drawn when first read, and "labels" on request.
std::map<std::string, numerics::HostTensor> stripedBatch(const PictureShape& shape, uint64_t seed, bool withLabels);

} // namespace simcore::samples
