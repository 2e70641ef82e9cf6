#include "simcore/model/lowering/node_contexts.h"

#include "reports/core/json.h"

#include <nlohmann/json.hpp>

namespace simcore::model {

reports::DebugContextId NodeContexts::of(const std::vector<std::string>& path) {
  if (path.empty()) return m_root;
  const auto found = m_ofPath.find(path);
  if (found != m_ofPath.end()) return found->second;
  const auto parent = of({path.begin(), path.end() - 1});
  return m_ofPath[path] = m_target.addContext(parent, path.back(), "model", "", {}, graph::kNoSource);
}

reports::DebugContextId NodeContexts::add(const Node& node) {
  nlohmann::json details{{"op", node.opType}, {"opset", node.opset}};
  if (!node.domain.empty()) details["domain"] = node.domain;
  if (!node.doc.empty()) details["doc"] = node.doc;
  for (const Node::Origin& origin : node.fused) details["fused"].push_back({{"name", origin.name}, {"op", origin.opType}});
  std::string name = !node.name.empty() ? node.name : node.opType + "(" + node.outputs.at(0) + ")";
  if (name.size() > 1 && name.front() == '/') name.erase(0, 1); // as torch begins its names: no folder without a name
  return m_target.addContext(of(node.path), name, "onnx", node.opType, reports::jsonText(details), node.source);
}

} // namespace simcore::model
