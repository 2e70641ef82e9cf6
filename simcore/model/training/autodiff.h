// Backward passes. The backward pass of a node reads the gradients of its outputs, appends nodes, and adds to the gradients of its
// inputs. Gradients use standard operators if they exist, and operators of kOwnDomain if the library has a dedicated one
// (convolution, pooling, activations, norms).
#pragma once

#include "simcore/model/graph/graph_builder.h"

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace simcore::model {

// Attributes of a Gemm that its gradients read instead of alpha and beta. An Identity's gradient has the first as its factor
// (unit_scaling.cpp).
inline constexpr const char *kUnitInput = "unit_input", *kUnitWeights = "unit_weights", *kUnitBias = "unit_bias";

// Attributes of a convolution or product whose operands 0 and 1 are 8-bit floats: the exponent of the power of two that scales its result,
// the type of the result, and the weights' part of that exponent (placement/quarter_products.h).
inline constexpr const char *kProductScale = "product_scale", *kProductType = "product_type", *kWeightScale = "weight_scale";
// The first history among the inputs of a product. A product with histories has no exponents, but two more inputs from this one
// on: for each operand the history of its largest values, which determines the scale. A QuarterCast then has this history as
// input 1 and returns the largest value as result 1. `kCastKind` says what it casts.
inline constexpr std::size_t kHistories = 3;
inline constexpr const char* kCastKind = "kind";

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

  // The gradient of output `i`; "" if it has none.
  std::string gradient(std::size_t i = 0) const;
  // Whether a gradient of input `i` is needed.
  bool wants(std::size_t i) const;
  // Adds to the gradient of input `i`, which has the input's shape; does nothing if it is not needed.
  void give(std::size_t i, const std::string& gradient) const;
  // The gradient of the same computation expressed by other nodes: `build` appends them and returns a value for each output of
  // the node ("" = none). Their results are recomputed in the backward pass.
  void through(const std::function<std::vector<std::string>()>& build) const;
  // Throws reports::Error(Unsupported) naming operator and node.
  [[noreturn]] void fail(const std::string& why) const;

private:
  void nameProduct(std::size_t i, std::string gradient) const;

  GradientTape& m_tape;
  const Node& m_node;
  GraphBuilder& m_graph;
  Call m_call;
};

// Further inputs and results of addGradients().
struct BackwardPass {
  std::string seed; // if given: a scalar value to start from instead of `scale`
  // Input: the stage of each node of the graph. If set, gradients of `wanted` values with contributions from several stages are
  // not summed: `partsOn` has the part of every stage, and the returned gradient is the first stage's part.
  std::vector<int> stageOfNode;
  std::unordered_map<std::string, std::map<int, std::string>> partsOn;
  std::unordered_map<std::string, std::size_t> forwardNode; // out: backward value -> the forward node whose gradient computes it
};

// `loss` is a value of one element; gradients are taken of `scale` times it. Nodes get the debug path {"bwd", forward node}.
// Returns the name of the gradient of each value in `wanted`, which must be floating; values that do not affect the loss are left
// out. Throws reports::Error(Unsupported) with operator and node if an operator on the way has no gradient, InvalidInput for a
// loss that is not a scalar or does not depend on any of `wanted`.
std::unordered_map<std::string, std::string> addGradients(Graph& graph, const std::string& loss,
                                                          const std::vector<std::string>& wanted, double scale = 1,
                                                          BackwardPass* pass = nullptr);

} // namespace simcore::model
