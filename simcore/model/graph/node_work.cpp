#include "simcore/model/graph/node_work.h"

#include "reports/core/error.h"
#include "reports/core/within.h"
#include "simcore/numerics/host_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <stdexcept>
#include <string_view>

namespace simcore::model {

namespace {

double elements(const Shape& shape, std::size_t first = 0) {
  double product = 1;
  for (std::size_t i = first; i < shape.size(); ++i) product *= double(shape[i]);
  return product;
}

double outputElements(const Operator& op, const Call& call) {
  const Types types = op.infer(call);
  return types.empty() ? 0 : elements(types[0].shape);
}

// Weights of [out, in / groups, …].
double convolution(const Operator& op, const Call& call) {
  const std::size_t weights = call.node().opType == "QLinearConv" ? 3 : 1;
  return outputElements(op, call) * elements(call.shape(weights), 1);
}
double transposedConvolution(const Operator&, const Call& call) { return elements(call.shape(0)) * elements(call.shape(1), 1); }

double product(const Operator& op, const Call& call) {
  const Shape& a = call.shape(0);
  return a.empty() ? 0 : outputElements(op, call) * double(a.back());
}
double gemm(const Operator& op, const Call& call) {
  const Shape& a = call.shape(0);
  if (a.size() != 2) return 0;
  return outputElements(op, call) * double(a[call.attributes().integer("transA", 0) ? 0 : 1]);
}

double pooling(const Operator& op, const Call& call) {
  double window = 1;
  for (const std::int64_t size : call.attributes().integers("kernel_shape")) window *= double(std::max<std::int64_t>(0, size));
  return outputElements(op, call) * window;
}

// Every combination of indices.
double einsum(const Operator&, const Call& call) {
  const std::string equation = call.attributes().text("equation", "");
  std::map<char, double> sizes;
  std::size_t input = 0, dimension = 0;
  double rest = 1; // dimensions behind "..."
  for (const char c : equation.substr(0, equation.find('-'))) {
    if (c == ',') {
      ++input, dimension = 0;
    } else if (std::isalpha(static_cast<unsigned char>(c)) && input < call.inputCount() && dimension < call.shape(input).size()) {
      sizes[c] = std::max(sizes[c], double(call.shape(input)[dimension++]));
    } else if (c == '.' && input < call.inputCount()) {
      rest = std::max(rest, elements(call.shape(input)));
      break;
    }
  }
  double work = rest;
  for (const auto& [label, size] : sizes) work *= std::max(1.0, size);
  return work;
}

double determinant(const Operator&, const Call& call) {
  const Shape& shape = call.shape(0);
  return shape.empty() ? 0 : elements(shape) * double(shape.back());
}

// Every pair of boxes, for each class.
double suppression(const Operator&, const Call& call) {
  const Shape &boxes = call.shape(0), &scores = call.shape(1);
  if (boxes.size() != 3 || scores.size() != 3) return 0;
  return elements(scores) * double(boxes[1]);
}

double regions(const Operator& op, const Call& call) {
  const double samples = double(std::max<std::int64_t>(1, call.attributes().integer("sampling_ratio", 0)));
  return outputElements(op, call) * samples * samples;
}

// Two cosines per element take as long as this many multiply-adds.
constexpr double kCosines = 0x1p11;
double cosineWindow(const Operator& op, const Call& call) { return outputElements(op, call) * kCosines; }

// At most sixteen neighbours of a point, and the computation of their positions.
double samples(const Operator& op, const Call& call) { return outputElements(op, call) * 0x1p10; }
// Sequential sums.
double sums(const Operator& op, const Call& call) { return outputElements(op, call) * 0x1p9; }

// Windows over the channels.
double responseNorm(const Operator&, const Call& call) {
  const Shape& shape = call.shape(0);
  if (shape.size() < 2) return 0;
  return elements(shape) *
         double(std::clamp<std::int64_t>(call.attributes().integer("size", 1), 1, std::max<std::int64_t>(1, shape[1])));
}

using Work = double (*)(const Operator&, const Call&);
const std::map<std::string_view, Work>& works() {
  static const std::map<std::string_view, Work> all{{"Conv", convolution},
                                                    {"ConvInteger", convolution},
                                                    {"QLinearConv", convolution},
                                                    {"ConvTranspose", transposedConvolution},
                                                    {"MatMul", product},
                                                    {"MatMulInteger", product},
                                                    {"Gemm", gemm},
                                                    {"MaxPool", pooling},
                                                    {"AveragePool", pooling},
                                                    {"LpPool", pooling},
                                                    {"Einsum", einsum},
                                                    {"Det", determinant},
                                                    {"Inverse", determinant},
                                                    {"NonMaxSuppression", suppression},
                                                    {"RoiAlign", regions},
                                                    {"HannWindow", cosineWindow},
                                                    {"HammingWindow", cosineWindow},
                                                    {"BlackmanWindow", cosineWindow},
                                                    {"LRN", responseNorm},
                                                    {"GridSample", samples},
                                                    {"CumSum", sums}};
  return all;
}

} // namespace

double hostWork(const Operator& op, const Call& call) {
  const auto work = works().find(call.node().opType);
  if (work == works().end()) return 0;
  try {
    return work->second(op, call);
  } catch (const reports::Error&) { // the operator itself reports the error
    return 0;
  } catch (const std::out_of_range&) {
    return 0;
  }
}

void refuseWork(const Node& node, double work, double most) {
  throw reports::Error(reports::ErrorCode::InvalidInput,
                       "the numbers of this " + node.opType + " take " + fmt::format("{:.1e}", work) +
                           " multiply-adds on this computer; the limit is " + fmt::format("{:.1e}", most),
                       {}, "make it smaller, or compute no numbers");
}

void requireAffordable(const Operator& op, const Call& call, double most) {
  if (const double work = hostWork(op, call); work > most) refuseWork(call.node(), work, most);
}

void requireRoom(const Operator& op, const Call& call) {
  if (op.has(kTypedByNumbers)) return;
  for (const auto& [name, value] : call.attributes().all())
    if (std::holds_alternative<std::shared_ptr<const Graph>>(value)) return;
  double bytes = 0;
  try {
    for (const TensorType& type : op.infer(call)) bytes += elements(type.shape) * double(numerics::hostSize(type.type));
  } catch (const reports::Error&) { // the kernel has more information, or reports the error
    return;
  } catch (const std::out_of_range&) {
    return;
  }
  if (const std::int64_t free = numerics::freeHostMemory(); bytes > double(free))
    throw reports::Error(reports::ErrorCode::OutOfMemory,
                         fmt::format("the numbers of this {} take {:.1e} bytes on this computer; {:.1e} bytes are free",
                                     call.node().opType, bytes, double(free)),
                         {}, "make it smaller, or compute no numbers");
}

namespace {

// The work of a node including all iterations of its loops.
struct Demand {
  double elements = 0, work = 0; // written; multiply-adds
  double nodes = 0;              // inside loops
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
      if (const TensorType* type = typeOf(output)) demand.elements += elements(type->shape);
    const double rounds = roundsOf(node);
    for (const auto& [name, value] : node.attributes.all())
      if (const auto* body = std::get_if<std::shared_ptr<const Graph>>(&value)) {
        m_scopes.push_back(body->get());
        for (const Node& inner : (*body)->nodes) {
          const Demand each = (*this)(inner);
          demand.elements += rounds * each.elements;
          demand.work += rounds * each.work;
          demand.nodes += rounds * (1 + each.nodes);
        }
        m_scopes.pop_back();
      }
    demand.work += hostWork(operatorFor(node), Call(node, std::move(operands), {}, {}));
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
    constexpr double kNoLimit = double(1ll << 40); // scripts write this for `while`: the body decides when it ends
    return count && count->count() == 1 && count->at(0) < kNoLimit ? std::max(0.0, count->at(0)) : 1;
  }

  std::vector<const Graph*> m_scopes;
};

} // namespace

void requireAffordableLoops(const Model& model) {
  DemandOfNodes demandOf(model.graph);
  for (const Node& node : model.graph.nodes)
    if (node.opType == "Loop" || node.opType == "Scan")
      reports::within([&] { return node.label(); },
                      [&] {
                        const Demand demand = demandOf(node);
                        const double work = demand.work + kWorkOfANode * demand.nodes;
                        if (work > kMostWork) refuseWork(node, work, kMostWork);
                      });
}

void requireSmallForVertices(const Model& model) {
  constexpr double kMost = 0x1p28, kWorkOfAnElement = 64; // multiply-adds in vertices are many times as fast as moved elements
  double elementsSoFar = 0;
  DemandOfNodes demandOf(model.graph);
  for (const Node& node : model.graph.nodes) {
    const Demand demand = demandOf(node);
    elementsSoFar += demand.elements + demand.work / kWorkOfAnElement;
    if (elementsSoFar > kMost)
      throw reports::Error(reports::ErrorCode::InvalidInput, "the model is too large to be computed vertex by vertex",
                           node.label(), "make it smaller, or compute its numbers node by node");
  }
}

} // namespace simcore::model
