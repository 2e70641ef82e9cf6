#include "analyser/program/model_layers.h"

#include "reports/core/text.h"
#include "reports/sqlite/reader.h"

#include <set>

namespace analyser::program {

namespace {

constexpr int kMostAround = 256; // limit of contexts in a chain, because a damaged report may have a circle

// A recomputed layer is inside two phases: "bwd/recompute/layer3".
bool isPhase(std::string_view name) { return name == "fwd" || name == "bwd" || name == "wu" || name == "recompute"; }

// Removes the prefix of a copy or call ("into layer1" → "layer1").
std::string_view withoutWay(std::string_view name) {
  for (const std::string_view way :
       {"into ", "out of ", "function of ", "copy inputs of ", "copy outputs of ", "arguments of ", "stash ", "restore "})
    if (name.starts_with(way)) return name.substr(way.size());
  return name;
}

std::vector<std::string> partsOfPath(std::string_view path) { return reports::pathParts(withoutWay(path)); }

// "layer." for "layer.12". Names with the same stem and different numbers are a numbered series.
std::string_view stemOf(std::string_view name) { return name.substr(0, name.find_last_not_of("0123456789") + 1); }

// The path without the model's name and its phases; empty if nothing is left.
std::string_view belowPhases(std::string_view path) {
  auto slash = path.find('/');
  if (slash == std::string_view::npos) return {}; // only the model
  do {
    path.remove_prefix(slash + 1);
    slash = path.find('/');
  } while (slash != std::string_view::npos && isPhase(path.substr(0, slash)));
  return isPhase(path) ? std::string_view() : path;
}

} // namespace

ContextLayers::ContextLayers(Session& session, const std::stop_token& stop) : m_session(session), m_modules(1) {
  session.reader().forEach<reports::DebugContextRow>(
      {}, {},
      [&](const reports::DebugContextRow& row) {
        m_contexts.emplace(row.id, Context{row.parentId.value_or(-1), row.nameId, !session.text(row.kindId).empty()});
      },
      stop);
  for (const auto& [id, context] : m_contexts) {
    const auto parent = m_contexts.find(context.parent);
    const bool isOutermost = parent == m_contexts.end() || !parent->second.isOperation;
    bool isUpdate = false; // of a weight, which is named as in PyTorch: "encoder.layers.0.norm.weight"
    const std::vector<std::string> parts = partsOf(id, &isUpdate);
    if (context.isOperation && isOutermost && !isUpdate) addModules(parts);
  }
  openModules();
}

// The path parts of a context below the model and its phases, from the outside in. A name that is itself a path gives several
// parts.
std::vector<std::string> ContextLayers::partsOf(int64_t context, bool* isUpdate) const {
  std::vector<std::string> names; // innermost first
  for (auto at = m_contexts.find(context); at != m_contexts.end() && names.size() < kMostAround;
       at = m_contexts.find(at->second.parent))
    names.push_back(m_session.text(at->second.name));
  if (names.size() < 2) return {}; // the context is the model itself
  names.pop_back();
  if (isUpdate) *isUpdate = !names.empty() && names.back() == "wu";
  while (!names.empty() && isPhase(names.back())) names.pop_back();
  std::string path;
  for (auto name = names.rbegin(); name != names.rend(); ++name) path += *name + "/";
  return partsOfPath(path);
}

void ContextLayers::addModules(const std::vector<std::string>& parts) {
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) { // the last is the operation
    const auto [child, isNew] = m_modules[at].children.try_emplace(parts[i], m_modules.size());
    at = child->second;
    if (isNew) m_modules.emplace_back();
  }
}

void ContextLayers::openModules() {
  for (std::size_t m = m_modules.size(); m-- > 0;) { // children come after their parents
    std::map<std::string_view, std::vector<std::size_t>> rows;
    for (const auto& [name, child] : m_modules[m].children)
      if (const std::string_view stem = stemOf(name); stem.size() < name.size()) rows[stem].push_back(child);
    for (const auto& [stem, row] : rows)
      for (const std::size_t child : row) m_modules[child].isNumbered = row.size() > 1;
    for (const auto& [name, child] : m_modules[m].children)
      m_modules[m].isOpen |= m_modules[child].isNumbered || m_modules[child].isOpen;
  }
  m_modules[0].isOpen = true;
  const auto name = [&](const auto& self, std::size_t m, const std::string& path, const std::string& inTorch) -> void {
    for (const auto& [part, child] : m_modules[m].children) {
      const std::string whole = path.empty() ? part : path + "/" + part;
      // The TorchScript exporter repeats the name of a list in its elements: "layer1.0" inside "layer1".
      const std::string last = inTorch.substr(inTorch.rfind('.') + 1) + ".";
      const bool isRepeated = !inTorch.empty() && part.starts_with(last);
      const std::string own = inTorch.empty() ? part : inTorch + "." + (isRepeated ? part.substr(last.size()) : part);
      if (m_modules[child].isNumbered || !m_modules[child].isOpen)
        m_layerOfWeights.emplace(own, whole);
      else
        self(self, child, whole, own);
    }
  };
  name(name, 0, {}, {});
}

std::string ContextLayers::layerOf(const std::vector<std::string>& parts) const {
  std::size_t at = 0;
  std::string path;
  for (const std::string& part : parts) {
    const auto child = m_modules[at].children.find(part);
    if (child == m_modules[at].children.end()) break; // the rest is an operation directly inside an open module
    path += (path.empty() ? "" : "/") + part;
    at = child->second;
    if (m_modules[at].isNumbered || !m_modules[at].isOpen) return path;
  }
  if (!path.empty() || parts.empty()) return path;
  const std::string& name = parts.front();
  for (std::string_view owner = name; !owner.empty();) { // an update of a weight
    const auto dot = owner.rfind('.');
    if (dot == std::string_view::npos) break;
    owner = owner.substr(0, dot);
    if (const auto layer = m_layerOfWeights.find(owner); layer != m_layerOfWeights.end()) return layer->second;
  }
  return layerOfName(name);
}

const std::string& ContextLayers::of(int64_t context) {
  const auto [known, isNew] = m_layers.try_emplace(context);
  if (isNew) known->second = layerOf(partsOf(context));
  return known->second;
}

std::string ContextLayers::ofPath(std::string_view path) const {
  const std::string_view below = belowPhases(path);
  return below.empty() ? std::string() : layerOf(partsOfPath(below));
}

std::string layerOfName(std::string_view name) {
  name = withoutWay(name);
  if (name.starts_with('/')) name.remove_prefix(1); // PyTorch's names of nodes begin with a slash
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
  const std::string_view below = belowPhases(path);
  return below.empty() ? std::string() : layerOfName(below);
}

void nameLayers(Session& session, Program& program, const std::stop_token& stop) {
  ContextLayers layers(session, stop);
  for (Node& n : program.nodes)
    if (n.callee.valid())
      n.layer = layers.ofPath(n.name);
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
