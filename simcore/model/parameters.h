// What operators mean, once the differences between opsets are gone: attributes and constant inputs turned into the
// parameters of the kernels. Type rules, host evaluation and lowering all read nodes through these functions.
#pragma once

#include "simcore/model/operator.h"
#include "simcore/numerics/detection.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/normalisation.h"
#include "simcore/numerics/recurrent.h"
#include "simcore/numerics/reduce.h"
#include "simcore/numerics/resize.h"
#include "simcore/numerics/roi_align.h"
#include "simcore/numerics/window.h"

namespace simcore::model {

struct ConvolutionParameters {
  numerics::Window window;
  std::int64_t groups = 1;
  std::vector<std::int64_t> outputPadding; // of ConvTranspose
};
// Conv, ConvInteger, QLinearConv (`weights` = input index of the weights), with automatic pads resolved.
ConvolutionParameters convolutionParameters(const Call& call, std::size_t weights = 1);
ConvolutionParameters transposedConvolutionParameters(const Call& call);

struct PoolParameters {
  numerics::Window window;
  bool ceiling = false, countPads = false, columnMajor = false;
};
// MaxPool, AveragePool, LpPool; the global pools take the input's size as their window.
PoolParameters poolParameters(const Call& call);

struct PadParameters {
  std::vector<std::int64_t> before, after;
  numerics::PadMode mode = numerics::PadMode::Constant;
  std::optional<numerics::HostTensor> value;
};
PadParameters padParameters(const Call& call);

std::vector<numerics::SliceRange> sliceRanges(const Call& call);
// Start and size of every output along `axis`.
struct SplitParameters {
  std::size_t axis = 0;
  std::vector<std::int64_t> sizes;
};
SplitParameters splitParameters(const Call& call);
std::vector<std::size_t> permutation(const Call& call);
// The shape Reshape, Flatten, Squeeze or Unsqueeze gives.
numerics::Shape reshapedShape(const Call& call);

struct ReduceParameters {
  std::vector<std::size_t> axes;
  bool keepDims = true;
};
ReduceParameters reduceParameters(const Call& call);

// Softmax and its kin: before opset 13 everything from the axis on is one dimension. `shape` is what to view the input as.
struct SoftmaxParameters {
  numerics::Shape shape;
  std::size_t axis = 0;
};
SoftmaxParameters softmaxParameters(const Call& call);

// LSTM, GRU and RNN.
numerics::RecurrentParameters recurrentParameters(const Call& call, numerics::RecurrentKind kind);
// Resize and Upsample.
numerics::ResizeParameters resizeParameters(const Call& call);

// Of the second operand of an element-wise operator: before opset 7 it aligned with the first at an axis instead of the end.
numerics::Shape alignedShape(const Call& call);
// RoiAlign and MaxRoiPool.
numerics::RegionParameters regionParameters(const Call& call);
// Of NonMaxSuppression; its thresholds must be known.
numerics::SuppressionParameters suppressionParameters(const Call& call);
// The size that the maximum pool came from whose places MaxUnpool reads: they count in it.
numerics::Shape pooledShape(const Call& call);
// Of an operator that draws: its own seed, or one of the name of what it gives, the same in every run of a model.
std::uint64_t randomSeed(const Call& call);

// The axis attribute, counted from the front.
std::size_t axisOf(const Call& call, std::int64_t standard, std::size_t rank);

// The choice that a word of an attribute names.
template<class E>
E chosen(const std::string& attribute, const std::string& value, const std::vector<std::pair<const char*, E>>& choices) {
  for (const auto& [name, choice] : choices)
    if (value == name) return choice;
  throw reports::Error(reports::ErrorCode::InvalidInput, "attribute '" + attribute + "' is '" + value + "'");
}

} // namespace simcore::model
