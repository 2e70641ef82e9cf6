#include "simcore/model/onnx/function_expansion.h"

#include "reports/core/within.h"
#include "simcore/model/onnx/contrib_expansion.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace simcore::model {

using reports::Error;
using reports::ErrorCode;

namespace {

constexpr int kMaximumDepth = 32;
constexpr std::int64_t kMaximumNodes = 1'000'000;

using Names = std::map<std::string, std::string>;
using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

class Expander {
public:
  explicit Expander(const onnx::ModelProto& model) {
    for (const auto& function : model.functions()) m_functions[{function.domain(), function.name()}] = &function;
  }

  void expand(onnx::GraphProto& graph, int depth) {
    Nodes expanded;
    for (const auto& node : graph.node()) append(node, expanded, depth);
    graph.mutable_node()->Swap(&expanded);
  }

private:
  void append(const onnx::NodeProto& node, Nodes& target, int depth) {
    if (depth > kMaximumDepth)
      throw Error(ErrorCode::InvalidInput, "functions call each other without end", "node '" + node.name() + "'");
    if (++m_count > kMaximumNodes) throw Error(ErrorCode::Unsupported, "the model's functions expand to over a million nodes");
    const auto found = m_functions.find({node.domain(), node.op_type()});
    if (found == m_functions.end()) {
      const std::string name = node.name().empty() ? node.op_type() : node.name();
      if (const auto parts = contribParts(node, name + "#" + std::to_string(m_calls + 1) + "/"); !parts.empty()) {
        ++m_calls;
        for (const onnx::NodeProto& part : parts) append(part, target, depth + 1);
        return;
      }
      onnx::NodeProto* copy = target.Add();
      *copy = node;
      for (auto& attribute : *copy->mutable_attribute())
        if (attribute.has_g()) expand(*attribute.mutable_g(), depth + 1);
      return;
    }
    const onnx::FunctionProto& function = *found->second;
    const std::string prefix = (node.name().empty() ? function.name() : node.name()) + "#" + std::to_string(++m_calls) + "/";
    Names names;
    for (int i = 0; i < function.input_size(); ++i) names[function.input(i)] = i < node.input_size() ? node.input(i) : "";
    for (int i = 0; i < function.output_size(); ++i)
      if (i < node.output_size() && !node.output(i).empty()) names[function.output(i)] = node.output(i);
    for (const auto& inner : function.node()) {
      onnx::NodeProto copy = inner;
      copy.set_name(prefix + (inner.name().empty() ? inner.op_type() : inner.name()));
      bind(copy, node, names, prefix);
      append(copy, target, depth + 1);
    }
  }

  static std::vector<onnx::NodeProto> contribParts(const onnx::NodeProto& node, const std::string& prefix) {
    return reports::within("node '" + node.name() + "'", [&] { return expandContrib(node, prefix); });
  }

  // Renames the values of a node of a function body and fills attributes that refer to the call's.
  void bind(onnx::NodeProto& inner, const onnx::NodeProto& call, Names& names, const std::string& prefix) {
    const auto renamed = [&](const std::string& name) {
      if (name.empty()) return name;
      return names.emplace(name, prefix + name).first->second;
    };
    for (auto& input : *inner.mutable_input()) input = renamed(input);
    for (auto& output : *inner.mutable_output()) output = renamed(output);
    google::protobuf::RepeatedPtrField<onnx::AttributeProto> attributes;
    for (auto& attribute : *inner.mutable_attribute()) {
      if (attribute.has_g())
        for (auto& nested : *attribute.mutable_g()->mutable_node()) bind(nested, call, names, prefix);
      if (attribute.has_g())
        for (auto& output : *attribute.mutable_g()->mutable_output()) output.set_name(renamed(output.name()));
      if (attribute.ref_attr_name().empty()) {
        *attributes.Add() = attribute;
        continue;
      }
      for (const auto& given : call.attribute())
        if (given.name() == attribute.ref_attr_name()) {
          onnx::AttributeProto* filled = attributes.Add();
          *filled = given;
          filled->set_name(attribute.name());
        }
    }
    inner.mutable_attribute()->Swap(&attributes);
  }

  std::map<std::pair<std::string, std::string>, const onnx::FunctionProto*> m_functions;
  std::int64_t m_count = 0, m_calls = 0;
};

} // namespace

void expandFunctions(onnx::ModelProto& model) {
  const bool hasContrib = std::any_of(model.opset_import().begin(), model.opset_import().end(),
                                      [](const auto& import) { return import.domain() == "com.microsoft"; });
  if (model.functions_size() == 0 && !hasContrib) return;
  Expander(model).expand(*model.mutable_graph(), 0);
}

} // namespace simcore::model
