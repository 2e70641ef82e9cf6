// The debug contexts of a model's nodes: one per module (the parts of a name between slashes, as torch's exporters write them),
// so that modules nest in time, and below it one per lowered operation.
#pragma once

#include "simcore/graph/graph.h"
#include "simcore/model/graph/graph.h"

#include <map>

namespace simcore::model {

// The modules around a node, outermost first, and its own name: {"h.0", "attn", "MatMul"} for the name "/h.0/attn/MatMul". Never empty.
std::vector<std::string> placeOf(const Node& node);
// The name of a node that was fused into `node`, without the modules that both share.
std::string nameInside(const Node& node, const std::string& fused);

class NodeContexts {
public:
  NodeContexts(graph::Graph& target, reports::DebugContextId root) : m_target(target), m_root(root) {}

  reports::DebugContextId root() const { return m_root; }
  // The context of a path below the root.
  reports::DebugContextId of(const std::vector<std::string>& path);
  reports::DebugContextId add(const Node& node);
  // A new context for the operation to which a node of the graph is lowered.
  reports::DebugContextId addLowered(const Node& node) { return m_ofNode[&node] = add(node); }
  reports::DebugContextId loweredIn(const Node& node) const { return m_ofNode.at(&node); }

private:
  graph::Graph& m_target;
  reports::DebugContextId m_root;
  std::map<std::vector<std::string>, reports::DebugContextId> m_ofPath;
  std::map<const Node*, reports::DebugContextId> m_ofNode;
};

} // namespace simcore::model
