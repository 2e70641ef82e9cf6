#include "analyser/program/model_layers.h"

#include "reports/sqlite/reader.h"

#include <set>

namespace analyser::program {

namespace {

constexpr int kMostAround = 256; // contexts: those of a damaged report may form a circle

// A recomputed layer is inside two phases: "bwd/recompute/layer3".
bool isPhase(std::string_view name) { return name == "fwd" || name == "bwd" || name == "wu" || name == "recompute"; }

} // namespace

ContextLayers::ContextLayers(Session& session, const std::stop_token& stop) : m_session(session) {
  session.reader().forEach<reports::DebugContextRow>(
      {}, {},
      [&](const reports::DebugContextRow& row) {
        m_contexts.emplace(row.id, Context{row.parentId.value_or(-1), row.nameId});
      },
      stop);
}

const std::string& ContextLayers::of(int64_t context) {
  const auto [known, isNew] = m_layers.try_emplace(context);
  if (!isNew) return known->second;
  std::vector<std::string> names; // innermost first
  for (auto at = m_contexts.find(context); at != m_contexts.end() && names.size() < kMostAround;
       at = m_contexts.find(at->second.parent))
    names.push_back(m_session.text(at->second.name));
  std::size_t outer = names.size(); // number of names left
  if (outer > 1) --outer;           // the model itself
  while (outer > 0 && isPhase(names[outer - 1])) --outer;
  if (outer > 0 && names.size() > 1) known->second = layerOfName(names[outer - 1]);
  return known->second;
}

std::string layerOfName(std::string_view name) {
  for (const std::string_view way : {"into ", "out of ", "function of ", "stash ", "restore "})
    if (name.starts_with(way)) {
      name.remove_prefix(way.size());
      break;
    }
  if (name.starts_with('/')) name.remove_prefix(1); // as PyTorch names nodes
  name = name.substr(0, name.find('/'));
  const auto dot = name.rfind('.');
  const bool isNumbered =
      dot != std::string_view::npos && name.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
  return std::string(dot == 0 || isNumbered ? name : name.substr(0, dot)); // "Conv.1" is one of many, "fc1.weight" a part of fc1
}

std::string_view passOfPath(std::string_view path) {
  for (int part = 0; part < 2; ++part) { // below the model, if the path names it
    const auto slash = path.find('/');
    const auto name = path.substr(0, slash);
    if (name == "fwd" || name == "wu") return name;
    if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
    if (name == "bwd") return path == "recompute" || path.starts_with("recompute/") ? "recompute" : name;
    if (slash == std::string_view::npos) break;
  }
  return {};
}

std::string layerOfPath(std::string_view path) {
  auto slash = path.find('/');
  if (slash == std::string_view::npos) return {}; // only the model
  do {
    path.remove_prefix(slash + 1);
    slash = path.find('/');
  } while (slash != std::string_view::npos && isPhase(path.substr(0, slash)));
  return isPhase(path) ? std::string() : layerOfName(path);
}

void nameLayers(Session& session, Program& program, const std::stop_token& stop) {
  ContextLayers layers(session, stop);
  for (Node& n : program.nodes)
    if (n.callee.valid())
      n.layer = layerOfPath(n.name);
    else if (n.debugContext.valid())
      n.layer = layers.of(int64_t(n.debugContext.value()));
}

std::vector<std::string> layersOf(const Program& program) {
  std::vector<std::string> layers;
  std::set<std::string> seen;
  for (const Node& n : program.nodes)
    if (!n.layer.empty() && seen.insert(n.layer).second) layers.push_back(n.layer);
  return layers;
}

} // namespace analyser::program
