// A loop over the steps of a sequence, written with the library's own functions. `body` has the work of one step. It reads and
// writes its slices at an index known at run time, so all steps share one code.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "popnn/NonLinearityDef.hpp"
#include "popnn/Rnn.hpp"

#include <initializer_list>
#include <string>
#include <vector>

namespace simcore::poplar {

class TimeSteps {
public:
  // With `backwards`, the loop runs from the last step to the first.
  TimeSteps(::poplar::Graph& graph, const ::popnn::rnn::RnnParams& params, bool backwards, ::poplar::program::Sequence& prog,
            const ::poplar::DebugContext& debugContext);
  // Appends the loop.
  void finish();

  // A sequence [T, shape ..], laid out for slices of a step. `copied`: with the values of this tensor.
  ::poplar::Tensor sequence(const std::vector<std::size_t>& shape, const std::string& name);
  ::poplar::Tensor copied(const ::poplar::Tensor& steps, const std::string& name);
  ::poplar::Tensor slice(const ::poplar::Tensor& steps, const std::string& name); // the current step's part, in the body
  void put(const ::poplar::Tensor& value, const ::poplar::Tensor& steps, const std::string& name);
  // A variable that has the value of `initial` (zeros if invalid) before the first step.
  ::poplar::Tensor state(const ::poplar::Tensor& initial, const std::vector<std::size_t>& shape, const std::string& name);
  // Whether a sample still runs in this step, BOOL [N, 1]; invalid if all samples have all steps. To be called in the body, once.
  ::poplar::Tensor running();
  // Assigns `value` to `state` for the samples that run.
  void advance(const ::poplar::Tensor& state, const ::poplar::Tensor& value, const ::poplar::Tensor& running,
               const std::string& name);

  ::poplar::DebugContext named(const std::string& name) const { return {m_context, name}; }
  ::poplar::program::Sequence body;
  const ::poplar::Tensor& step() const { return m_step; } // UNSIGNED_INT [1]

private:
  ::poplar::Graph& m_graph;
  const ::popnn::rnn::RnnParams& m_params;
  ::poplar::program::Sequence& m_prog;
  ::poplar::DebugContext m_context;
  bool m_backwards;
  ::poplar::Tensor m_step;
};

// [first, steps[0], .. steps[T - 2]]: the state before each step.
::poplar::Tensor before(const ::poplar::Tensor& first, const ::poplar::Tensor& steps);
// [T, N, ..] -> [T N, the rest]
::poplar::Tensor rows(const ::poplar::Tensor& steps);
// `value` for the samples that run, 0 for the others; `value` itself if all run.
::poplar::Tensor masked(::poplar::Graph& graph, const ::poplar::Tensor& value, const ::poplar::Tensor& running,
                        ::poplar::program::Sequence& prog, const ::poplar::DebugContext& debugContext);

} // namespace simcore::poplar
