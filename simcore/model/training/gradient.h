// One node's backward pass: reads the gradients of the node's outputs, appends nodes, and hands gradients to its inputs.
// Gradients are made of standard operators wherever those exist, and of operators of kOwnDomain where a library has a
// dedicated one (convolution, pooling, activations, norms).
#pragma once

#include "simcore/model/graph_builder.h"

#include <functional>
#include <span>

namespace simcore::model {

class GradientTape;

class GradientCall {
public:
  GradientCall(GradientTape& tape, const Node& node);

  const Node& node() const { return m_node; }
  const Call& call() const { return m_call; }
  GraphBuilder& graph() const { return m_graph; }
  const std::string& input(std::size_t i) const { return m_node.inputs[i]; }
  const std::string& output(std::size_t i = 0) const { return m_node.outputs[i]; }
  numerics::ElementType elementType() const { return m_call.elementType(0); }

  // The gradient of output `i`; "" where nothing flows back through it.
  std::string gradient(std::size_t i = 0) const;
  // Whether a gradient of input `i` is asked for.
  bool wants(std::size_t i) const;
  // Adds to the gradient of input `i`, which has the input's shape; does nothing for inputs without a wish.
  void give(std::size_t i, const std::string& gradient) const;
  // The gradient of the same computation written in other nodes: `build` appends them and returns a value for each output of
  // the node ("" = none). What they compute is computed again in the backward pass.
  void through(const std::function<std::vector<std::string>()>& build) const;
  // Throws reports::Error(Unsupported) naming operator and node.
  [[noreturn]] void fail(const std::string& why) const;

private:
  GradientTape& m_tape;
  const Node& m_node;
  GraphBuilder& m_graph;
  Call m_call;
};

using GradientFunction = void (*)(const GradientCall&);
struct GradientEntry {
  const char* type; // ONNX op type
  GradientFunction gradient;
};
// Null for operators that have none.
GradientFunction gradientFor(const Node& node);

std::span<const GradientEntry> elementwiseGradients();
std::span<const GradientEntry> layoutGradients();
std::span<const GradientEntry> neuralGradients();
std::span<const GradientEntry> normalisationGradients();
std::span<const GradientEntry> expandedGradients();
std::span<const GradientEntry> sequenceGradients();
std::span<const GradientEntry> controlGradients();

} // namespace simcore::model
