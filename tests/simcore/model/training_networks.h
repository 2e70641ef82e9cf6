// Small networks to train in tests.
#pragma once

#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/training/training.h"
#include "simcore/placement/parallelism.h"

namespace tests {

using namespace simcore;

inline numerics::HostTensor waves(const numerics::Shape& shape, int seed, float size = 1) {
  numerics::HostTensor t(numerics::ElementType::Float, shape);
  int i = seed * 7;
  for (float& v : t.mutableValues<float>()) v = size * float((i++ * 37) % 23 - 11) / 11;
  return t;
}

// `layers` of [rows, width] x [width, width]: product, bias, ReLU and, with `rich`, a residual addition and a layer norm with
// scale and bias; the loss is the mean square distance to the input "y". With `leadIn` a parameter is added to the input, so that
// the first layer has to pass a gradient back like the others.
inline model::Model layersOfEqualWidth(int64_t rows, int64_t width, int layers, bool rich = true, bool leadIn = false) {
  using model::attributes;
  model::Model m;
  m.file = "layers";
  m.opset = 17;
  model::GraphBuilder b(m.graph);
  for (const char* name : {"x", "y"}) {
    m.inputTypes[name] = {numerics::ElementType::Float, {rows, width}};
    b.input(name, numerics::ElementType::Float, {rows, width});
  }
  std::string h = "x";
  if (leadIn) h = b.add("Add", {h, b.constant("leadIn.b", waves({width}, 1, 0.1f))}, {}, "leadIn");
  for (int i = 0; i < layers; ++i) {
    const std::string n = "layer" + std::to_string(i);
    const std::string w = b.constant(n + ".w", waves({width, width}, i, 1.0f / float(width)));
    const std::string product = b.add("MatMul", {h, w}, {}, n + ".product");
    const std::string sum = b.add("Add", {product, b.constant(n + ".b", waves({width}, i + 3, 0.1f))}, {}, n + ".bias");
    std::string out = b.add("Relu", {sum}, {}, n + ".relu");
    if (rich) {
      out = b.add("Add", {out, h}, {}, n + ".residual");
      const std::string scale = b.constant(n + ".scale", numerics::HostTensor::full(numerics::ElementType::Float, {width}, 1));
      const std::string shift = b.constant(n + ".shift", waves({width}, i + 5, 0.1f));
      out =
          b.addMany("LayerNormalization", {out, scale, shift}, attributes({{"axis", std::int64_t(-1)}}), {true}, n + ".norm")[0];
    }
    h = out;
  }
  const std::string error = b.add("Sub", {h, "y"}, {}, "error");
  b.output(b.add("ReduceMean", {b.add("Mul", {error, error})}, attributes({{"keepdims", std::int64_t(0)}}), "loss"));
  return m;
}

// 64 micro-batches for the inputs of such a network.
inline void feedWaves(graph::Workload& load, const model::Model& network) {
  const auto shape = network.inputTypes.at("x").shape;
  for (int i = 0; i < 64; ++i) {
    load.inputs["x"].push_back(waves(shape, i));
    load.inputs["y"].push_back(waves(shape, i + 11, 0.5f));
  }
}

} // namespace tests
