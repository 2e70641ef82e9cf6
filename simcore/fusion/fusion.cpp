#include "simcore/fusion/fusion.h"

#include "reports/core/error.h"
#include "reports/core/join.h"
#include "simcore/fusion/pattern_graph.h"
#include "simcore/model/graph/evaluate.h"

#include <string_view>
#include <unordered_set>

namespace simcore::model {

namespace {

// First come the passes that make single operators, then the passes that join operators: attention is recognised only if its
// softmax is one node, and an activation after a convolution only if the norm between them is gone.
constexpr FusionPass kPasses[] = {
    {"no-ops", "casts to the same type, sums with 0, products with 1 and other nodes that return their input are removed", true,
     dropNoOps, true},
    {"grouped-heads", "keys and values are read once by all heads that share them, instead of being repeated", true, groupHeads,
     true},
    {"rows", "gathers and scatters of elements whose index is the same in every column become gathers and scatters of rows", true,
     fuseRows},
    {"softmax", "exponentials divided by their sum become Softmax", true, fuseSoftmax},
    {"layer-norm", "mean, variance, scale and shift of the last dimensions become LayerNormalization", true, fuseLayerNorm},
    {"group-norm", "an instance norm of groups of channels, with their scale and shift, becomes GroupNormalization", true,
     fuseGroupNorm},
    {"gelu", "x * 0.5 * (1 + erf(x / sqrt 2)), or its tanh form, becomes Gelu", true, fuseGelu},
    {"swish", "x * sigmoid(x) becomes Swish, x * clip(x + 3, 0, 6) / 6 HardSwish", true, fuseSwish},
    {"conv-batch-norm", "a frozen batch norm after a convolution is folded into the convolution's weights", false, fuseBatchNorm},
    {"conv-residual", "an addition after a convolution is fused: the convolution's sums start from the other operand", false,
     fuseResidual},
    {"conv-activation", "an activation after a convolution is applied with the bias, in place", false, fuseActivation},
    {"attention", "product, scale, mask, softmax and product become one attention of grouped matmuls", false, fuseAttention},
    {"transposed-operands", "a product reads a transposed operand directly, because the product sets the operand's layout", false,
     transposeOperands, true},
    {"class-loss", "a cross-entropy of scores becomes LogSoftmax, which other nodes share, and a loss that reads it", true,
     splitClassLosses},
    {"equal-nodes", "nodes of the same operator, inputs and attributes are computed once", true, shareEqualNodes, true},
    {"joined-products",
     "products of one input of at most 32 rows by constant weights become one product, whose columns are split", false,
     joinProducts, true},
};

void requireKnown(const std::set<std::string>& names) {
  for (const std::string& name : names) {
    if (name != "all" &&
        std::none_of(std::begin(kPasses), std::end(kPasses), [&](const auto& pass) { return name == pass.name; }))
      throw reports::Error(reports::ErrorCode::InvalidInput, "no pass is called '" + name + "'", "",
                           "there are " + reports::joined(kPasses, &FusionPass::name) + "; or all");
  }
}

// After weights were folded into others, the old weights are unread.
void dropUnreadConstants(Graph& graph) {
  std::unordered_set<std::string_view> unread;
  for (const auto& [name, tensor] : graph.initialisers) unread.insert(name);
  for (const Node& node : graph.nodes) {
    for (const std::string& name : node.inputs) unread.erase(name);
    for (const auto& [attribute, value] : node.attributes.all())
      if (const auto* subgraph = std::get_if<std::shared_ptr<const Graph>>(&value))
        for (const std::string& name : outerNames(**subgraph)) unread.erase(name);
  }
  for (const auto& output : graph.outputs) unread.erase(output.name);
  for (const std::string& name : std::vector<std::string>(unread.begin(), unread.end())) graph.initialisers.erase(name);
}

// The values of named nodes. While these count as outputs of the graph, no pass removes the nodes that make them.
std::vector<ValueDeclaration> valuesOf(const Graph& graph, const std::set<std::string>& named) {
  std::vector<ValueDeclaration> values;
  const auto isNamed = [&](const std::string& name) { return named.count(name) != 0; };
  for (const Node& node : graph.nodes)
    if (isNamed(node.name) || std::any_of(node.outputs.begin(), node.outputs.end(), isNamed))
      for (const std::string& output : node.outputs)
        if (!output.empty()) values.push_back({output, {}, {}});
  return values;
}

int applyBeside(const FusionPass& pass, Graph& graph, const std::set<std::string>& named) {
  if (!pass.leavesOut || named.empty()) return pass.apply(graph);
  const std::vector<ValueDeclaration> outputs = graph.outputs, kept = valuesOf(graph, named);
  graph.outputs.insert(graph.outputs.end(), kept.begin(), kept.end());
  const int fired = pass.apply(graph);
  graph.outputs = outputs;
  return fired;
}

} // namespace

std::span<const FusionPass> fusionPasses() { return kPasses; }

std::vector<FusionCount> fuse(Model& model, const std::set<std::string>& disabled, bool training,
                              const std::set<std::string>& named) {
  requireKnown(disabled);
  std::vector<FusionCount> counts;
  for (const FusionPass& pass : kPasses) {
    if (disabled.count("all") || disabled.count(pass.name) || (training && !pass.inTraining)) continue;
    counts.push_back({pass.name, applyBeside(pass, model.graph, named)});
  }
  dropUnreadConstants(model.graph);
  return counts;
}

} // namespace simcore::model
