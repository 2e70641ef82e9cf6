#include "simcore/model/onnx/onnx_file.h"

#include "reports/core/within.h"
#include "simcore/model/graph/expansion.h"
#include "simcore/model/onnx/tensor_files.h"
#include "simcore/model/onnx/tensor_proto.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <algorithm>
#include <fcntl.h>
#include <limits>
#include <map>
#include <set>
#include <string>

namespace simcore::model {

using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

namespace {

constexpr int kMaximumNesting = 24;                 // subgraphs within subgraphs
constexpr int kMessageDepth = 100;                  // protobuf messages within messages
constexpr std::uintmax_t kLargestFile = 0x7fffffff; // protobuf's own limit
constexpr int kBlock = 1 << 20;                     // bytes read at once

class Reader {
public:
  // `calls` functions were expanded before: what contrib operators stand for is numbered after them.
  Reader(const onnx::ModelProto& proto, std::filesystem::path folder, std::int64_t calls)
      : m_folder(std::move(folder)), m_calls(calls) {
    for (const auto& import : proto.opset_import()) {
      const std::string domain = normalised(import.domain());
      if (import.version() < 1 || import.version() > 1000)
        throw Error(ErrorCode::InvalidInput, "the opset of domain '" + domain + "' is " + std::to_string(import.version()));
      m_opsets[domain] = int(import.version());
    }
  }

  int opset(const std::string& domain) const {
    const auto found = m_opsets.find(domain);
    return found == m_opsets.end() ? 1 : found->second;
  }

