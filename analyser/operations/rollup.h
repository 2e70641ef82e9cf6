// The same costs in other groups: operations as a tree of their names (fwd/layer3/attention), and
// the program's steps by the software layer that made them: model or ONNX nodes, library calls,
// vertex types. Sums are kept: the roots of a tree, like the rows of a layer, add up to the whole.
#pragma once

#include "analyser/operations/operation_steps.h"

namespace analyser::operations {

struct TreeRow {
  std::string title; // one or more parts of the name: folders with one child are joined
  int parent = -1;   // index of an earlier row; -1: a root
  int depth = 0;
  int operation = -1; // index of Operations::rows; -1: a folder
  int64_t operations = 0;
  Operation totals; // of all operations below; name: the full path
};
// In program order, parents before children. An operation that is also a folder has its own row below the folder.
std::vector<TreeRow> nameTree(const Operations& operations);
// The tree of names below a root for each set of IPUs that compute, e.g. "IPU 0": the stages of a pipeline, the shards of a
// model. Roots are in the order of their first IPU. Operations that only move data between IPUs have a separate root, and
// operations that never ran have the last root.
std::vector<TreeRow> ipuTree(const Operations& operations);
// "IPU 2", "IPUs 0 to 3", "IPUs 0, 2 and 5"; `ipus` ascending. Empty for none.
std::string ipusTitle(const std::vector<int>& ipus);

// Steps can be summed by the layers of the model, by those of the software that made them (outermost first, e.g. onnx, library)
// and by vertex types.
inline constexpr std::string_view kModelLayers = "model layer", kVertexTypes = "vertex type";
std::vector<std::string> layersOf(Session& session, std::stop_token stop = {});
// The name of a layer in the window: "ONNX nodes".
std::string layerTitle(std::string_view layer);
struct Layer {
  Operations operations;
  std::vector<OperationStep> steps; // `operation` is an index of operations.rows
};
// The totals of each layer of the model (see model_layers.h), or of each context of a software layer (the outermost if contexts
// of one layer nest). Steps outside the layer are left out; only runCycles and stepCycles include them. A compute step is divided
// among its vertex types by their cycles.
Layer operationsOfLayer(Session& session, const std::string& layer, std::stop_token stop = {});

} // namespace analyser::operations
