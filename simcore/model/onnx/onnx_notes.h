// What an ONNX file says about itself for people: of a node, of the whole model.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace onnx {
class ModelProto;
class NodeProto;
} // namespace onnx

namespace simcore::model {

// The lines of the program that a node was exported from, if the exporter wrote them (metadata pkg.torch.onnx.stack_trace, or before
// that doc_string); cut to a few thousand characters. Else empty.
std::string noteOf(const onnx::NodeProto& node);

// Names and values in the order of the file: producer, IR version, opsets, model version, description, metadata_props.
std::vector<std::pair<std::string, std::string>> notesOf(const onnx::ModelProto& model);

} // namespace simcore::model
