#include "simcore/model/lowering/section_lowering.h"

#include "reports/core/join.h"
#include "reports/core/text.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/ops/move/copies.h"

#include <map>

namespace simcore::model {

using graph::Sequence;
using graph::Tensor;

namespace {
bool isLoad(const Node& node) { return node.opType == "RemoteLoad"; }

using Modules = std::vector<std::string>;
// The longest path of modules that contains more than 3/4 of a layer's nodes, e.g. {"fwd", "layer0"}.
Modules modulesOf(const std::vector<Node>& nodes, const Layer& layer) {
  std::map<Modules, std::size_t> nodesIn;
  for (const std::size_t n : layer.nodes) {
    Modules around = placeOf(nodes[n]);
    for (around.pop_back(); !around.empty(); around.pop_back()) ++nodesIn[around];
  }
  Modules longest;
  for (const auto& [modules, inside] : nodesIn)
    if (4 * inside > 3 * layer.nodes.size() && modules.size() > longest.size()) longest = modules;
  return longest;
}

// The modules of each repeated layer. If two layers have the same modules, the layers are named after their first nodes.
std::vector<LayerPlace> placesOf(const std::vector<Node>& nodes, const RepeatedLayers& repeated) {
  std::vector<LayerPlace> places;
  std::set<Modules> distinct;
  for (const Layer& layer : repeated.layers) {
    places.push_back({modulesOf(nodes, layer), {}});
    distinct.insert(places.back().modules);
  }
  if (distinct.size() == places.size() && !distinct.count({})) return places;
  for (std::size_t k = 0; k < places.size(); ++k) {
    Modules place = placeOf(nodes[repeated.layers[k].nodes[0]]);
    places[k].firstNode = place.back();
    place.pop_back();
    places[k].modules = std::move(place);
  }
  return places;
}
} // namespace

std::vector<std::vector<std::size_t>> stretchesOf(const std::vector<int>& ipuOfNode, std::size_t first, std::size_t end) {
  std::vector<std::vector<std::size_t>> stretches;
  for (std::size_t i = first; i < end; ++i) {
    if (i == first || (!ipuOfNode.empty() && ipuOfNode[i] != ipuOfNode[i - 1])) stretches.emplace_back();
    stretches.back().push_back(i);
  }
  return stretches;
}

Sequence& SectionLowering::next() {
  Sequence& program = m_programs.emplace_back();
  if (m_routes) m_routes->enter(m_stage, &program);
  return program;
}

// A builder in a debug context inside the layer, so that the layer's pass and modules continue in the trace.
ops::OpBuilder SectionLowering::builder(Sequence& program, int ipu, const std::string& what, const LayerPlace& place) const {
  graph::Graph& g = m_scope.target();
  return ops::OpBuilder(g, program,
                        g.addContext(m_scope.contexts().of(place.modules),
                                     place.firstNode.empty() ? what : what + " of " + place.firstNode, "model", "CallCopy", {},
                                     graph::kNoSource),
                        true, ipu)
      .withAvailableMemory(m_scope.options().availableMemoryProportion)
      .withMemoryShares(m_scope.options().memoryShares);
}

Section::Section(const Graph& graph, std::vector<std::size_t> allNodes, bool withFunctions)
    : nodes(std::move(allNodes)), outline(withFunctions) {
  if (!outline) return;
  for (const std::size_t n : nodes)
    if (!addsUp(graph.nodes[n]) && !isLoad(graph.nodes[n])) others.push_back(n);
  repeated = repeatedLayers(graph, others);
}

std::vector<std::size_t> nodesWithPrograms(const Graph& graph, const Section& section) {
  std::vector<std::size_t> list;
  for (const std::size_t n : section.nodes)
    if (addsUp(graph.nodes[n]) || isLoad(graph.nodes[n])) list.push_back(n);
  const auto& others = section.others;
  std::size_t at = 0;
  for (const RepeatedLayers& layers : section.repeated) {
    list.insert(list.end(), others.begin() + std::ptrdiff_t(at), others.begin() + std::ptrdiff_t(layers.begin));
    list.insert(list.end(), layers.layers[0].nodes.begin(), layers.layers[0].nodes.end());
    at = layers.end;
  }
  list.insert(list.end(), others.begin() + std::ptrdiff_t(at), others.end());
  return list;
}

void SectionLowering::load(const std::string& name) {
  if (auto load = m_loads.extract(name); !load.empty()) lowerOne(load.mapped());
}

void SectionLowering::lowerOne(std::size_t node) {
  m_scope.lowerNodes(std::span<const Node>(m_scope.source().nodes).subspan(node, 1), next(), true);
}

void SectionLowering::lower(const Section& section) {
  if (!section.outline) {
    for (const std::size_t n : section.nodes) lowerOne(n);
    return;
  }
  const auto& all = m_scope.source().nodes;
  for (const std::size_t n : section.nodes)
    if (addsUp(all[n]))
      m_sums[all[n].inputs[all[n].inputs.size() - 1]].push_back(n);
    else if (isLoad(all[n]))
      m_loads[all[n].outputs[0]] = n;
  const auto& others = section.others;
  const auto lowerWithSums = [&](std::size_t n) {
    if (!m_loads.empty())
      for (const std::string& name : namesReadBy(all[n])) load(name);
    lowerOne(n);
    for (const std::string& output : all[n].outputs)
      for (const std::size_t sum : m_sums[output]) lowerOne(sum);
  };
  std::size_t at = 0;
  if (!section.repeated.empty() && m_readers.empty())
    for (std::size_t n = 0; n < all.size(); ++n)
      for (const std::string& name : namesReadBy(all[n])) m_readers[name].push_back(n);
  for (const RepeatedLayers& layers : section.repeated) {
    while (at < layers.begin) lowerWithSums(others[at++]);
    lowerLayers(layers);
    at = layers.end;
  }
  while (at < others.size()) lowerWithSums(others[at++]);
}

void SectionLowering::lowerLayers(const RepeatedLayers& layers) {
  const std::vector<LayerPlace> places = placesOf(m_scope.source().nodes, layers);
  const Function function = makeFunction(layers, places[0]);
  for (std::size_t k = 0; k < layers.layers.size(); ++k) callFunction(function, layers.layers[k], places[k], int(k));
}

// Whether all readers outside the layer run before the next call: they are sums, or stages that read a stash of the output.
bool SectionLowering::isFleeting(const RepeatedLayers& layers, std::size_t output) const {
  const auto& nodes = m_scope.source().nodes;
  for (const auto& o : m_scope.source().outputs)
    for (const Layer& layer : layers.layers)
      if (o.name == layer.outputs[output]) return false;
  for (const Layer& layer : layers.layers) {
    const std::set<std::size_t> inside(layer.nodes.begin(), layer.nodes.end());
    const auto readers = m_readers.find(layer.outputs[output]);
    if (readers == m_readers.end()) continue;
    for (const std::size_t n : readers->second) {
      if (inside.count(n)) continue;
      const bool stashed = m_routes && !nodes[n].path.empty() && nodes[n].path[0] == "bwd" && m_scope.stageOf(n) == m_stage &&
                           m_stage < m_routes->mirrorOf(m_stage);
      if (!addsUp(m_scope.source().nodes[n]) && !stashed) return false;
    }
  }
  return true;
}

SectionLowering::Function SectionLowering::makeFunction(const RepeatedLayers& layers, const LayerPlace& place) {
  graph::Graph& g = m_scope.target();
  const Layer& first = layers.layers[0];
  const auto& nodes = m_scope.source().nodes;
  Function f;
  f.ipu = m_scope.options().ipuOfNode.empty() ? 0 : m_scope.options().ipuOfNode[first.nodes[0]];
  Modules whole = place.modules;
  if (!place.firstNode.empty()) whole.push_back(place.firstNode);
  f.name =
      reports::joined(whole, {}, "/") + " (shared by " + reports::counted(int64_t(layers.layers.size()), "layer", "layers") + ")";
  for (const std::string& name : first.inputs) load(name);
  Sequence& start = next();
  const ops::OpBuilder b = builder(start, f.ipu, "arguments", place);
  std::map<std::string, Tensor> standIns;
  for (const std::string& name : first.inputs) {
    const Tensor actual = m_scope.tensorOn(name, b);
    // A weight that no planner has mapped gets its mapping in the function; the weights of all layers follow it.
    const bool isFree = actual.wholeVariable().valid() && !ops::variableOf(g, actual).mapped();
    const Tensor own =
        isFree ? g.addVariable(actual.elementType(), actual.shape(), name, b.context()) : ops::variableLike(b, actual, name);
    f.inputs.push_back(own);
    standIns[name] = own;
  }
  for (const std::string& name : first.outputs) m_scope.uses().protect(name);
  Sequence body;
  m_scope.standIn(standIns);
  ops::StageRoutes* routes = m_routes;
  m_scope.followRoutes(nullptr); // inside the function every value is at hand
  for (const std::size_t n : first.nodes) m_scope.lowerNodes(std::span<const Node>(nodes).subspan(n, 1), body, true);
  m_scope.followRoutes(routes);
  for (const Tensor& input : f.inputs) (void)b.layoutOf(input); // maps inputs that no planner mapped
  for (std::size_t o = 0; o < first.outputs.size(); ++o) {
    f.outputs.push_back(m_scope.tensor(first.outputs[o]));
    f.fleeting.push_back(isFleeting(layers, o));
  }
  m_scope.standIn({});
  for (const std::size_t n : first.nodes) f.contexts.push_back(m_scope.contexts().loweredIn(nodes[n]));
  f.id = g.addFunction(f.name, body.program());
  return f;
}

void SectionLowering::callFunction(const Function& f, const Layer& layer, const LayerPlace& place, int number) {
  graph::Graph& g = m_scope.target();
  for (const std::string& name : layer.inputs) load(name);
  Sequence& before = next();
  const ops::OpBuilder in = builder(before, f.ipu, "copy inputs", place);
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    const Tensor actual = m_scope.tensorOn(layer.inputs[i], in);
    if (const auto id = actual.wholeVariable();
        id.valid() && !g.variable(id).mapped() && ops::isWholeWithLayout(g, f.inputs[i])) {
      const graph::Distribution layout = ops::variableOf(g, f.inputs[i]).distribution;
      g.setDistribution(actual, layout);
    }
    ops::copyInto(in, actual, f.inputs[i]);
  }
  std::vector<graph::CalledFor> calledFor; // the function was lowered for the first layer
  for (std::size_t i = 0; number > 0 && i < layer.nodes.size(); ++i) {
    const Node& node = m_scope.source().nodes[layer.nodes[i]];
    calledFor.push_back({f.contexts[i], m_scope.contexts().add(node)});
    m_scope.uses().wasRead(node);
  }
  before.add(graph::program::call(f.id, f.name, {}, std::move(calledFor)));
  Sequence& after = next();
  const ops::OpBuilder out = builder(after, f.ipu, "copy outputs", place);
  for (std::size_t o = 0; o < layer.outputs.size(); ++o) {
    const std::string& name = layer.outputs[o];
    if (f.fleeting[o]) {
      m_scope.setUntilNextCall(name, f.outputs[o], number + 1);
      continue;
    }
    const Tensor own = ops::variableLike(out, f.outputs[o], name);
    ops::copyInto(out, f.outputs[o], own);
    m_scope.uses().unprotect(name);
    m_scope.set(name, own);
  }
  for (const std::string& name : layer.outputs)
    for (const std::size_t sum : m_sums[name]) lowerOne(sum);
}

} // namespace simcore::model
