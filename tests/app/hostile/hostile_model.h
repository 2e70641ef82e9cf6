// A model being written, a list of models, and the themes of the generator: one source each. Names that two themes need are here.
#pragma once

#include "tests/app/hostile/hostile_models.h"
#include "tests/simcore/model/model_files.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tests::hostile {

using Integers = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHuge = std::int64_t(1) << 40;

class HostileModel {
public:
  explicit HostileModel(int opset = 17) : m_model(emptyModel(opset)) {}
  onnx::GraphProto* graph() { return m_model.mutable_graph(); }
  onnx::ModelProto& proto() { return m_model; }
  HostileModel& input(const std::string& name, const Integers& dims, int type = onnx::TensorProto::FLOAT) {
    auto* value = graph()->add_input();
    value->set_name(name);
    value->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    value->mutable_type()->mutable_tensor_type()->mutable_shape();
    for (const auto dim : dims) value->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(dim);
    return *this;
  }
  HostileModel& integers(const std::string& name, const Integers& values, bool isScalar = false) {
    addIntegers(graph(), name, values, isScalar);
    return *this;
  }
  HostileModel& floats(const std::string& name, const std::vector<float>& values) {
    auto* tensor = graph()->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    tensor->add_dims(std::int64_t(values.size()));
    for (const float value : values) tensor->add_float_data(value);
    return *this;
  }
  // A constant of any size in a few bytes.
  HostileModel& zeros(const std::string& name, const Integers& shape) {
    return integers(name + "_shape", shape).node("ConstantOfShape", {name + "_shape"}, name);
  }
  HostileModel& node(const std::string& type, const Names& inputs, const std::string& output = "y") {
    addNode(graph(), type, inputs, {output});
    return *this;
  }
  HostileModel& number(const char* name, std::int64_t value) {
    auto* a = attribute(name, onnx::AttributeProto::INT);
    a->set_i(value);
    return *this;
  }
  HostileModel& numbers(const char* name, const Integers& values) {
    auto* a = attribute(name, onnx::AttributeProto::INTS);
    for (const auto value : values) a->add_ints(value);
    return *this;
  }
  HostileModel& real(const char* name, float value) {
    auto* a = attribute(name, onnx::AttributeProto::FLOAT);
    a->set_f(value);
    return *this;
  }
  HostileModel& text(const char* name, const std::string& value) {
    auto* a = attribute(name, onnx::AttributeProto::STRING);
    a->set_s(value);
    return *this;
  }
  HostileModel& subgraph(const char* name, const onnx::GraphProto& body) {
    *attribute(name, onnx::AttributeProto::GRAPH)->mutable_g() = body;
    return *this;
  }
  HostileModel& domain(const char* name) {
    graph()->mutable_node(graph()->node_size() - 1)->set_domain(name);
    auto* set = m_model.add_opset_import();
    set->set_domain(name);
    set->set_version(1);
    return *this;
  }
  HostileModel& outputs(const Names& names) {
    for (const auto& name : names) addValue(graph()->add_output(), name, {});
    return *this;
  }
  std::string bytes() {
    if (graph()->output_size() == 0) outputs({"y"});
    return m_model.SerializeAsString();
  }

private:
  onnx::AttributeProto* attribute(const char* name, onnx::AttributeProto::AttributeType type) {
    auto* a = graph()->mutable_node(graph()->node_size() - 1)->add_attribute();
    a->set_name(name);
    a->set_type(type);
    return a;
  }
  onnx::ModelProto m_model;
};

class Collection {
public:
  void add(const std::string& name, HostileModel& model, const std::string& words = {}) {
    m_files.push_back({name, model.bytes(), words});
  }
  void add(const std::string& name, HostileModel&& model, const std::string& words = {}) { add(name, model, words); }
  void raw(const std::string& name, const std::string& bytes, const std::string& words = {}) {
    m_files.push_back({name, bytes, words});
  }
  std::vector<HostileFile> take() { return std::move(m_files); }

private:
  std::vector<HostileFile> m_files;
};

inline std::string nameOf(std::int64_t value) { return std::to_string(value); }

// A chain of `times` nodes, each of which reads the one before.
template<class Step> HostileModel chain(HostileModel model, const std::string& start, int times, Step step) {
  std::string last = start;
  for (int i = 0; i < times; ++i) {
    const std::string next = i + 1 == times ? "y" : "n" + std::to_string(i);
    step(model, last, next);
    last = next;
  }
  return model;
}

// A graph of one node, as a branch or a body.
onnx::GraphProto branchOf(const std::string& type, const Names& inputs, const std::string& output);
// for (i < count; condition) state = type(state, more…)
onnx::GraphProto loopBody(const std::string& type, bool scans);
// The model with a constant `t` that is true.
HostileModel condition(HostileModel model);
// A tensor `start` that doubles `times` times.
HostileModel doubled(const char* start, int times);

void addGrowing(Collection& all);
void addAllSizes(Collection& all);
void addAttributes(Collection& all);
void addDeclarations(Collection& all);
void addGraphs(Collection& all);
void addWork(Collection& all);
void addBytes(Collection& all);
void addContradictions(Collection& all);

} // namespace tests::hostile
