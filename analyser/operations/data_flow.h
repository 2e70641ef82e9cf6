// The data flow between operations, traced through the program by the variables that each step reads and writes.
#pragma once

#include "analyser/operations/rollup.h"

#include <map>

namespace analyser::operations {

// An operation reads a variable that another operation writes.
struct DataEdge {
  int from = 0, to = 0; // indices of Operations::rows
  int64_t variable = 0; // variable.id
  bool carried = false; // read before it is written: its value comes from the previous iteration or run
};

struct DataVariable {
  std::string name, type; // "half [64, 128]"
  Bytes bytes;            // over all tiles
};

struct DataFlow {
  bool isKnown = false;        // the report has the reads and writes of its steps (schema version 3 on)
  std::vector<DataEdge> edges; // sorted by from, to, variable; without duplicates
  std::map<int64_t, DataVariable> variables;
  // By operation: whether it only passes data on and is drawn as arrows (Transfers::Arrows). Empty if none does.
  std::vector<bool> isArrow;
  std::string issue; // set if the program is too long to trace completely; else empty
};
// Copies between IPUs are operations like all others, or arrows from writer to reader. A step that copies several variables
// becomes arrows only if the report has the source of each (schema version 9 on).
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
  bool carried = false;           // true if all its variables are carried
};
struct OperationGraph {
  std::vector<GraphNode> nodes; // in program order
  std::vector<GraphEdge> edges; // sorted by from, to
};
// Operations drawn as arrows have no node. `open`: for each row of the tree, whether its children replace it; rows without
// children ignore it.
OperationGraph operationGraph(const std::vector<TreeRow>& tree, const DataFlow& flow, const std::vector<bool>& open);

// Rows to open so that at most `most` nodes are visible: from the roots, the folder with most operations first. If that leaves a
// single node, up to ten times as many are allowed.
std::vector<bool> openUpTo(const std::vector<TreeRow>& tree, std::size_t most);

// Rows to open so that folders of `levels` levels are visible; 0: as many as keep the graph readable; 1 opens no folder.
std::vector<bool> openFolders(const std::vector<TreeRow>& tree, int levels);

// The graph as Graphviz source; `title` names it.
std::string dotText(const OperationGraph& graph, const std::vector<TreeRow>& tree, const DataFlow& flow,
                    const std::string& title);

} // namespace analyser::operations
