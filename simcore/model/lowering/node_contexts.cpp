#include "simcore/model/lowering/node_contexts.h"

#include "reports/core/json.h"

#include <nlohmann/json.hpp>

namespace simcore::model {

namespace {
// torch's names begin with a slash, which would make a folder without a name.
std::string withoutSlash(const std::string& name) { return name.size() > 1 && name.front() == '/' ? name.substr(1) : name; }
} // namespace

reports::DebugContextId NodeContexts::of(const std::vector<std::string>& path) {
  if (path.empty()) return m_root;
  const auto found = m_ofPath.find(path);
  if (found != m_ofPath.end()) return found->second;
  const auto parent = of({path.begin(), path.end() - 1});
  return m_ofPath[path] = m_target.addContext(parent, withoutSlash(path.back()), "model", "", {}, graph::kNoSource);
}

reports::DebugContextId NodeContexts::add(const Node& node) {
  nlohmann::json details{{"op", node.opType}, {"opset", node.opset}};
  if (!node.domain.empty()) details["domain"] = node.domain;
  if (!node.doc.empty()) details["doc"] = node.doc;
  for (const Node::Origin& origin : node.fused) details["fused"].push_back({{"name", origin.name}, {"op", origin.opType}});
  const std::string name = !node.name.empty() ? withoutSlash(node.name) : node.opType + "(" + node.outputs.at(0) + ")";
  return m_target.addContext(of(node.path), name, "onnx", node.opType, reports::jsonText(details), node.source);
}

} // namespace simcore::model
