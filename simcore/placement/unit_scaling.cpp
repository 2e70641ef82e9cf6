// Unit scaling (Blake et al. 2023, arXiv 2303.11257): at the start of training every weight, activation and gradient has about
// unit variance, without a loss scale, because gradients have factors of their own.
//
// Forward: weights are scaled to unit variance. A product of K terms is multiplied by 1 / sqrt(K) and divided by the deviations
// that the operations before it gave its operands. Other operations keep their function; their results are near enough to unit
// variance for a half.
//
// Backward: `gradient` of a value is the root mean square of its true gradient, estimated from the loss back for normal values.
// The backward pass computes gradients divided by `unit`, a number near `gradient`. Along an edge from a value to a reader, the
// returning gradient is multiplied by unit(result) / unit(value). So the contributions of several readers of a value (a residual
// connection) are summed in the same unit, and the gradient of every parameter is the true one times a constant. That is the
// paper's rule for edges whose removal does not cut the graph, with the factor of a residual branch where the branch begins.
// Products apply the factors without an additional operation. Elsewhere an edge with a factor becomes an Identity whose gradient
// is scaled, and units are chosen so that few are needed.
#include "simcore/placement/unit_scaling.h"

#include "reports/core/option.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/training/autodiff.h"
#include "simcore/numerics/elementwise.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace simcore::model {

namespace {

// Root mean square of f over a normal variable of this standard deviation, by the trapezoid rule.
double rootMeanSquare(const std::function<double(double)>& f, double deviation) {
  constexpr double kEnd = 8, kStep = 1.0 / 256;
  double sum = 0;
  for (double z = -kEnd; z <= kEnd; z += kStep) sum += f(z * deviation) * f(z * deviation) * std::exp(-z * z / 2);
  return std::sqrt(sum * kStep / std::sqrt(2 * std::numbers::pi));
}

using Function = double (*)(double);
double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }
double normalShare(double z) { return 0.5 * (1 + std::erf(z / std::numbers::sqrt2)); }
double normalDensity(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); }

// Activation functions and their slopes.
const std::map<std::string, std::pair<Function, Function>>& activations() {
  static const std::map<std::string, std::pair<Function, Function>> all{
      {"Relu", {[](double z) { return std::max(z, 0.0); }, [](double z) { return z > 0 ? 1.0 : 0.0; }}},
      {"Tanh", {[](double z) { return std::tanh(z); }, [](double z) { return 1 - std::tanh(z) * std::tanh(z); }}},
      {"Sigmoid", {sigmoid, [](double z) { return sigmoid(z) * (1 - sigmoid(z)); }}},
      {"Gelu", {[](double z) { return z * normalShare(z); }, [](double z) { return normalShare(z) + z * normalDensity(z); }}},
      {"Swish", {[](double z) { return z * sigmoid(z); }, [](double z) { return sigmoid(z) * (1 + z * (1 - sigmoid(z))); }}},
      {"Erf",
       {[](double z) { return std::erf(z); }, [](double z) { return 2 / std::sqrt(std::numbers::pi) * std::exp(-z * z); }}},
  };
  return all;
}

bool isLoss(const Node& node) { return node.opType == "NegativeLogLikelihoodLoss" || node.opType == "SoftmaxCrossEntropyLoss"; }
bool looksUp(const Node& node) { return node.opType == "Gather" || node.opType == "TiedGather"; }
bool isWithin(double ratio, double limit) { return ratio <= limit && ratio >= 1 / limit; }

double ownSize(const HostTensor& values) {
  double squares = 0;
  for (const double v : values.toDoubles()) squares += v * v;
  return std::sqrt(squares / double(std::max<std::int64_t>(1, values.count())));
}

HostTensor unitVariance(const HostTensor& weights) {
  return HostTensor::deferred(weights.type(), weights.shape(), [weights] {
    const HostTensor wide = weights.cast(ElementType::Float);
    double sum = 0;
    for (const float v : wide.values<float>()) sum += double(v) * double(v);
    const double size = std::sqrt(sum / double(std::max<std::int64_t>(1, wide.count())));
    const HostTensor factor = HostTensor::full(ElementType::Float, {}, size > 0 ? 1 / size : 1);
    return numerics::binary(numerics::BinaryKind::Mul, wide, factor).cast(weights.type());
  });
}

class Scaling {
public:
  Scaling(Graph& graph, const std::set<std::string>& fixed) : m_graph(graph) { findTrained(fixed); }

