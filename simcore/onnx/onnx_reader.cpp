#include "simcore/onnx/onnx_file.h"

#include "reports/core/within.h"
#include "simcore/model/graph/expansion.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/onnx/onnx_notes.h"
#include "simcore/onnx/tensor_files.h"
#include "simcore/onnx/tensor_proto.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <cerrno>
#include <fcntl.h>
#include <set>
#include <string>
#include <system_error>

namespace simcore::model {

namespace {

constexpr int kMaximumNesting = 24;                 // subgraphs within subgraphs
constexpr int kMessageDepth = 100;                  // protobuf messages within messages
constexpr std::uintmax_t kLargestFile = 0x7fffffff; // protobuf's own limit
constexpr int kBlock = 1 << 20;                     // bytes read at once

class Reader {
public:
  Reader(const onnx::ModelProto& proto, std::filesystem::path folder) : m_folder(std::move(folder)) {
    for (const auto& import : proto.opset_import()) {
      const std::string domain = normalised(import.domain());
      if (import.version() < 1 || import.version() > 1000)
        throw Error(ErrorCode::InvalidInput,
                    "the opset of domain '" + domain + "' is " + std::to_string(import.version()) + ", not 1 to 1000");
      m_opsets[domain] = int(import.version());
    }
  }

  int opset(const std::string& domain) const {
    const auto found = m_opsets.find(domain);
    return found == m_opsets.end() ? 1 : found->second;
  }

  // Frees the bytes of initialisers in the message as soon as they are tensors.
  Graph read(onnx::GraphProto& proto, int nesting) {
    if (nesting > kMaximumNesting) throw Error(ErrorCode::InvalidInput, "subgraphs are nested too deeply");
    Graph graph;
    graph.name = proto.name();
    for (auto& tensor : *proto.mutable_initializer()) {
      if (!graph.initialisers.emplace(tensor.name(), tensorOf(tensor, m_folder)).second)
        throw Error(ErrorCode::InvalidInput, "the initialiser '" + tensor.name() + "' is given twice");
      if (tensor.has_raw_data()) std::string().swap(*tensor.mutable_raw_data());
    }
    if (proto.sparse_initializer_size()) throw Error(ErrorCode::Unsupported, "sparse initialisers are not supported");
    std::set<std::string> names;
    for (const auto& input : proto.input()) {
      if (!input.name().empty() && !names.insert(input.name()).second)
        throw Error(ErrorCode::InvalidInput, "the graph has two inputs called '" + input.name() + "'");
      if (!graph.initialisers.count(input.name())) graph.inputs.push_back(declaration(input));
    }
    for (const auto& output : proto.output()) graph.outputs.push_back(declaration(output));
    graph.nodes.reserve(std::size_t(proto.node_size()));
    for (auto& node : *proto.mutable_node()) graph.nodes.push_back(readNode(node, nesting));
    return graph;
  }

  Function readFunction(onnx::FunctionProto& proto) {
    const auto ofModel = m_opsets; // restored below: a function declares the opsets of its own nodes
    for (const auto& import : proto.opset_import()) m_opsets[normalised(import.domain())] = int(import.version());
    Function function{normalised(proto.domain()), proto.name(), {}, {}, {}};
    function.inputs.assign(proto.input().begin(), proto.input().end());
    function.outputs.assign(proto.output().begin(), proto.output().end());
    for (auto& node : *proto.mutable_node()) function.nodes.push_back(readNode(node, 0));
    m_opsets = ofModel;
    return function;
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
      // Besides names, exporters write 0 and -1 for "any" size.
      if (dim.has_dim_value() && dim.dim_value() >= 0) dimension.size = dim.dim_value();
      if (dim.has_dim_param()) dimension.symbol = dim.dim_param();
      value.dims->push_back(dimension);
    }
    return value;
  }

  Node readNode(onnx::NodeProto& proto, int nesting) {
    Node node;
    node.opType = proto.op_type();
    node.domain = normalised(proto.domain());
    node.name = nameInModules(proto);
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    node.opset = opset(node.domain);
    if (node.domain == kOwnDomain && node.opset > 1)
      node.domain.clear(); // now an operator of ONNX in that opset, although the model's opset may be older
    node.doc = noteOf(proto);
    reports::within(node.label(), [&] {
      for (auto& attribute : *proto.mutable_attribute())
        if (attribute.ref_attr_name().empty())
          readAttribute(attribute, node.attributes, nesting);
        else
          node.fromCall[attribute.name()] = attribute.ref_attr_name();
    });
    return node;
  }

  // The first version of the format does not store the kind; it follows from the field that is present.
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

  void readAttribute(onnx::AttributeProto& proto, Attributes& attributes, int nesting) {
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
      return attributes.set(name, std::shared_ptr<const Graph>(std::make_shared<Graph>(read(*proto.mutable_g(), nesting + 1))));
    default: throw Error(ErrorCode::Unsupported, "attribute '" + name + "' is of a kind that is not supported");
    }
  }

  std::filesystem::path m_folder;
  std::unordered_map<std::string, int> m_opsets;
};

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
    Reader reader(proto, folder);
    std::vector<Function> functions;
    for (auto& function : *proto.mutable_functions())
      functions.push_back(reports::within("function '" + function.name() + "'", [&] { return reader.readFunction(function); }));
    Model model;
    model.file = name;
    model.notes = notesOf(proto);
    model.opset = reader.opset("");
    model.graph = reader.read(*proto.mutable_graph(), 0);
    expandCalls(model.graph, functions, model.opset);
    sortNodes(model.graph);
    return model;
  });
}

Error unreadable(const std::filesystem::path& file, int reason) {
  return {ErrorCode::Io, "the file cannot be read: " + std::generic_category().message(reason), file.string()};
}

} // namespace

Model parseOnnx(const std::string& bytes, const std::string& name, const std::filesystem::path& folder) {
  if (bytes.size() > kLargestFile) throw Error(ErrorCode::InvalidInput, "the model is larger than 2 GiB", name);
  google::protobuf::io::ArrayInputStream array(bytes.data(), int(bytes.size()));
  return modelOf(array, name, folder);
}

// Parses directly from the file, so that its bytes and the parsed message are not in memory together.
Model readOnnx(const std::filesystem::path& file) {
  requireReadable(file, kLargestFile);
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw unreadable(file, errno);
  google::protobuf::io::FileInputStream stream(descriptor, kBlock);
  stream.SetCloseOnDelete(true);
  Model model = modelOf(stream, file.string(), file.parent_path());
  if (stream.GetErrno()) throw unreadable(file, stream.GetErrno());
  return model;
}

} // namespace simcore::model
