// Models of operators that expand into others: made node by node, with waves as weights, and computed.
#pragma once

#include "reports/core/error.h"
#include "simcore/model/graph/resolve_types.h"
#include "simcore/onnx/onnx_file.h"
#include "tests/simcore/model/model_files.h"

#include <cmath>

namespace tests::expanded {

using namespace simcore;
using numerics::HostTensor;
using numerics::Shape;

inline HostTensor sineWave(const Shape& shape, float step) {
  std::vector<float> values(std::size_t(numerics::elementCount(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(float(i) * step);
  return HostTensor::of(shape, values);
}
inline void addWave(onnx::GraphProto* graph, const std::string& name, const Shape& shape, float step) {
  const HostTensor value = sineWave(shape, step);
  auto* tensor = graph->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  for (const auto dim : shape) tensor->add_dims(dim);
  tensor->set_raw_data(value.raw().data(), value.byteCount());
}
inline void setNumber(onnx::NodeProto* node, const std::string& name, std::int64_t value) {
  auto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(value);
}
inline onnx::NodeProto* addContrib(onnx::GraphProto* graph, const std::string& type, const std::vector<std::string>& inputs,
                                   const std::vector<std::string>& outputs) {
  auto* node = tests::addNode(graph, type, inputs, outputs);
  node->set_domain("com.microsoft");
  return node;
}
inline onnx::ModelProto contribModel(const std::vector<std::int64_t>& x, const std::vector<std::string>& outputs) {
  onnx::ModelProto model = tests::emptyModel(13);
  auto* import = model.add_opset_import();
  import->set_domain("com.microsoft");
  import->set_version(1);
  tests::addValue(model.mutable_graph()->add_input(), "x", x);
  for (const std::string& name : outputs) model.mutable_graph()->add_output()->set_name(name);
  return model;
}

inline model::Tensors runExpanded(const onnx::ModelProto& proto, const HostTensor& x) {
  model::Model model = model::parseOnnx(proto.SerializeAsString(), "expanded.onnx", {});
  model::bindShapes(model, {{"x", x.shape()}});
  model::resolveTypes(model);
  for (const auto& output : model.graph.outputs)
    if (!model.graph.types.count(output.name)) throw std::logic_error("an output has no type");
  return model::evaluate(model, {{"x", x}});
}
inline std::string whyNotExpanded(const onnx::ModelProto& proto, const HostTensor& x) {
  try {
    (void)runExpanded(proto, x);
  } catch (const reports::Error& error) {
    return error.what();
  }
  return {};
}

} // namespace tests::expanded
