// Interpolation of any dimensions to other sizes, following ONNX's Resize. The interpolation is separable: one dimension after
// another, the last first; linear interpolation of float images uses its four neighbours at once.
#pragma once

#include "simcore/numerics/host_tensor.h"

namespace simcore::numerics {

enum class ResizeMode { Nearest, Linear, Cubic };
enum class ResizeCoordinates { HalfPixel, PytorchHalfPixel, AlignCorners, Asymmetric, TfCropAndResize, TfHalfPixelForNearest };
// Shrinking: rounds up if the axis shrinks, else down, as in ONNX Runtime for operators without a rounding mode (opset 10).
enum class NearestRounding { PreferFloor, PreferCeil, Floor, Ceil, Shrinking };

struct ResizeParameters {
  ResizeMode mode = ResizeMode::Nearest;
  ResizeCoordinates coordinates = ResizeCoordinates::HalfPixel;
  NearestRounding rounding = NearestRounding::PreferFloor;
  double cubicCoefficient = -0.75;
  bool excludeOutside = false;   // cubic: neighbours outside the input get no weight
  double extrapolationValue = 0; // for TfCropAndResize: the value outside the input
  std::vector<double> scales;    // per dimension, output size / input size; computed from `sizes` if not given
  Shape sizes;                   // per dimension; computed from `scales` if not given
  std::vector<double> region;    // TfCropAndResize: all starts, then all ends, as fractions
};

// ONNX since opset 18: scales, sizes and the region may be given for some axes only. Throws reports::Error(InvalidInput) if their
// number differs from the number of axes.
void onAllAxes(ResizeParameters& parameters, const std::vector<std::int64_t>& axes, const Shape& shape);
// Sets one scale for all of `axes` (empty: every axis): the smallest of the scales that the sizes need (not_larger) or the
// largest (not_smaller). Throws reports::Error(InvalidInput) for another policy and for sizes that do not match.
void keepAspectRatio(ResizeParameters& parameters, const std::string& policy, std::vector<std::int64_t> axes, const Shape& shape);

// Throws reports::Error(InvalidInput) if scales, sizes or the region do not fit the rank of x.
HostTensor resize(const HostTensor& x, const ResizeParameters& parameters);
// The gradient of an input of this shape: the gradient of an output is added to the inputs that the output read, with the same weights.
HostTensor resizeGradient(const HostTensor& gradient, const Shape& shape, const ResizeParameters& parameters);

} // namespace simcore::numerics
