// The sizes of recurrent layers, and a loop over the steps of sequences whose step is a function of the caller. Sequences are
// [steps * multiple, batch, size]; `numShards` splits a sequence over groups of tiles on the machine: here it changes neither
// results nor times.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"
#include "poputil/DebugInfo.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
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
  poplar::Tensor varTimeSteps;         // steps of each sample, [batch], or of all, [1]; invalid: all steps
  std::vector<std::size_t> layerSizes; // input, output

  bool variableTimeSteps() const { return varTimeSteps.valid(); }
  bool batchVariableTimeSteps() const { return varTimeSteps.valid() && varTimeSteps.numElements() > 1; }
  std::size_t getMaxShards(const poplar::Graph& graph) const;
  std::size_t getInputBytesPerTile(const poplar::Graph& graph) const; // of one step
  std::size_t getOutputBytesPerTile(const poplar::Graph& graph) const;
};

// Creates [multiple, batch, size of the input or output].
poplar::Tensor createInitialState(poplar::Graph& graph, const RnnParams& params, bool isOutput, unsigned multiple,
                                  unsigned numShards, const poplar::DebugContext& debugContext = {});
// Create tensors [steps, batch, size] that are laid out for slices of one step. The size of inputs and outputs comes from
// layerSizes. With `multiple` the tensor is [steps * multiple, batch, size].
poplar::Tensor createRecurrentTensor(poplar::Graph& graph, const RnnParams& params, unsigned size, unsigned numShards,
                                     const poplar::DebugContext& debugContext = {});
poplar::Tensor createInputTensor(poplar::Graph& graph, const RnnParams& params, unsigned numShards,
                                 const poplar::DebugContext& debugContext = {});
poplar::Tensor createOutputTensor(poplar::Graph& graph, const RnnParams& params, unsigned numShards,
                                  const poplar::DebugContext& debugContext = {});
poplar::Tensor createOutputTensor(poplar::Graph& graph, const RnnParams& params, unsigned multiple, unsigned numShards,
                                  const poplar::DebugContext& debugContext = {});
// A copy whose step t is step t - 1 of `tBase`; step 0 is `tSingle`.
poplar::Tensor shiftRnnTensor(poplar::Graph& graph, const RnnParams& params, const poplar::Tensor& tBase,
                              const poplar::Tensor& tSingle, poplar::program::Sequence& prog, unsigned numShards,
                              const poplar::DebugContext& debugContext = {});

// The tensors that a step reads and writes, each [multiple, batch, size].
struct RnnSlice {
  std::vector<poplar::Tensor> inputs;
  poplar::Tensor interimIn, interimOut;
  std::vector<poplar::Tensor> outputs;
};
// [batch] of the data type: `mask` is 1 for samples whose sequence has this step, else 0; `inverse` is 1 - mask. Both are invalid
// if all samples have the same number of steps.
struct RnnBatchwiseFlags {
  poplar::Tensor mask, inverse;
  bool valid() const { return mask.valid(); }
};
// The step is begin + counter, each UNSIGNED_INT [1]; the flag, BOOL [1], is only valid for variable numbers of steps.
struct TimeStepState {
  poplar::Tensor begin, counter, variableSeqFlag;
};

// Returns the program of a step. It changes the state tensors in place, writes the outputs of the slice and makes the created
// tensors. The program in `initProg` runs once before the loop; `initProg` is null if a call before filled it.
using LoopBodyType = std::function<poplar::program::Sequence(
    poplar::Graph& graph, const TimeStepState& time, const RnnBatchwiseFlags& flags, std::vector<poplar::Tensor>& state,
    const RnnSlice& slice, std::vector<poplar::Tensor>& created, poplar::program::Sequence* initProg,
    const poplar::DebugNameAndId& dnai)>;
// Returns the program that handles the last `stepsPerGather` steps at once: it reads their gather inputs, and in `interimIn` the
// values that these steps wrote to `interimOut`.
using GatherBodyType =
    std::function<poplar::program::Sequence(poplar::Graph& graph, const RnnSlice& slice, unsigned stepsPerGather,
                                            poplar::program::Sequence* initProg, const poplar::DebugNameAndId& dnai)>;
// Keeps a state tensor of each step.
struct StateSequence {
  poplar::Tensor output; // if invalid, the states are not kept
  std::size_t stateIndex;
};

// Runs `loopFn` for each step, from the last to the first if `reverse`, and returns the state after it. `interimIn` and
// `interimOut` may be null, `created` may be empty, and states may be invalid tensors. Throws poplibs_error for tensors that are
// not whole numbers of steps.
std::vector<poplar::Tensor> Rnn(poplar::Graph& graph, const RnnParams& params, bool reverse,
                                const std::vector<poplar::Tensor>& initState, const StateSequence& stateSequence,
                                const std::vector<poplar::Tensor>& inputs, const poplar::Tensor* interimIn,
                                poplar::Tensor* interimOut, const std::vector<poplar::Tensor>& outputs,
                                const std::vector<poplar::Tensor>& created, poplar::program::Sequence& prog,
                                const LoopBodyType& loopFn, unsigned numShards, poplar::OptionFlags& options,
                                const poplar::DebugContext& debugContext = {});
// Runs the steps from the last to the first. `gatherFn` follows every `stepsPerGather` steps and the remaining ones. Variable
// numbers of steps throw poplibs_error.
std::vector<poplar::Tensor> Rnn(poplar::Graph& graph, const RnnParams& params, const std::vector<poplar::Tensor>& initState,
                                const StateSequence& stateSequence, const std::vector<poplar::Tensor>& inputs,
                                const poplar::Tensor& interimIn, const unsigned numTemps, poplar::program::Sequence& prog,
                                const LoopBodyType& loopFn, const std::vector<poplar::Tensor>& gatherInputs,
                                const GatherBodyType& gatherFn, unsigned numShards, unsigned stepsPerGather,
                                poplar::OptionFlags& options, const poplar::DebugContext& debugContext = {});

} // namespace rnn
} // namespace popnn
