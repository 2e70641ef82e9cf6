#include "simcore/onnx/onnx_file.h"

#include "reports/core/error.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/model/graph/operator.h"
#include "simcore/onnx/tensor_proto.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace simcore::model {

namespace {

// The version of the format that came with opset 17 (ONNX 1.12).
constexpr std::int64_t kIrVersion = 8;
constexpr std::size_t kLargestModel = 0x7fffffff; // protobuf\'s own limit

void writeTensor(const HostTensor& tensor, const std::string& name, onnx::TensorProto& proto) {
  proto.set_name(name);
  proto.set_data_type(int(onnxTypeOf(tensor.type())));
  for (const std::int64_t dim : tensor.shape()) proto.add_dims(dim);
  proto.set_raw_data(tensor.raw().data(), tensor.byteCount());
}

void writeDeclaration(const ValueDeclaration& value, const Graph& graph, onnx::ValueInfoProto& proto) {
  proto.set_name(value.name);
  const auto inferred = graph.types.find(value.name);
  if (!value.type && inferred == graph.types.end()) return;
  auto& tensor = *proto.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(int(onnxTypeOf(value.type ? *value.type : inferred->second.type)));
  if (value.dims) {
    auto& shape = *tensor.mutable_shape();
    for (const Dimension& dim : *value.dims) {
      auto& written = *shape.add_dim();
      if (dim.size)
        written.set_dim_value(*dim.size);
      else if (!dim.symbol.empty())
        written.set_dim_param(dim.symbol);
    }
  } else if (inferred != graph.types.end()) {
    for (const std::int64_t size : inferred->second.shape) tensor.mutable_shape()->add_dim()->set_dim_value(size);
  }
}

class Writer {
public:
  explicit Writer(const std::map<std::string, HostTensor>& constants) : m_constants(constants) {}

  void graph(const Graph& source, onnx::GraphProto& proto, bool isMain) {
    proto.set_name(source.name.empty() ? "graph" : source.name);
    for (const auto& input : source.inputs) writeDeclaration(input, source, *proto.add_input());
    for (const auto& output : source.outputs) writeDeclaration(output, source, *proto.add_output());
    std::vector<std::string> names;
    for (const auto& [name, value] : source.initialisers) names.push_back(name);
    std::sort(names.begin(), names.end()); // so that the same model always gives the same file
    if (isMain)
      for (const auto& [name, value] : m_constants)
        if (!source.initialisers.count(name)) writeTensor(value, name, *proto.add_initializer());
    for (const std::string& name : names) {
      const auto replaced = isMain ? m_constants.find(name) : m_constants.end();
      writeTensor(replaced == m_constants.end() ? source.initialisers.at(name) : replaced->second, name,
                  *proto.add_initializer());
    }
    for (const Node& node : source.nodes)
      if (!isMain || node.outputs.size() != 1 || !m_constants.count(node.outputs[0])) writeNode(node, *proto.add_node());
  }

  // Opset versions by domain.
  const std::map<std::string, int>& opsets() const { return m_opsets; }

private:
  void writeNode(const Node& node, onnx::NodeProto& proto) {
    if (node.domain == kOwnDomain)
      throw Error(ErrorCode::Unsupported, "operator " + node.opType + " is not an ONNX operator", node.label());
    int& opset = m_opsets[node.domain];
    opset = std::max(opset, node.opset);
    proto.set_name(node.name);
    proto.set_op_type(node.opType);
    proto.set_domain(node.domain);
    for (const std::string& input : node.inputs) proto.add_input(input);
    for (const std::string& output : node.outputs) proto.add_output(output);
    for (const auto& [name, value] : node.attributes.all()) {
      onnx::AttributeProto& attribute = *proto.add_attribute();
      attribute.set_name(name);
      std::visit([&](const auto& v) { write(v, attribute); }, value);
    }
  }

