#include "simcore/placement/model_work.h"

#include "reports/core/error.h"
#include "reports/core/within.h"
#include "simcore/model/graph/node_work.h"

#include <algorithm>
#include <optional>

namespace simcore::model {

namespace {

// The work of a node, with all iterations of its loops.
struct Demand {
  double written = 0, moved = 0; // elements; moved are read or written
  double work = 0, sorting = 0;  // operations on elements; `sorting`: the part of `work` in sorts
  double nodes = 0;              // inside loops

  double all() const { return work + kWorkOfAnElement * moved + kWorkOfANode * nodes; }
};

class DemandOfNodes {
public:
  explicit DemandOfNodes(const Graph& graph) { m_scopes.push_back(&graph); }

  Demand operator()(const Node& node) {
    std::vector<std::optional<Call::Operand>> operands;
    for (const std::string& input : node.inputs) {
      const TensorType* type = typeOf(input);
      operands.push_back(type ? std::optional(Call::Operand{*type, constant(input)}) : std::nullopt);
    }
    Demand demand;
    for (const std::string& output : node.outputs)
      if (const TensorType* type = typeOf(output)) demand.written += elementsOf(type->shape);
    const Call call(node, std::move(operands), {}, {});
    demand.moved = elementsRead(call) + demand.written;
    const double rounds = roundsOf(node);
    for (const auto& [name, value] : node.attributes.all())
      if (const auto* body = std::get_if<std::shared_ptr<const Graph>>(&value)) {
        m_scopes.push_back(body->get());
        for (const Node& inner : (*body)->nodes) {
          const Demand each = (*this)(inner);
          demand.written += rounds * each.written;
          demand.moved += rounds * each.moved;
          demand.work += rounds * each.work;
          demand.sorting += rounds * each.sorting;
          demand.nodes += rounds * (1 + each.nodes);
        }
        m_scopes.pop_back();
      }
    const double own = workBeyondElements(operatorFor(node), call);
    demand.work += own;
    if (node.opType == "TopK" || node.opType == "Unique") demand.sorting += own;
    return demand;
  }

private:
  const TensorType* typeOf(const std::string& name) const {
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope)
      if (const auto found = (*scope)->types.find(name); found != (*scope)->types.end()) return &found->second;
    return nullptr;
  }
  const numerics::HostTensor* constant(const std::string& name) const {
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope)
      if (const auto found = (*scope)->initialisers.find(name); found != (*scope)->initialisers.end()) return &found->second;
    return nullptr;
  }
  // Number of iterations; 1 if it is known only at run time.
  double roundsOf(const Node& node) const {
    if (node.inputs.empty()) return 1;
    if (node.opType == "Scan") {
      const TensorType* scanned = typeOf(node.inputs.back());
      return scanned && !scanned->shape.empty() ? double(scanned->shape[0]) : 1;
    }
    if (node.opType != "Loop") return 1;
    const numerics::HostTensor* count = constant(node.inputs[0]);
    constexpr double kNoLimit = double(1ll << 40); // exporters of `while` loops write it: the body decides when the loop ends
    return count && count->count() == 1 && count->at(0) < kNoLimit ? std::max(0.0, count->at(0)) : 1;
  }

  std::vector<const Graph*> m_scopes;
};

} // namespace

void requireAffordableNumbers(const Model& model) {
  DemandOfNodes demandOf(model.graph);
  double sum = 0;
  for (const Node& node : model.graph.nodes)
    reports::within([&] { return node.label(); },
                    [&] {
                      const double work = demandOf(node).all();
                      requireAffordable(node, sum, work, kMostWork, "make it smaller, or compute no numbers");
                      sum += work;
                    });
}

void requireSmallForVertices(const Model& model) {
  // The limit, in moved elements; one takes about thirty nanoseconds. A multiply-add of a product takes a fourth of that.
  constexpr double kMost = 0x1p28, kWorkOfAMove = 4, kWorkOfAComparedMove = 64;
  double moves = 0;
  DemandOfNodes demandOf(model.graph);
  for (const Node& node : model.graph.nodes) {
    const Demand demand = demandOf(node);
    moves += demand.written + (demand.work - demand.sorting) / kWorkOfAMove + demand.sorting / kWorkOfAComparedMove;
    if (moves > kMost)
      throw reports::Error(reports::ErrorCode::InvalidInput, "the model is too large to be computed vertex by vertex",
                           node.label(), "make it smaller, or leave out {option vertex-by-vertex}");
  }
}

} // namespace simcore::model
