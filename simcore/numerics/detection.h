// Kernels of object detection and spatial transformers.
#pragma once

#include "simcore/numerics/host_tensor.h"

#include <optional>

namespace simcore::numerics {

struct SuppressionParameters {
  std::int64_t maximumPerClass = 0;     // 0: no box is chosen
  double overlapThreshold = 0;          // intersection over union above which the box with the lower score is dropped
  std::optional<double> scoreThreshold; // scores must be above it
  bool centreFormat = false;            // boxes are [x centre, y centre, width, height], else two corners [y, x, y, x]
};
// Intersection over union of two boxes of four values.
float boxOverlap(const float* a, const float* b, bool centreFormat);
// boxes [batch, n, 4], scores [batch, classes, n] -> Int64 [chosen, 3] of (batch, class, box), best first per class.
HostTensor nonMaxSuppression(const HostTensor& boxes, const HostTensor& scores, const SuppressionParameters& parameters);

enum class GridMode { Bilinear, Nearest, Bicubic };
enum class GridPadding { Zeros, Border, Reflection };
struct GridParameters {
  GridMode mode = GridMode::Bilinear;
  GridPadding padding = GridPadding::Zeros;
  bool alignCorners = false;
};
// x [N, C, H, W] read at grid [N, h, w, 2] of (x, y) in [-1, 1] -> [N, C, h, w].
HostTensor gridSample(const HostTensor& x, const HostTensor& grid, const GridParameters& parameters);
// The gradients of x and of the grid, as torch defines them. A position that padding moves to an edge has no gradient along that
// axis; with nearest interpolation the grid has no gradient.
struct GridGradients {
  HostTensor x, grid;
};
GridGradients gridSampleGradient(const HostTensor& gradient, const HostTensor& x, const HostTensor& grid,
                                 const GridParameters& parameters);

} // namespace simcore::numerics