  Graph read(const onnx::GraphProto& proto, int nesting) {
    if (nesting > kMaximumNesting) throw Error(ErrorCode::InvalidInput, "subgraphs are nested too deeply");
    Graph graph;
    graph.name = proto.name();
    for (const auto& tensor : proto.initializer())
      if (!graph.initialisers.emplace(tensor.name(), tensorOf(tensor, m_folder)).second)
        throw Error(ErrorCode::InvalidInput, "the initialiser '" + tensor.name() + "' is given twice");
    if (proto.sparse_initializer_size()) throw Error(ErrorCode::Unsupported, "sparse initialisers are not supported");
    for (const auto& input : proto.input())
      if (!graph.initialisers.count(input.name())) graph.inputs.push_back(declaration(input));
    for (const auto& output : proto.output()) graph.outputs.push_back(declaration(output));
    graph.nodes.reserve(std::size_t(proto.node_size()));
    for (const auto& node : proto.node()) append(readNode(node, nesting), graph.nodes);
    return graph;
  }

private:
  static std::string normalised(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

  static ValueDeclaration declaration(const onnx::ValueInfoProto& proto) {
    ValueDeclaration value;
    value.name = proto.name();
    if (!proto.type().has_tensor_type()) return value;
    const auto& type = proto.type().tensor_type();
    value.type = elementTypeOfOnnx(type.elem_type());
    if (!type.has_shape()) return value;
    value.dims.emplace();
    for (const auto& dim : type.shape().dim()) {
      Dimension dimension;
      // Exporters write 0 and -1 for "any" as well as names.
      if (dim.has_dim_value() && dim.dim_value() >= 0) dimension.size = dim.dim_value();
      if (dim.has_dim_param()) dimension.symbol = dim.dim_param();
      value.dims->push_back(dimension);
    }
    return value;
  }

  Node readNode(const onnx::NodeProto& proto, int nesting) {
    Node node;
    node.opType = proto.op_type();
    node.domain = normalised(proto.domain());
    node.name = proto.name();
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    node.opset = opset(node.domain);
    reports::within(node.label(), [&] {
      for (const auto& attribute : proto.attribute()) readAttribute(attribute, node.attributes, nesting);
    });
    return node;
  }

  void append(Node node, std::vector<Node>& nodes) {
    const std::string prefix = (node.name.empty() ? node.opType : node.name) + "#" + std::to_string(m_calls + 1) + "/";
    auto parts = reports::within(node.label(), [&] { return expandContrib(node, prefix, opset("")); });
    if (parts.empty())
      parts.push_back(std::move(node));
    else
      ++m_calls;
    for (Node& part : parts) {
      requireKnownForm(part);
      nodes.push_back(std::move(part));
    }
  }

  // The first version of the format did not write the kind: it is that of the field which is there.
  static onnx::AttributeProto::AttributeType kindOf(const onnx::AttributeProto& proto) {
    using Proto = onnx::AttributeProto;
    if (proto.type() != Proto::UNDEFINED) return proto.type();
    if (proto.has_f()) return Proto::FLOAT;
    if (proto.has_i()) return Proto::INT;
    if (proto.has_s()) return Proto::STRING;
    if (proto.has_t()) return Proto::TENSOR;
    if (proto.has_g()) return Proto::GRAPH;
    if (proto.floats_size()) return Proto::FLOATS;
    if (proto.strings_size()) return Proto::STRINGS;
    return Proto::INTS;
  }

  void readAttribute(const onnx::AttributeProto& proto, Attributes& attributes, int nesting) {
    const std::string& name = proto.name();
    switch (kindOf(proto)) {
    case onnx::AttributeProto::INT: return attributes.set(name, std::int64_t(proto.i()));
    case onnx::AttributeProto::FLOAT: return attributes.set(name, proto.f());
    case onnx::AttributeProto::STRING: return attributes.set(name, proto.s());
    case onnx::AttributeProto::INTS:
      return attributes.set(name, std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end()));
    case onnx::AttributeProto::FLOATS:
      return attributes.set(name, std::vector<float>(proto.floats().begin(), proto.floats().end()));
    case onnx::AttributeProto::STRINGS:
      return attributes.set(name, std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
    case onnx::AttributeProto::TENSOR: return attributes.set(name, tensorOf(proto.t(), m_folder));
    case onnx::AttributeProto::GRAPH:
      return attributes.set(name, std::shared_ptr<const Graph>(std::make_shared<Graph>(read(proto.g(), nesting + 1))));
    default: throw Error(ErrorCode::Unsupported, "attribute '" + name + "' is of a kind that is not supported");
    }
  }

  std::filesystem::path m_folder;
  std::int64_t m_calls;
  std::unordered_map<std::string, int> m_opsets;
};

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
  std::int64_t calls() const { return m_calls; }

private:
  void append(const onnx::NodeProto& node, Nodes& target, int depth) {
    if (depth > kMaximumDepth)
      throw Error(ErrorCode::InvalidInput, "functions call each other without end", "node '" + node.name() + "'");
    if (++m_count > kMaximumNodes) throw Error(ErrorCode::Unsupported, "the model's functions expand to over a million nodes");
    const auto found = m_functions.find({node.domain(), node.op_type()});
    if (found == m_functions.end()) {
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

// Replaces calls of model-local functions, in the main graph and its subgraphs, by the nodes of the functions, so that nothing after the
// reader knows of them; gives the number of calls. Throws Error(InvalidInput) for recursion and (Unsupported) when the expansion passes a
// million nodes.
std::int64_t expandFunctions(onnx::ModelProto& model) {
  if (model.functions_size() == 0) return 0;
  Expander expander(model);
  expander.expand(*model.mutable_graph(), 0);
  return expander.calls();
}

onnx::ModelProto parsed(google::protobuf::io::ZeroCopyInputStream& source) {
  google::protobuf::io::CodedInputStream stream(&source);
  stream.SetRecursionLimit(kMessageDepth);
  onnx::ModelProto proto;
  if (!proto.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    throw Error(ErrorCode::Damaged, "this is not a whole ONNX model", {}, "the file is cut short or of another format");
  if (!proto.has_graph() || proto.opset_import_size() == 0)
    throw Error(ErrorCode::Damaged, "this is not an ONNX model: it has no graph or no opset");
  return proto;
}

Model modelOf(google::protobuf::io::ZeroCopyInputStream& source, const std::string& name, const std::filesystem::path& folder) {
  return reports::within(name, [&] {
    onnx::ModelProto proto = parsed(source);
    const std::int64_t calls = expandFunctions(proto);
    Reader reader(proto, folder, calls);
    Model model;
    model.file = name;
    model.producer = proto.producer_name() + (proto.producer_version().empty() ? "" : " " + proto.producer_version());
    model.opset = reader.opset("");
    model.graph = reader.read(proto.graph(), 0);
    sortNodes(model.graph);
    return model;
  });
}

} // namespace

Model parseOnnx(const std::string& bytes, const std::string& name, const std::filesystem::path& folder) {
  if (bytes.size() > kLargestFile) throw Error(ErrorCode::InvalidInput, "the model is larger than 2 GiB", name);
  google::protobuf::io::ArrayInputStream array(bytes.data(), int(bytes.size()));
  return modelOf(array, name, folder);
}

// Straight from the file: its bytes are not held beside the message made of them.
Model readOnnx(const std::filesystem::path& file) {
  requireReadable(file, kLargestFile);
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw Error(ErrorCode::Io, "the file cannot be read", file.string());
  google::protobuf::io::FileInputStream stream(descriptor, kBlock);
  stream.SetCloseOnDelete(true);
  Model model = modelOf(stream, file.string(), file.parent_path());
  if (stream.GetErrno()) throw Error(ErrorCode::Io, "the file cannot be read", file.string());
  return model;
}

} // namespace simcore::model