  void write(std::int64_t v, onnx::AttributeProto& a) {
    a.set_type(onnx::AttributeProto::INT);
    a.set_i(v);
  }
  void write(float v, onnx::AttributeProto& a) {
    a.set_type(onnx::AttributeProto::FLOAT);
    a.set_f(v);
  }
  void write(const std::string& v, onnx::AttributeProto& a) {
    a.set_type(onnx::AttributeProto::STRING);
    a.set_s(v);
  }
  void write(const std::vector<std::int64_t>& v, onnx::AttributeProto& a) {
    a.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t i : v) a.add_ints(i);
  }
  void write(const std::vector<float>& v, onnx::AttributeProto& a) {
    a.set_type(onnx::AttributeProto::FLOATS);
    for (const float f : v) a.add_floats(f);
  }
  void write(const std::vector<std::string>& v, onnx::AttributeProto& a) {
    a.set_type(onnx::AttributeProto::STRINGS);
    for (const std::string& s : v) a.add_strings(s);
  }
  void write(const HostTensor& v, onnx::AttributeProto& a) {
    a.set_type(onnx::AttributeProto::TENSOR);
    writeTensor(v, {}, *a.mutable_t());
  }
  void write(const std::shared_ptr<const Graph>& v, onnx::AttributeProto& a) {
    a.set_type(onnx::AttributeProto::GRAPH);
    graph(*v, *a.mutable_g(), false);
  }

  const std::map<std::string, HostTensor>& m_constants;
  std::map<std::string, int> m_opsets;
};

void requireConstants(const Model& model, const std::map<std::string, HostTensor>& constants) {
  for (const auto& [name, value] : constants) {
    if (const auto old = model.graph.initialisers.find(name); old != model.graph.initialisers.end()) {
      if (old->second.shape() != value.shape() || old->second.type() != value.type())
        throw Error(ErrorCode::InvalidInput, "'" + name + "' does not have the shape or type of the constant it replaces",
                    model.file);
      continue;
    }
    const bool isMade = std::any_of(model.graph.nodes.begin(), model.graph.nodes.end(), [&made = name](const Node& node) {
      return node.outputs.size() == 1 && node.outputs[0] == made;
    });
    if (!isMade) throw Error(ErrorCode::NotFound, "'" + name + "' is not a constant of the model", model.file);
  }
}

// Keeps the exporter as the producer, because readers recognise its conventions by its name.
void setProducer(onnx::ModelProto& proto, const Model& model) {
  proto.set_producer_name("tilescope");
  for (const auto& [note, value] : model.notes) {
    if (note != "producer" || value.starts_with("tilescope")) continue;
    proto.set_producer_name(value.substr(0, value.find(' ')));
    if (const std::size_t space = value.find(' '); space != std::string::npos)
      proto.set_producer_version(value.substr(space + 1));
    auto& written = *proto.add_metadata_props();
    written.set_key("written_by"), written.set_value("tilescope");
  }
}

} // namespace

std::string onnxBytes(const Model& model, const std::map<std::string, HostTensor>& constants) {
  requireConstants(model, constants);
  onnx::ModelProto proto;
  Writer writer(constants);
  writer.graph(model.graph, *proto.mutable_graph(), true);
  proto.set_ir_version(kIrVersion);
  setProducer(proto, model);
  std::map<std::string, int> opsets = writer.opsets();
  if (!opsets.count("")) opsets[""] = model.opset;
  for (const auto& [domain, version] : opsets) {
    auto& entry = *proto.add_opset_import();
    entry.set_domain(domain);
    entry.set_version(version);
  }
  if (proto.ByteSizeLong() > kLargestModel)
    throw Error(ErrorCode::Unsupported, "the model has more than the 2 GB that one .onnx file can hold", model.file);
  return proto.SerializeAsString();
}

void writeOnnx(const Model& model, const std::map<std::string, HostTensor>& constants, const std::filesystem::path& file) {
  const std::string bytes = onnxBytes(model, constants);
  errno = 0;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  if (stream) stream.write(bytes.data(), std::streamsize(bytes.size()));
  if (stream) stream.close();
  const int reason = errno;
  if (!stream)
    throw Error(ErrorCode::Io,
                "the file cannot be written" + (reason ? ": " + std::generic_category().message(reason) : std::string()),
                file.string());
}

} // namespace simcore::model
