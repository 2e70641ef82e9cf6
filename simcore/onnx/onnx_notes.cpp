#include "simcore/onnx/onnx_notes.h"

#include "simcore/onnx/tensor_proto.h"

#include <algorithm>

namespace simcore::model {

namespace {

constexpr std::size_t kLongestNote = 4000, kLongestName = 100; // bytes
constexpr int kMostNotes = 48;                                 // largest number of opset notes, and of metadata notes
constexpr int kMetadataOfNode = 9;                             // field number of NodeProto.metadata_props, since ONNX 1.16
constexpr const char* kStackTrace = "pkg.torch.onnx.stack_trace";
constexpr const char* kNameScopes = "pkg.torch.onnx.name_scopes"; // ['', 'layers', 'layers.0', 'layers.0.attend', 'linear']
constexpr const char* kNamespaces[] = {"pkg.torch.onnx.namespace", "namespace"}; // ": Net/layers.0: Block/linear: aten.linear"
constexpr const char* kNoScope = "_empty_nn_module_stack"; // torch 2 writes it for nodes that a pass of torch.export added
constexpr const char* kRewriting = "pkg.onnxscript.rewriter.rule_name"; // marks a node that torch 2 made of several
constexpr std::size_t kMostScopes = 32;

// Cuts at a character boundary: bytes 10xxxxxx continue a character.
std::string cut(std::string text, std::size_t most = kLongestNote) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most) + " …";
}

// An onnx library that is older than the field metadata_props keeps it as an unknown field with this number.
template<class Node> std::string metadataOf(const Node& node, const std::string& key) {
  const auto& fields = node.unknown_fields();
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    if (field.number() != kMetadataOfNode || field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) continue;
    onnx::StringStringEntryProto entry;
    if (entry.ParseFromString(field.length_delimited()) && entry.key() == key) return entry.value();
  }
  if constexpr (requires { node.metadata_props(); })
    for (const auto& entry : node.metadata_props())
      if (entry.key() == key) return entry.value();
  return {};
}

// The texts in a list printed by Python.
std::vector<std::string> textsOf(const std::string& list) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < list.size() && texts.size() < kMostScopes; ++at) {
    const char quote = list[at];
    if (quote != '\'' && quote != '"') continue;
    const std::size_t end = list.find(quote, at + 1);
    if (end == std::string::npos) break;
    texts.push_back(list.substr(at + 1, end - at - 1));
    at = end;
  }
  return texts;
}

// The modules around a node, outermost first, each with its full name; the last is the node's own.
std::vector<std::string> scopesOf(const onnx::NodeProto& node) {
  if (auto scopes = textsOf(metadataOf(node, kNameScopes)); !scopes.empty()) return scopes;
  std::vector<std::string> scopes;
  for (const char* key : kNamespaces) {
    const std::string path = metadataOf(node, key);
    for (std::size_t at = 0; at < path.size() && scopes.size() < kMostScopes;) {
      const std::size_t end = std::min(path.find('/', at), path.size());
      const std::string part = path.substr(at, end - at);
      scopes.push_back(part.substr(0, part.find(':')));
      at = end + 1;
    }
    if (!scopes.empty()) break;
  }
  return scopes;
}

} // namespace

std::string nameInModules(const onnx::NodeProto& node) {
  std::vector<std::string> scopes = scopesOf(node);
  if (scopes.size() < 2 || node.name().find('/') != std::string::npos) return node.name();
  scopes.pop_back();
  std::string path, around;
  for (const std::string& scope : scopes) {
    if (scope.empty() || scope.find(kNoScope) != std::string::npos) continue;
    std::string own = !around.empty() && scope.starts_with(around + ".") ? scope.substr(around.size() + 1) : scope;
    const bool isNumber = std::all_of(own.begin(), own.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (isNumber && !around.empty()) own = around.substr(around.rfind('.') + 1) + "." + own; // an element of a list: "layers.0"
    std::replace(own.begin(), own.end(), '/', '.');
    path += "/" + own;
    around = scope;
  }
  if (path.empty()) return node.name();
  if (!node.name().empty()) return path + "/" + node.name();
  std::string output = node.output_size() > 0 ? node.output(0) : std::string(); // distinguishes nodes without a name
  std::replace(output.begin(), output.end(), '/', '.');
  return path + "/" + node.op_type() + "(" + output + ")";
}

std::string noteOf(const onnx::NodeProto& node) {
  std::string trace = metadataOf(node, kStackTrace);
  return cut(trace.empty() ? node.doc_string() : std::move(trace));
}

std::vector<std::pair<std::string, std::string>> notesOf(const onnx::ModelProto& model) {
  std::vector<std::pair<std::string, std::string>> notes;
  const auto add = [&](const std::string& name, std::string value) {
    if (!value.empty()) notes.emplace_back(cut(name, kLongestName), cut(std::move(value)));
  };
  add("producer", model.producer_name() + (model.producer_version().empty() ? "" : " " + model.producer_version()));
  if (model.has_ir_version()) add("ir_version", std::to_string(model.ir_version()));
  for (int i = 0; i < std::min(model.opset_import_size(), kMostNotes); ++i) {
    const auto& import = model.opset_import(i);
    add("opset " + (import.domain().empty() ? std::string("ai.onnx") : import.domain()), std::to_string(import.version()));
  }
  const auto& nodes = model.graph().node();
  if (std::any_of(nodes.begin(), nodes.end(),
                  [](const auto& node) { return metadataOf(node, kRewriting).find("FuseBatchNorm") != std::string::npos; }))
    add(kFoldedNorms, "by the exporter");
  if (std::any_of(nodes.begin(), nodes.end(), [](const auto& node) { return scopesOf(node).size() > 1; }))
    add(kModulesOfNodes, "in their metadata");
  add("graph", model.graph().name());
  add("domain", model.domain());
  if (model.has_model_version() && model.model_version() != 0) add("model_version", std::to_string(model.model_version()));
  add("description", model.doc_string());
  const int known = std::min(model.metadata_props_size(), kMostNotes);
  for (int i = 0; i < known; ++i) add("metadata " + model.metadata_props(i).key(), model.metadata_props(i).value());
  if (known < model.metadata_props_size()) add("more metadata", std::to_string(model.metadata_props_size() - known) + " entries");
  return notes;
}

} // namespace simcore::model
