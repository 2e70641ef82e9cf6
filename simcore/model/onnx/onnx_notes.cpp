#include "simcore/model/onnx/onnx_notes.h"

#include "simcore/model/onnx/tensor_proto.h"

#include <algorithm>

namespace simcore::model {

namespace {

constexpr std::size_t kLongestNote = 4000, kMostNotes = 64; // characters of one; of the metadata
constexpr int kMetadataOfNode = 9;                          // number of NodeProto.metadata_props, since ONNX 1.16
constexpr const char* kStackTrace = "pkg.torch.onnx.stack_trace";

std::string cut(std::string text) {
  if (text.size() > kLongestNote) text = text.substr(0, kLongestNote) + " …";
  return text;
}

// A library that is older than the field keeps it by its number.
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

} // namespace

std::string noteOf(const onnx::NodeProto& node) {
  std::string trace = metadataOf(node, kStackTrace);
  return cut(trace.empty() ? node.doc_string() : std::move(trace));
}

std::vector<std::pair<std::string, std::string>> notesOf(const onnx::ModelProto& model) {
  std::vector<std::pair<std::string, std::string>> notes;
  const auto add = [&](const std::string& name, std::string value) {
    if (!value.empty() && notes.size() < kMostNotes) notes.emplace_back(name, cut(std::move(value)));
  };
  add("producer", model.producer_name() + (model.producer_version().empty() ? "" : " " + model.producer_version()));
  if (model.has_ir_version()) add("ir_version", std::to_string(model.ir_version()));
  for (const auto& import : model.opset_import())
    add("opset " + (import.domain().empty() ? std::string("ai.onnx") : import.domain()), std::to_string(import.version()));
  add("graph", model.graph().name());
  add("domain", model.domain());
  if (model.has_model_version() && model.model_version() != 0) add("model_version", std::to_string(model.model_version()));
  add("description", model.doc_string());
  for (const auto& entry : model.metadata_props()) add(entry.key(), entry.value());
  return notes;
}

} // namespace simcore::model
