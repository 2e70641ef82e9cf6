// Reductions over dimensions of a tensor: out = scale * (sum of in over dims), or the same with another operation.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"
#include "popops/Operation.hpp"
#include "poputil/exceptions.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace popops {

struct ReduceParams {
  ReduceParams() = default;
  // `updates`: the result is added to the value of the output.
  ReduceParams(Operation operation, bool updates = false) : op(operation), update(updates) {}
  // The scale is one element of type FLOAT.
  ReduceParams(Operation operation, bool updates, poplar::Tensor scaleOfSum)
      : op(operation), update(updates), useScale(true), scale(std::move(scaleOfSum)) {}
  ReduceParams(Operation operation, float constantScale, bool updates = false) = delete;

  Operation op = Operation::ADD;
  bool update = false;
  bool useScale = false;
  poplar::Tensor scale;
};

// The result has the shape of `in` without `dims`, and the type of `in` if `outType` is not given. Throw poplibs_error for a dimension that
// is not there, an output of another shape, and an update without an output.
poplar::Tensor reduce(poplar::Graph& graph, const poplar::Tensor& in, const poplar::Type& outType,
                      const std::vector<std::size_t>& dims, ReduceParams params, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
poplar::Tensor reduce(poplar::Graph& graph, const poplar::Tensor& in, const std::vector<std::size_t>& dims, ReduceParams params,
                      poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {});
void reduceWithOutput(poplar::Graph& graph, const poplar::Tensor& in, const poplar::Tensor& out,
                      const std::vector<std::size_t>& dims, ReduceParams params, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

// Adds the stages of the reduction to compute sets, which the caller executes in order: a stage goes into an existing set of the
// list, or into a new one that is added. Outputs without a mapping are mapped linearly.
poplar::Tensor reduce(poplar::Graph& graph, const poplar::Tensor& in, const poplar::Type& outType,
                      const std::vector<std::size_t>& dims, ReduceParams params, std::vector<poplar::ComputeSet>& computeSets,
                      const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
poplar::Tensor reduce(poplar::Graph& graph, const poplar::Tensor& in, const std::vector<std::size_t>& dims, ReduceParams params,
                      std::vector<poplar::ComputeSet>& computeSets, const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {});
void reduceWithOutput(poplar::Graph& graph, const poplar::Tensor& in, const poplar::Tensor& out,
                      const std::vector<std::size_t>& dims, ReduceParams params, std::vector<poplar::ComputeSet>& computeSets,
                      const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});

// One of the reductions of reduceMany().
struct SingleReduceOp {
  SingleReduceOp(poplar::Tensor tensor, std::vector<std::size_t> dimensions, ReduceParams parameters, poplar::Type type,
                 std::string name = "")
      : in(std::move(tensor)), dims(std::move(dimensions)), params(std::move(parameters)), useOutType(true), outType(type),
        debugName(std::move(name)) {}
  SingleReduceOp(poplar::Tensor tensor, std::vector<std::size_t> dimensions, ReduceParams parameters, std::string name = "")
      : in(std::move(tensor)), dims(std::move(dimensions)), params(std::move(parameters)), useOutType(false),
        outType(poplar::BOOL), debugName(std::move(name)) {}

  poplar::Tensor in;
  std::vector<std::size_t> dims;
  ReduceParams params;
  bool useOutType;
  poplar::Type outType;
  std::string debugName;
};
// Stages of the same number share a compute set. `outputs` has a tensor for each reduction, or is empty and gets new ones.
void reduceMany(poplar::Graph& graph, const std::vector<SingleReduceOp>& reductions, std::vector<poplar::Tensor>& outputs,
                poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                const poplar::OptionFlags& options = {});

} // namespace popops
