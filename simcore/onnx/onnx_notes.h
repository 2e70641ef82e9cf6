// Notes in an ONNX file for its readers: about single nodes and about the whole model.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace onnx {
class ModelProto;
class NodeProto;
} // namespace onnx

namespace simcore::model {

// The source lines from which a node was exported, cut to a few thousand characters; empty if the exporter did not write them.
// They are in the metadata pkg.torch.onnx.stack_trace, in older files in doc_string.
std::string noteOf(const onnx::NodeProto& node);

// The name of a node below the modules that called it, in the form of torch's older exporter: "/layers/layers.0/attend/MatMul_3".
// Only for nodes with torch's newer metadata (pkg.torch.onnx.name_scopes, or the older namespace); other names are returned
// unchanged.
std::string nameInModules(const onnx::NodeProto& node);

// The note of a file whose exporter folded batch norms into convolutions.
inline constexpr const char* kFoldedNorms = "folded norms";
// The note of a file whose nodes name their modules in metadata, as torch's newer exporter writes them.
inline constexpr const char* kModulesOfNodes = "modules of nodes";
// Names and values: producer, ir_version, "opset <domain>", graph, domain, model_version, description, and "metadata <key>" for
// metadata_props; long values are cut, and "more metadata" counts the entries left out.
std::vector<std::pair<std::string, std::string>> notesOf(const onnx::ModelProto& model);

} // namespace simcore::model