  double run(const std::string& loss) {
    asMatrices();
    for (Node& node : m_graph.nodes) follow(node);
    const bool hasLoss = std::any_of(m_graph.nodes.begin(), m_graph.nodes.end(),
                                     [&](const Node& node) { return isLoss(node) && m_needed.count(node.outputs[0]); });
    if (!hasLoss)
      throw Error(ErrorCode::Unsupported, "unit scaling supports only cross-entropy with class labels",
                  reports::option("unit-scaling"));
    estimateGradients(loss);
    chooseUnits();
    applyFactors();
    return 1 / m_unitOfLoss;
  }

private:
  struct Reader {
    std::size_t node, input;
  };
  // Estimates for a node that depends on a trained parameter.
  struct Rule {
    double size = 1;            // root mean square of the result
    std::vector<double> slopes; // by input: root mean square of its gradient over that of the result
  };

  [[noreturn]] static void refuse(const Node& node, const std::string& why) {
    throw Error(ErrorCode::Unsupported, "unit scaling does not support this network: " + why, node.label(),
                "leave out " + reports::option("unit-scaling"));
  }
  const Shape& shape(const std::string& name) const { return m_graph.types.at(name).shape; }
  double count(const std::string& name) const { return double(numerics::elementCount(shape(name))); }
  bool isNeeded(const std::string& name) const { return m_needed.count(name) != 0; }
  double sizeOf(const std::string& name) const {
    const auto found = m_size.find(name);
    return found == m_size.end() ? 1 : found->second;
  }

  // Whether all readers use the value as a bias or as the parameter of a norm.
  bool isAdded(const std::string& name) const {
    static const std::set<std::string> kReaders{"Add", "Sub", "Sum", "Mul", "Div", "LayerNormalization"};
    return std::all_of(m_graph.nodes.begin(), m_graph.nodes.end(), [&](const Node& node) {
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (node.inputs[i] == name && !kReaders.count(node.opType) && !(node.opType == "Gemm" && i == 2)) return false;
      return true;
    });
  }
  // A vector may have dimensions of extent 1: [channels, 1, 1].
  bool isVector(const std::string& name, const Shape& shape) const {
    const auto wide = std::count_if(shape.begin(), shape.end(), [](std::int64_t extent) { return extent > 1; });
    return shape.size() <= 1 || (wide <= 1 && isAdded(name));
  }

  // Finds the trained parameters. Weights and tables get unit variance; biases and the parameters of norms stay.
  void findTrained(const std::set<std::string>& fixed) {
    for (auto& [name, value] : m_graph.initialisers) {
      const bool isTrained = m_graph.trained.empty() ? value.rank() > 0 && !fixed.count(name) : m_graph.trained.count(name) > 0;
      if (!isTrained || !numerics::isFloating(value.type())) continue;
      m_needed.insert(name);
      if (isVector(name, value.shape())) {
        const double size = ownSize(value);
        m_size[name] = 0;
        m_vectors[name] = size > 0 ? size : 1;
      } else {
        m_size[name] = 1;
        value = unitVariance(value);
      }
    }
  }

  // Replaces products with a matrix on the right by Gemms, which have factors for their results and gradients.
  void asMatrices() {
    std::vector<Node> given = std::move(m_graph.nodes);
    m_graph.nodes.clear();
    GraphBuilder builder(m_graph);
    for (Node& node : given) {
      const bool isDense = node.opType == "MatMul" && node.domain.empty() && shape(node.inputs[1]).size() == 2;
      if (isDense && shape(node.inputs[0]).size() == 2) {
        node.opType = "Gemm", node.opset = 13;
      } else if (isDense && shape(node.inputs[0]).size() > 2 && shape(node.inputs[0]).back() > 0) {
        builder.setPath(node.path), builder.setSource(node.source);
        const std::int64_t terms = shape(node.inputs[0]).back();
        const std::string rows =
            builder.add("Reshape", {node.inputs[0], builder.integers({std::int64_t(count(node.inputs[0])) / terms, terms})}, {},
                        node.name + "/rows");
        const std::string product = builder.add("Gemm", {rows, node.inputs[1]}, {}, node.name);
        Node shaped; // keeps the name of the result, which may be an output of the model
        shaped.opType = "Reshape";
        shaped.opset = 17;
        shaped.name = node.name + "/shape";
        shaped.path = node.path;
        shaped.source = node.source;
        shaped.inputs = {product, builder.integers(shape(node.outputs[0]))};
        shaped.outputs = node.outputs;
        m_graph.nodes.push_back(std::move(shaped));
        continue;
      }
      m_graph.nodes.push_back(std::move(node));
    }
  }

