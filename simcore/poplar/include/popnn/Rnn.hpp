// The sizes of recurrent layers.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace popnn {
namespace rnn {

struct RnnParams {
  RnnParams(poplar::Type type, std::size_t batch, std::size_t steps, std::vector<std::size_t> sizes);
  RnnParams(poplar::Type type, std::size_t batch, std::size_t maxSteps, const poplar::Tensor& steps,
            std::vector<std::size_t> sizes);

  poplar::Type dataType;
  std::size_t batchSize;
  std::size_t maxTimeSteps;
  std::size_t timeSteps;
  poplar::Tensor varTimeSteps;         // steps of each sample, [batch]; invalid: all steps
  std::vector<std::size_t> layerSizes; // input, output

  bool variableTimeSteps() const { return varTimeSteps.valid(); }
  bool batchVariableTimeSteps() const { return varTimeSteps.valid() && varTimeSteps.numElements() > 1; }
};

} // namespace rnn
} // namespace popnn
