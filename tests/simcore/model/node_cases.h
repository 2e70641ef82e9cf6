// Small graphs of one or two nodes, for every operator that the machine computes, over odd shapes: single elements, primes, fewer
// elements than tiles and more. The test of computing vertex by vertex runs all of them.
#pragma once

#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/graph_builder.h"

#include <functional>
#include <random>

namespace tests {

using namespace simcore;
using model::attributes;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;
using Integers = std::vector<std::int64_t>;

// A graph whose inputs come from outside, so that nothing is a constant unless it is asked to be.
struct Net {
  explicit Net(int opset = 17) : builder(model.graph, opset) { model.file = "case"; }

  std::string value(const std::string& name, const HostTensor& tensor) {
    values[name] = tensor;
    return builder.input(name, tensor.type(), tensor.shape());
  }
  // Floats in [low, high), all different.
  std::string real(const std::string& name, const Shape& shape, double low = -1, double high = 1) {
    return value(name, numbers(shape, low, high));
  }
  HostTensor numbers(const Shape& shape, double low, double high) {
    HostTensor t(ElementType::Float, shape);
    for (float& v : t.mutableValues<float>()) v = float(low + (high - low) * double(random() >> 11) * 0x1p-53);
    return t;
  }
  // Integers in [low, high).
  HostTensor whole(const Shape& shape, std::int64_t low, std::int64_t high, ElementType type = ElementType::Int64) {
    HostTensor t(ElementType::Int64, shape);
    for (auto& v : t.mutableValues<std::int64_t>()) v = low + std::int64_t(random() % std::uint64_t(high - low));
    return t.cast(type);
  }
  std::string index(const std::string& name, const Shape& shape, std::int64_t low, std::int64_t high) {
    return value(name, whole(shape, low, high));
  }
  void out(const std::string& name) { builder.output(name); }
  void out(const std::string& type, const std::vector<std::string>& inputs, const model::Attributes& a = {},
           const std::string& domain = {}) {
    out(builder.add(type, inputs, a, {}, domain));
  }
  void outs(const std::string& type, const std::vector<std::string>& inputs, const model::Attributes& a, std::size_t count) {
    for (const std::string& name : builder.addMany(type, inputs, a, std::vector<bool>(count, true))) out(name);
  }

  // A node whose results have shapes that follow from values: those of an evaluation.
  void observed(const std::string& type, const std::vector<std::string>& inputs, const model::Attributes& a,
                const std::vector<std::string>& outputs);

  model::Model model;
  model::GraphBuilder builder;
  std::unordered_map<std::string, HostTensor> values;
  std::mt19937_64 random{5};
};

struct NodeCase {
  std::string name;
  std::function<void(Net&)> build;
  int opset = 17;
  int replicas = 1; // of the machine
};

inline std::string label(const std::string& name, const Shape& shape) { return name + " " + numerics::toString(shape); }
inline model::Attributes axis(std::int64_t n) { return attributes({{"axis", n}}); }

std::vector<NodeCase> elementwiseNodes();
std::vector<NodeCase> movementNodes();
std::vector<NodeCase> indexingNodes();
std::vector<NodeCase> productNodes();
std::vector<NodeCase> reductionNodes();
std::vector<NodeCase> normalisationNodes();
std::vector<NodeCase> recurrentNodes();
std::vector<NodeCase> quantisedNodes();
std::vector<NodeCase> gradientNodes();
std::vector<NodeCase> updateNodes();
std::vector<NodeCase> fusedNodes();
std::vector<NodeCase> signalNodes();
std::vector<NodeCase> drawnNodes();
std::vector<NodeCase> regionNodes();
std::vector<NodeCase> volumeNodes();
std::vector<NodeCase> controlNodes();
std::vector<NodeCase> selectionNodes();

} // namespace tests