  void follow(Node& node) {
    const auto reads = namesReadBy(node);
    Rule& rule = m_rules.emplace_back();
    if (std::none_of(reads.begin(), reads.end(), [&](const std::string& name) { return isNeeded(name); })) return;
    const auto first = std::find_if(node.outputs.begin(), node.outputs.end(), [](const auto& name) { return !name.empty(); });
    if (first == node.outputs.end() || !numerics::isFloating(m_graph.types.at(*first).type)) return;
    rule.slopes.assign(node.inputs.size(), 1);
    estimate(node, *first, rule);
    bool isKnown = std::isfinite(rule.size);
    for (std::size_t i = 0; i < rule.slopes.size(); ++i)
      if (isNeeded(node.inputs[i])) isKnown = isKnown && std::isfinite(rule.slopes[i]) && rule.slopes[i] > 0;
    if (!isKnown) refuse(node, "the size of a value or gradient at a " + node.opType + " is zero or infinite");
    for (const std::string& output : node.outputs)
      if (!output.empty()) m_needed.insert(output), m_size[output] = rule.size;
  }

  // Fills the rule of a node, and for a product also the factor of its result.
  void estimate(Node& node, const std::string& result, Rule& rule) {
    const std::string& type = node.opType;
    const double size = sizeOf(node.inputs[0]);
    const auto ratio = [&](std::size_t input) {
      return node.inputs[input].empty() ? 1 : std::sqrt(count(result) / count(node.inputs[input]));
    };
    static const std::set<std::string> kMoves{"Reshape",   "Flatten", "Identity", "Squeeze", "Unsqueeze", "Cast",
                                              "Transpose", "Split",   "Slice",    "Concat",  "Dropout"};
    if (type == "Gemm" || type == "MatMul") {
      multiply(node, rule);
    } else if (kMoves.count(type)) { // the gradient of a part is zero in the other parts
      rule.size = size;
      if (type == "Slice" || type == "Split") rule.slopes[0] = ratio(0);
      if (const auto vector = m_vectors.find(node.inputs[0]); vector != m_vectors.end()) m_vectors[result] = vector->second;
    } else if (const auto found = activations().find(type); found != activations().end()) {
      rule.size = rootMeanSquare(found->second.first, size);
      rule.slopes[0] = rootMeanSquare(found->second.second, size);
    } else if (type == "Add" || type == "Sub" || type == "Sum") {
      double squares = 0;
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (isNeeded(node.inputs[i])) squares += sizeOf(node.inputs[i]) * sizeOf(node.inputs[i]);
        rule.slopes[i] = ratio(i);
      }
      rule.size = std::sqrt(squares);
    } else if (type == "Mul" || type == "Div") {
      scale(node, rule);
    } else if (type == "Where") {
      for (const std::size_t i : {1, 2}) rule.size = isNeeded(node.inputs[i]) ? sizeOf(node.inputs[i]) : rule.size;
    } else if (type == "Softmax") { // inputs are assumed to be normal: exp(z) / n over its mean
      const double terms = double(shape(node.inputs[0])[axisOf(node)]);
      rule.size = rule.slopes[0] = std::min(1.0, std::exp(size * size / 2) / terms);
    } else if (type == "LogSoftmax") {
      rule.slopes[0] = 1;
    } else if (type == "Log") {
      rule.slopes[0] = 1 / size;
    } else if (type == "LayerNormalization") {
      rule.slopes[0] = 1 / size;
      for (std::size_t i = 1; i < node.inputs.size(); ++i) rule.slopes[i] = ratio(i);
    } else if (looksUp(node)) {
      rule.size = size;
      rule.slopes[0] = ratio(0);
    } else if (type == "SeededDropout") {
      rule.size = size / std::sqrt(1 - double(node.attributes.real("ratio", 0)));
    } else if (isLoss(node)) {
      crossEntropy(node, rule);
    } else {
      refuse(node, "the scale of the results of " + type + " is not known");
    }
  }

  std::size_t axisOf(const Node& node) const {
    const std::int64_t axis = node.attributes.integer("axis", -1), rank = std::int64_t(shape(node.inputs[0]).size());
    return std::size_t(axis < 0 ? axis + rank : axis);
  }

  void multiply(Node& node, Rule& rule) const {
    const Shape &a = shape(node.inputs[0]), &b = shape(node.inputs[1]);
    const bool isGemm = node.opType == "Gemm", ta = isGemm && node.attributes.integer("transA", 0) != 0,
               tb = isGemm && node.attributes.integer("transB", 0) != 0;
    if (a.size() < 2 || b.size() < 2) refuse(node, "an operand of a product is not a matrix");
    const double rows = double(a[a.size() - (ta ? 1 : 2)]), terms = double(a[a.size() - (ta ? 2 : 1)]),
                 columns = double(b[b.size() - (tb ? 2 : 1)]);
    if (rows < 1 || terms < 1 || columns < 1) refuse(node, "a product without elements has no variance");
    const double left = sizeOf(node.inputs[0]), right = sizeOf(node.inputs[1]), size = left * right * std::sqrt(terms);
    const double alpha = isGemm && size > 0 ? 1 / size : 1;
    if (isGemm) node.attributes.set("alpha", float(alpha));
    rule.size = alpha * size;
    rule.slopes[0] = alpha * right * std::sqrt(columns);
    rule.slopes[1] = alpha * left * std::sqrt(rows);
    if (node.inputs.size() > 2 && !node.inputs[2].empty())
      rule.slopes[2] = std::sqrt(count(node.outputs[0]) / count(node.inputs[2]));
  }

  void scale(const Node& node, Rule& rule) const {
    const auto factor = [&](std::size_t i) {
      if (const auto vector = m_vectors.find(node.inputs[i]); vector != m_vectors.end()) return vector->second;
      const auto constant = m_graph.initialisers.find(node.inputs[i]);
      return constant != m_graph.initialisers.end() && constant->second.count() == 1 ? std::abs(constant->second.at(0))
                                                                                     : sizeOf(node.inputs[i]);
    };
    const bool divides = node.opType == "Div";
    if (divides && isNeeded(node.inputs[1])) refuse(node, "it divides by a value that is trained");
    const double left = factor(0), right = divides ? 1 / factor(1) : factor(1);
    rule.size = left * right;
    rule.slopes = {right * std::sqrt(count(node.outputs[0]) / count(node.inputs[0])),
                   left * std::sqrt(count(node.outputs[0]) / count(node.inputs[1]))};
  }

  // The gradient of a mean over B rows of the cross-entropy of C classes is (p - y) / B; at the start p is about 1 / C, so its
  // mean square is (C
  // - 1) / C^2 (Blake et al. 2023, table A.2).
  void crossEntropy(const Node& node, Rule& rule) const {
    const Shape& scores = shape(node.inputs[0]);
    const std::string reduction = node.attributes.text("reduction", "mean");
    if (scores.size() < 2 || scores[1] < 2 || reduction == "none")
      refuse(node, "the loss is not a mean or sum over rows of class scores");
    const double classes = double(scores[1]), rows = count(node.inputs[0]) / classes;
    rule.slopes[0] = std::sqrt(classes - 1) / classes / (reduction == "mean" ? rows : 1);
  }

  // Estimates squares of the true gradients, from the loss back.
  void estimateGradients(const std::string& loss) {
    m_gradient[loss] = 1;
    for (std::size_t n = m_graph.nodes.size(); n-- > 0;) {
      const Node& node = m_graph.nodes[n];
      double squares = 0;
      for (const std::string& output : node.outputs)
        if (const auto found = m_gradient.find(output); found != m_gradient.end()) squares += found->second;
      if (squares == 0) continue;
      for (std::size_t i = 0; i < m_rules[n].slopes.size(); ++i) {
        if (!isNeeded(node.inputs[i])) continue;
        m_gradient[node.inputs[i]] += squares * m_rules[n].slopes[i] * m_rules[n].slopes[i];
        m_readers[node.inputs[i]].push_back({n, i});
      }
    }
  }
  double gradientOf(const std::string& name) const {
    const auto found = m_gradient.find(name);
    return found == m_gradient.end() ? 0 : std::sqrt(found->second);
  }

  void chooseUnits() {
    constexpr double kLargestFactor = 32'768; // of the loss; a half can hold it
    for (const Node& node : m_graph.nodes)
      if (isLoss(node)) m_unitOfLoss = std::max(m_unitOfLoss, gradientOf(node.inputs[0]));
    m_unitOfLoss = std::max(m_unitOfLoss, 1 / kLargestFactor);
    for (std::size_t n = m_graph.nodes.size(); n-- > 0;) {
      const Node& node = m_graph.nodes[n];
      std::vector<std::string> reached;
      for (const std::string& output : node.outputs)
        if (m_gradient.count(output)) reached.push_back(output);
      if (reached.size() == 1) m_unit[reached[0]] = unitFor(reached[0]);
      // All gradients that a node's backward pass reads must have one unit.
      double squares = 0;
      for (const std::string& output : reached) squares += m_gradient.at(output);
      if (reached.size() > 1)
        for (const std::string& output : reached) m_unit[output] = std::sqrt(squares / double(reached.size()));
    }
    for (const auto& [name, square] : m_gradient)
      if (!m_unit.count(name)) m_unit[name] = unitFor(name);
  }

  double unitOfResult(const Reader& reader) const {
    for (const std::string& output : m_graph.nodes[reader.node].outputs)
      if (const auto found = m_unit.find(output); found != m_unit.end()) return found->second;
    return m_unitOfLoss;
  }
  bool isDense(const Reader& reader) const { return m_graph.nodes[reader.node].opType == "Gemm"; }

  // The unit of the gradient of a value: near its estimate, or the unit of a reader's result if this saves an operation.
  double unitFor(const std::string& name) const {
    constexpr double kFarAlone = 8, kFar = 2;
    const auto found = m_readers.find(name);
    if (count(name) == 1 || found == m_readers.end()) return m_unitOfLoss;
    const std::vector<Reader>& readers = found->second;
    const double gradient = gradientOf(name);
    for (const Reader& reader : readers)
      if (const Node& node = m_graph.nodes[reader.node];
          isLoss(node) || (looksUp(node) && m_graph.initialisers.count(name))) // the sum of a table's rows has no factor
        return unitOfResult(reader);
    for (const Reader& reader : readers) {
      const double unit = unitOfResult(reader);
      if (!isDense(reader) && isWithin(gradient / unit, readers.size() == 1 ? kFarAlone : kFar)) return unit;
    }
    return gradient;
  }

  void applyFactors() {
    std::vector<Node> given = std::move(m_graph.nodes);
    m_graph.nodes.clear();
    GraphBuilder builder(m_graph);
    for (std::size_t n = 0; n < given.size(); ++n) {
      Node& node = given[n];
      std::string result;
      for (const std::string& output : node.outputs)
        if (m_unit.count(output)) result = output;
      for (std::size_t i = 0; i < m_rules[n].slopes.size() && !result.empty(); ++i) {
        if (!isNeeded(node.inputs[i])) continue;
        const double factor = m_unit.at(result) / m_unit.at(node.inputs[i]);
        if (node.opType == "Gemm") {
          static constexpr const char* kFactors[] = {kUnitInput, kUnitWeights, kUnitBias};
          const double own = double(node.attributes.real(i == 2 ? "beta" : "alpha", 1));
          node.attributes.set(kFactors[i], float(own * factor));
        } else if (!isWithin(factor, 1 + 1e-9)) {
          builder.setPath(node.path), builder.setSource(node.source);
          node.inputs[i] =
              builder.add("Identity", {node.inputs[i]}, attributes({{kUnitInput, float(factor)}}), node.name + "/unitGradient");
        }
      }
      m_graph.nodes.push_back(std::move(node));
    }
  }

  Graph& m_graph;
  std::set<std::string> m_needed;          // values that depend on a trained parameter
  std::map<std::string, double> m_size;    // root mean squares
  std::map<std::string, double> m_vectors; // of trained vectors that are factors; the size of a vector that is a term counts as 0
  std::vector<Rule> m_rules;               // by node; without slopes if the node does not depend on a trained parameter
  std::map<std::string, double> m_gradient, m_unit;
  std::map<std::string, std::vector<Reader>> m_readers;
  double m_unitOfLoss = 0;
};

} // namespace

UnitScaled withUnitScaling(Model model, const std::string& loss, const std::set<std::string>& fixed) {
  UnitScaled scaled{std::move(model)};
  scaled.lossFactor = Scaling(scaled.model.graph, fixed).run(loss);
  return scaled;
}

} // namespace simcore::model
