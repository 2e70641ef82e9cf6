// The parameters of a convolution: sizes, and how input, kernel and output are cut, dilated, padded and strided before and after.
#pragma once

#include "poplar/Type.hpp"

#include <cstddef>
#include <istream>
#include <ostream>
#include <vector>

namespace poplin {

struct ConvParams {
  // For the input or the kernel, one number for each field dimension, applied in this order: cut, dilate, pad, flip.
  struct InputTransform {
    std::vector<unsigned> truncationLower, truncationUpper;
    std::vector<unsigned> dilation; // distance between neighbouring elements
    std::vector<unsigned> paddingLower, paddingUpper;
    std::vector<bool> flip;

    InputTransform() = default;
    explicit InputTransform(const std::size_t size); // leaves the field unchanged
    InputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper, std::vector<unsigned> dilation,
                   std::vector<unsigned> paddingLower, std::vector<unsigned> paddingUpper, std::vector<bool> flip);
    friend bool operator<(const InputTransform& a, const InputTransform& b);
    friend bool operator==(const InputTransform& a, const InputTransform& b);
    friend bool operator!=(const InputTransform& a, const InputTransform& b) { return !(a == b); }
  };
  // For the output: cut, stride, pad.
  struct OutputTransform {
    std::vector<unsigned> truncationLower, truncationUpper;
    std::vector<unsigned> stride;
    std::vector<unsigned> paddingLower, paddingUpper;

    OutputTransform() = default;
    explicit OutputTransform(const std::size_t size);
    OutputTransform(std::vector<unsigned> truncationLower, std::vector<unsigned> truncationUpper, std::vector<unsigned> striding,
                    std::vector<unsigned> paddingLower, std::vector<unsigned> paddingUpper);
    friend bool operator<(const OutputTransform& a, const OutputTransform& b);
    friend bool operator==(const OutputTransform& a, const OutputTransform& b);
    friend bool operator!=(const OutputTransform& a, const OutputTransform& b) { return !(a == b); }
  };

  poplar::Type inputType, outputType;
  std::size_t batchSize = 0;
  std::vector<std::size_t> inputFieldShape, kernelShape;
  std::size_t inputChannelsPerConvGroup = 0, outputChannelsPerConvGroup = 0;
  std::size_t numConvGroups = 0;
  InputTransform inputTransform, kernelTransform;
  OutputTransform outputTransform;

  ConvParams() = default;
  // The numbers of channels are for one group.
  ConvParams(poplar::Type dataType, std::size_t batchSize, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::size_t inputChannels, std::size_t outputChannels,
             std::size_t numConvGroups);
  ConvParams(poplar::Type inputType, poplar::Type outputType, std::size_t batchSize, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::size_t inputChannels, std::size_t outputChannels,
             std::size_t numConvGroups);
  ConvParams(poplar::Type inputType, poplar::Type outputType, std::size_t batchSize, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::size_t inputChannels, std::size_t outputChannels,
             std::size_t numConvGroups, InputTransform inputTransform, InputTransform kernelTransform,
             OutputTransform outputTransform);

  std::size_t getUntransformedOutputSize(unsigned dim) const;
  std::size_t getOutputSize(unsigned dim) const;
  std::size_t getNumOutputChansPerConvGroup() const { return outputChannelsPerConvGroup; }
  std::size_t getNumOutputChans() const { return outputChannelsPerConvGroup * numConvGroups; }
  std::size_t getInputSize(unsigned dim) const { return inputFieldShape[dim]; }
  std::size_t getNumInputChansPerConvGroup() const { return inputChannelsPerConvGroup; }
  std::size_t getNumInputChans() const { return inputChannelsPerConvGroup * numConvGroups; }
  std::size_t getNumConvGroups() const { return numConvGroups; }
  std::size_t getNumFieldDims() const { return inputFieldShape.size(); }
  std::vector<std::size_t> getInputFieldShape() const { return inputFieldShape; }
  std::vector<std::size_t> getKernelShape() const { return kernelShape; }
  std::size_t getBatchSize() const { return batchSize; }
  unsigned getTruncatedInputSize(unsigned dim) const;
  unsigned getTruncatedKernelSize(unsigned dim) const;
  unsigned getTransformedInputSize(unsigned dim) const;
  unsigned getTransformedKernelSize(unsigned dim) const;
  std::vector<std::size_t> getOutputFieldShape() const;
  // Throws poplibs_error for lists of another length than the field, and a kernel larger than its input.
  void validate() const;
  ConvParams canonicalize() const { return *this; }

  friend bool operator<(const ConvParams& a, const ConvParams& b);
  friend bool operator==(const ConvParams& a, const ConvParams& b);
  friend bool operator!=(const ConvParams& a, const ConvParams& b) { return !(a == b); }
};
std::ostream& operator<<(std::ostream& out, const ConvParams& params);
// Reads a JSON object whose members have the names of the fields, and "dataType" for both types; what it leaves out stays, but the
// transforms then change nothing. Throws poputil::poplibs_error for other text.
std::istream& operator>>(std::istream& in, ConvParams& params);

} // namespace poplin
