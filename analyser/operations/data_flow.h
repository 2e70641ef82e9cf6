// The data flow between operations, followed through the program by the variables that each step reads and writes.
#pragma once

#include "analyser/operations/rollup.h"

#include <map>

namespace analyser::operations {

// One variable on its way from the operations that write it to one that reads it.
struct DataEdge {
  int from = 0, to = 0; // indices of Operations::rows
  int64_t variable = 0; // variable.id
  bool carried = false; // read before it is written: its value is from the last iteration or the last run
};

struct DataVariable {
  std::string name, type; // "half [64, 128]"
  Bytes bytes;            // over all tiles
};

struct DataFlow {
  bool isKnown = false;        // whether the report says what its steps read and write (schema version 3 on)
  std::vector<DataEdge> edges; // by from, to, variable; each once
  std::map<int64_t, DataVariable> variables;
  // By operation: whether it only passes data on and is drawn as arrows (Transfers::Arrows). Empty if no operation is.
  std::vector<bool> isArrow;
  std::string issue; // in words, if the program is too long to follow to its end; else empty
};
// Copies between IPUs are operations like all others, or arrows from writer to reader. A step that copies several variables becomes
// arrows only if the report says which variable becomes which (schema version 9 on).
enum class Transfers { Operations, Arrows };
// Steps outside all operations (rearrangements between them) pass on the data they read. A variable that several operations write
// before it is read comes from all of them.
DataFlow dataFlow(Session& session, const Operations& operations, Transfers transfers = Transfers::Operations,
                  std::stop_token stop = {});

// Operations as the nodes of a graph, with folders of names collapsed or open.
struct GraphNode {
  int row = 0; // index of the tree: a collapsed folder, or an operation
};
struct GraphEdge {
  int from = 0, to = 0;           // indices of OperationGraph::nodes
  Bytes bytes;                    // of its variables, each once
  std::vector<int64_t> variables; // largest first
  bool carried = false;           // all of them are
};
struct OperationGraph {
  std::vector<GraphNode> nodes; // in program order
  std::vector<GraphEdge> edges; // by from, to
};
// Operations drawn as arrows have no node. `open` says for each row of the tree whether its children replace it; rows without
// children ignore it.
OperationGraph operationGraph(const std::vector<TreeRow>& tree, const DataFlow& flow, const std::vector<bool>& open);

// Rows to open so that at most `most` nodes are seen: from the roots, the folder with most operations first. Up to ten times as many
// are seen if there would be only one.
std::vector<bool> openUpTo(const std::vector<TreeRow>& tree, std::size_t most);

// Rows to open so that folders of `levels` levels are visible; 0: as many as leave a readable graph; 1 opens no folder.
std::vector<bool> openFolders(const std::vector<TreeRow>& tree, int levels);

// The graph in the language of Graphviz; `title` names it.
std::string dotText(const OperationGraph& graph, const std::vector<TreeRow>& tree, const DataFlow& flow,
                    const std::string& title);

} // namespace analyser::operations
