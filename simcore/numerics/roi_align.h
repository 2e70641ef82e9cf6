// Kernels that read regions of feature maps, and the inverse of a maximum pool. Numbers are float.
#pragma once

#include "simcore/numerics/host_tensor.h"

namespace simcore::numerics {

struct RegionParameters {
  std::int64_t height = 1, width = 1; // of the result
  double scale = 1;                   // from the regions' coordinates to those of the map
  std::int64_t samples = 0;           // per bin and direction; 0: the number of elements in the bin
  bool halfPixel = true;              // coordinates are those of element centres
  bool takesMaximum = false;          // of the samples' weighted neighbours, as in ONNX Runtime; false: mean of the samples
};

// The elements of a map that a bin reads. The bin's value is the sum of its taps / `divisor`, or their maximum; 0 without taps. A
// tile that holds only some rows of a map visits the same taps.
struct RegionTap {
  std::int64_t row = 0, column = 0;
  double weight = 1;
};
struct RegionBin {
  std::vector<RegionTap> taps;
  double divisor = 1;
  bool takesMaximum = false;
  bool reachesOutside = false; // reads samples outside the map, which are 0 and count in a maximum
};
// The bin (row, column) of a region, as read by alignRegions() or maxPoolRegions(); `x` is the input's shape.
RegionBin alignedBin(const HostTensor& regions, std::int64_t region, std::int64_t row, std::int64_t column, const Shape& x,
                     const RegionParameters& parameters);
RegionBin pooledBin(const HostTensor& regions, std::int64_t region, std::int64_t row, std::int64_t column, const Shape& x,
                    const RegionParameters& parameters);
// Throws reports::Error(InvalidInput) for an image that x does not have.
std::int64_t regionImage(double image, const Shape& x);

// x [N, C, H, W], regions [r, 4] of (x1, y1, x2, y2) in image `images`[r] -> [r, C, height, width], with bilinear samples. This
// and the functions below throw reports::Error(InvalidInput) for shapes that do not match and for images outside x.
HostTensor alignRegions(const HostTensor& x, const HostTensor& regions, const HostTensor& images,
                        const RegionParameters& parameters);

// Regions [r, 5] of (image, x1, y1, x2, y2), rounded to elements; the maximum of each bin, 0 for an empty one.
HostTensor maxPoolRegions(const HostTensor& x, const HostTensor& regions, const RegionParameters& parameters);

// The gradient of x from the gradient of the result. Each element gets the gradient times the weight with which it was read; of a
// maximum, the first largest element gets the whole gradient. Positions of regions have no gradient, as in torchvision.
HostTensor alignRegionsGradient(const HostTensor& gradient, const HostTensor& x, const HostTensor& regions,
                                const HostTensor& images, const RegionParameters& parameters);
HostTensor maxPoolRegionsGradient(const HostTensor& gradient, const HostTensor& x, const HostTensor& regions,
                                  const RegionParameters& parameters);

// Zeros of `shape` with x's elements at the flat `positions`.
HostTensor unpool(const HostTensor& x, const HostTensor& positions, const Shape& shape);

} // namespace simcore::numerics
