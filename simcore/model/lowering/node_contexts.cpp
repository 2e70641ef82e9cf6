#include "simcore/model/lowering/node_contexts.h"

#include "reports/core/join.h"
#include "reports/core/json.h"
#include "reports/core/text.h"

#include <nlohmann/json.hpp>

namespace simcore::model {

std::vector<std::string> placeOf(const Node& node) {
  std::vector<std::string> place;
  for (const std::string& part : node.path) { // gradients: {"bwd", "/h.0/attn/MatMul"}
    const std::vector<std::string> inner = reports::pathParts(part);
    place.insert(place.end(), inner.begin(), inner.end());
  }
  const std::vector<std::string> parts = reports::pathParts(node.name);
  place.insert(place.end(), parts.begin(), parts.end());
  if (parts.empty()) place.push_back(!node.name.empty() ? node.name : node.opType + "(" + node.outputs.at(0) + ")");
  return place;
}

std::string nameInside(const Node& node, const std::string& fused) {
  const std::vector<std::string> around = reports::pathParts(node.name);
  std::vector<std::string> parts = reports::pathParts(fused);
  std::size_t same = 0;
  while (same + 1 < parts.size() && same + 1 < around.size() && parts[same] == around[same]) ++same;
  parts.erase(parts.begin(), parts.begin() + std::ptrdiff_t(same));
  return parts.empty() ? fused : reports::joined(parts, {}, "/");
}

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
  std::vector<std::string> modules = placeOf(node);
  const std::string name = modules.back();
  modules.pop_back();
  return m_target.addContext(of(modules), name, "onnx", node.opType, reports::jsonText(details), node.source);
}

} // namespace simcore::model
