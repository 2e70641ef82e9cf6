// Folders of models that tests run if they are installed, and small models written with the ONNX messages.
#pragma once

#include "simcore/model/graph/evaluate.h"
#include "simcore/onnx/tensor_files.h"
#include "simcore/onnx/tensor_proto.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace tests {

namespace fs = std::filesystem;

inline fs::path modelsFolder() {
  if (const char* given = std::getenv("TILESCOPE_MODELS")) return given;
  return fs::path(TILESCOPE_SOURCE_DIR) / "../shared/models";
}

inline onnx::ModelProto emptyModel(int opset) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  model.mutable_graph()->set_name("test");
  return model;
}
inline void addValue(onnx::ValueInfoProto* value, const std::string& name, const std::vector<std::int64_t>& dims) {
  value->set_name(name);
  auto* type = value->mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  type->mutable_shape();
  for (const std::int64_t dim : dims)
    if (dim < 0)
      type->mutable_shape()->add_dim()->set_dim_param("N");
    else
      type->mutable_shape()->add_dim()->set_dim_value(dim);
}
inline onnx::NodeProto* addNode(onnx::GraphProto* graph, const std::string& type, const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs) {
  onnx::NodeProto* node = graph->add_node();
  node->set_op_type(type);
  node->set_name("node_" + outputs[0]);
  for (const auto& name : inputs) node->add_input(name);
  for (const auto& name : outputs) node->add_output(name);
  return node;
}

inline void addIntegers(onnx::GraphProto* graph, const std::string& name, const std::vector<std::int64_t>& values,
                        bool isScalar = false) {
  auto* tensor = graph->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::INT64);
  if (!isScalar) tensor->add_dims(std::int64_t(values.size()));
  for (const std::int64_t value : values) tensor->add_int64_data(value);
}

struct Comparison {
  bool same = true;
  double worst = 0;
};
inline Comparison compare(const simcore::numerics::HostTensor& got, const simcore::numerics::HostTensor& want, double rtol,
                          double atol) {
  Comparison result;
  result.same = got.type() == want.type() && got.shape() == want.shape();
  if (!result.same) return result;
  for (std::int64_t i = 0; i < got.count(); ++i) {
    const double a = got.at(i), b = want.at(i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double error = std::abs(a - b);
    if (error <= atol + rtol * std::abs(b)) continue;
    result.same = false;
    result.worst = std::max(result.worst, error);
  }
  return result;
}

// Inputs of test_data_set_0 in `folder`, by the model's names.
inline std::unordered_map<std::string, simcore::numerics::HostTensor> storedInputs(const simcore::model::Model& model,
                                                                                   const fs::path& set) {
  std::unordered_map<std::string, simcore::numerics::HostTensor> inputs;
  for (std::size_t i = 0; i < model.graph.inputs.size(); ++i)
    inputs[model.graph.inputs[i].name] = simcore::model::readTensorFile(
        set / ("input_" + std::to_string(i) + ".pb"), model.graph.inputs[i].type.value_or(simcore::numerics::ElementType::Float));
  return inputs;
}

} // namespace tests
