// ROI align: samples regions of feature maps bilinearly and averages the samples of each bin.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace popnn {
namespace experimental {

struct roiAlignParams {
  roiAlignParams(unsigned long samplingRatio, unsigned long poolH, unsigned long poolW, bool aligned, float spatialScale)
      : samplingRatio_(samplingRatio), alignedHeight_(poolH), alignedWidth_(poolW), aligned_(aligned),
        spatialScale_(spatialScale) {}
  unsigned long samplingRatio_; // samples of a bin in each direction; 0: as many as it has elements
  unsigned long alignedHeight_, alignedWidth_;
  bool aligned_;       // coordinates are shifted by -0.5
  float spatialScale_; // from the coordinates of regions to those of maps
};

// `bottomData` [N, C, H, W], `bottomRois` [R, 4] of (x1, y1, x2, y2) in the images `bottomBatchIndex` [R] -> [R, C,
// alignedHeight, alignedWidth].
poplar::Tensor roiAlignFwd(poplar::Graph& graph, poplar::program::Sequence& prog, poplar::Tensor& bottomData,
                           poplar::Tensor& bottomRois, poplar::Tensor& bottomBatchIndex, const roiAlignParams& params,
                           const poplar::DebugContext& debugContext = {});
// The gradient of `bottomData`. Its simulated time is the time of the forward pass plus an addition to zeros.
poplar::Tensor roiAlignInputGradient(poplar::Graph& graph, poplar::program::Sequence& prog, poplar::Tensor& bottomData,
                                     poplar::Tensor& bottomRois, poplar::Tensor& bottomBatchIndex, poplar::Tensor& topDataGrad,
                                     const roiAlignParams& params, const poplar::DebugContext& debugContext = {});

} // namespace experimental
} // namespace popnn
