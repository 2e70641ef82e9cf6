#include "simcore/model/lowering/outline.h"

#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/operator.h"

#include <algorithm>
#include <bit>

namespace simcore::model {

std::string nodeSignature(const Graph& graph, const Node& node) {
  const Operator& op = operatorFor(node);
  if (op.has(kRandom) && !op.has(kDrawsOn) && !node.attributes.has("seed")) return {}; // draws its own numbers
  std::string text = node.domain + ':' + node.opType;
  const TensorType* last = nullptr; // a join of many has inputs of one type
  std::string ofLast;
  for (const auto* names : {&node.inputs, &node.outputs}) {
    text += '|';
    for (const std::string& name : *names) {
      const auto type = graph.types.find(name);
      if (name.empty()) {
        text += "-,";
        continue;
      }
      if (type == graph.types.end()) return {}; // of a graph around this one
      if (!last || *last != type->second)
        ofLast = std::to_string(int(type->second.type)) + numerics::toString(type->second.shape);
      last = &type->second;
      text += ofLast;
      text += graph.initialisers.count(name) ? "c," : ",";
    }
  }
  for (const auto& [name, value] : node.attributes.all()) {
    text += name + '=' + std::to_string(value.index()) + ':';
    if (const auto* integer = std::get_if<std::int64_t>(&value))
      text += std::to_string(*integer);
    else if (const auto* real = std::get_if<float>(&value))
      text += std::to_string(std::bit_cast<std::uint32_t>(*real)); // decimal digits would make near neighbours equal
    else if (const auto* word = std::get_if<std::string>(&value))
      text += *word;
    else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value))
      text += numerics::toString(*integers);
    else
      return {};
  }
  return text;
}

bool isPartOfNode(const numerics::HostTensor& constant) {
  constexpr std::int64_t kMostElements = 16;
  return constant.count() <= kMostElements || !numerics::isFloating(constant.type());
}

namespace {
// About as many nodes of one step as the node stands for: the gradient of a batch norm has its sums and maps in one.
std::size_t weightOf(const Node& node) { return node.opType == "BatchNormGrad" ? 6 : 1; }
} // namespace

bool addsUp(const Node& node) { return node.opType == "Accumulate" || node.opType == "RemoteStore"; }

namespace {

// No network repeats a layer of more; every length is tried at every node, and a file may hold a million.
constexpr std::size_t kMostNodes = 1024;
// Nodes that are compared by their names; steps of a long loop written out look alike in every multiple of a step until they are.
constexpr std::size_t kMostCompared = std::size_t(1) << 23;

class Finder {
public:
  Finder(const Graph& graph, const std::vector<std::size_t>& nodes, LeastLayers least)
      : m_graph(graph), m_list(nodes), m_least(least) {
    std::map<std::string, int> numbers;
    for (const std::size_t n : nodes) {
      const std::string signature = nodeSignature(graph, graph.nodes[n]);
      m_kinds.push_back(signature.empty() ? -1 - int(m_kinds.size())
                                          : numbers.emplace(signature, int(numbers.size())).first->second);
      m_weightBefore.push_back(m_weightBefore.back() + weightOf(graph.nodes[n]));
    }
    for (const auto& output : graph.outputs) m_isOutput.insert(output.name);
  }

  void find(std::size_t begin, std::size_t end, std::vector<RepeatedLayers>& found) {
    const RepeatedLayers best = bestIn(begin, end);
    if (best.layers.empty()) return;
    find(begin, best.begin, found);
    found.push_back(best);
    find(best.end, end, found);
  }

private:
  struct Candidate {
    std::size_t begin, period, saved;
  };
  // Of the nodes in a stretch of the list.
  std::size_t weight(std::size_t begin, std::size_t end) const { return m_weightBefore[end] - m_weightBefore[begin]; }

  RepeatedLayers bestIn(std::size_t begin, std::size_t end) const {
    std::vector<Candidate> candidates;
    for (std::size_t period = m_least.nodes; period <= std::min((end - begin) / 2, kMostNodes); ++period)
      for (std::size_t i = begin; i + period < end;) {
        std::size_t run = i;
        while (run + period < end && m_kinds[run] == m_kinds[run + period]) ++run;
        const std::size_t saved = run - i >= period ? weight(i, i + (run - i) / period * period) : 0;
        if (run - i >= period && saved >= m_least.saved) candidates.push_back({i, period, saved});
        i = run + 1;
      }
    // Most saved first; of equal ones the shortest layer.
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return a.saved != b.saved ? a.saved > b.saved : a.period < b.period;
    });
    for (const Candidate& c : candidates) {
      if (m_compared > kMostCompared) return {};
      if (RepeatedLayers layers = bestStart(c, end); !layers.layers.empty()) return layers;
    }
    return {};
  }

  // The same period from every start of the run.
  RepeatedLayers bestStart(const Candidate& c, std::size_t end) const {
    RepeatedLayers best;
    std::int64_t least = INT64_MAX;
    std::size_t most = 0;
    for (std::size_t begin = c.begin; begin < c.begin + c.period && begin + 2 * c.period <= end; ++begin) {
      RepeatedLayers layers = layersFrom(begin, c.period, end);
      if (layers.layers.empty() || weight(layers.begin + c.period, layers.end) < m_least.saved) continue;
      std::int64_t bytes = 0;
      for (const auto* names : {&layers.layers[0].inputs, &layers.layers[0].outputs})
        for (const std::string& name : *names) bytes += bytesOf(name);
      if (layers.layers.size() < most || (layers.layers.size() == most && bytes >= least)) continue;
      most = layers.layers.size();
      least = bytes;
      best = std::move(layers);
    }
    return best;
  }

  std::int64_t bytesOf(const std::string& name) const {
    const TensorType& type = m_graph.types.at(name);
    return numerics::elementCount(type.shape) * std::int64_t(numerics::deviceSize(type.type));
  }

  // As many layers as are like the first.
  RepeatedLayers layersFrom(std::size_t begin, std::size_t period, std::size_t end) const {
    RepeatedLayers found;
    found.begin = begin;
    if (std::map<std::string, std::string> names; begin + 2 * period > end || !isLike(begin, begin + period, period, names))
      return {};
    std::vector<std::map<std::string, std::string>> inputs; // of each layer: name in the first layer, name in this one
    for (std::size_t at = begin; at + period <= end; at += period) {
      std::map<std::string, std::string> names;
      if (!isLike(begin, at, period, names)) break;
      inputs.push_back(std::move(names));
      found.layers.push_back({{m_list.begin() + std::ptrdiff_t(at), m_list.begin() + std::ptrdiff_t(at + period)}, {}, {}});
    }
    if (found.layers.size() < 2) return {};
    found.end = begin + period * found.layers.size();
    // A constant that is the same everywhere stays one.
    for (const auto& [name, unused] : inputs[0]) {
      const bool same =
          std::all_of(inputs.begin(), inputs.end(), [&name = name](const auto& names) { return names.at(name) == name; });
      if (isFixed(name) || (same && m_graph.initialisers.count(name))) continue;
      for (std::size_t k = 0; k < inputs.size(); ++k) found.layers[k].inputs.push_back(inputs[k].at(name));
    }
    addOutputs(found);
    return found;
  }

  bool isLike(std::size_t first, std::size_t other, std::size_t period, std::map<std::string, std::string>& inputs) const {
    std::unordered_map<std::string, std::string> made; // by name in the first layer
    for (std::size_t j = 0; j < period; ++j) {
      if (++m_compared > kMostCompared || m_kinds[first + j] != m_kinds[other + j]) return false;
      const Node &a = m_graph.nodes[m_list[first + j]], &b = m_graph.nodes[m_list[other + j]];
      for (std::size_t i = 0; i < a.inputs.size(); ++i) {
        if (a.inputs[i].empty()) continue;
        if (const auto inside = made.find(a.inputs[i]); inside != made.end()) {
          if (inside->second != b.inputs[i]) return false;
          continue;
        }
        if (!mayDiffer(a.inputs[i], b.inputs[i])) return false;
        if (inputs.emplace(a.inputs[i], b.inputs[i]).first->second != b.inputs[i]) return false;
      }
      for (std::size_t o = 0; o < a.outputs.size(); ++o)
        if (!a.outputs[o].empty()) made[a.outputs[o]] = b.outputs[o];
    }
    // A value that the other layer makes itself must not come from outside in the first.
    std::set<std::string> madeThere;
    for (const auto& [a, b] : made) madeThere.insert(b);
    return std::none_of(inputs.begin(), inputs.end(), [&](const auto& pair) { return madeThere.count(pair.second); });
  }

  bool isFixed(const std::string& name) const {
    const auto constant = m_graph.initialisers.find(name);
    return constant != m_graph.initialisers.end() && isPartOfNode(constant->second);
  }
  bool mayDiffer(const std::string& a, const std::string& b) const {
    if (a == b) return true;
    if (isFixed(a) != isFixed(b)) return false;
    if (isFixed(a)) return m_graph.initialisers.at(a).identicalTo(m_graph.initialisers.at(b));
    return m_graph.initialisers.count(a) == m_graph.initialisers.count(b);
  }

  void addOutputs(RepeatedLayers& found) const {
    const std::size_t period = found.layers[0].nodes.size();
    std::vector<std::set<std::size_t>> inside;
    for (const Layer& layer : found.layers) inside.emplace_back(layer.nodes.begin(), layer.nodes.end());
    for (std::size_t j = 0; j < period; ++j)
      for (std::size_t o = 0; o < m_graph.nodes[found.layers[0].nodes[j]].outputs.size(); ++o) {
        const auto nameIn = [&](std::size_t k) -> const std::string& {
          return m_graph.nodes[found.layers[k].nodes[j]].outputs[o];
        };
        if (nameIn(0).empty()) continue;
        bool leaves = false;
        for (std::size_t k = 0; k < found.layers.size() && !leaves; ++k) leaves = leavesLayer(nameIn(k), inside[k]);
        for (std::size_t k = 0; k < found.layers.size() && leaves; ++k) found.layers[k].outputs.push_back(nameIn(k));
      }
  }
  bool leavesLayer(const std::string& name, const std::set<std::size_t>& inside) const {
    if (m_isOutput.count(name)) return true;
    if (m_readers.empty()) // most graphs without a layer that repeats come to no question
      for (std::size_t n = 0; n < m_graph.nodes.size(); ++n)
        for (const std::string& read : namesReadBy(m_graph.nodes[n])) m_readers[read].push_back(n);
    const auto readers = m_readers.find(name);
    return readers != m_readers.end() &&
           std::any_of(readers->second.begin(), readers->second.end(), [&](std::size_t n) { return !inside.count(n); });
  }

  const Graph& m_graph;
  const std::vector<std::size_t>& m_list;
  LeastLayers m_least;
  std::vector<int> m_kinds;                                                    // of each node of the list
  std::vector<std::size_t> m_weightBefore{0};                                  // of all nodes before one of the list
  mutable std::unordered_map<std::string, std::vector<std::size_t>> m_readers; // of all values, once one is asked for
  std::set<std::string> m_isOutput;
  mutable std::size_t m_compared = 0;
};

} // namespace

std::vector<RepeatedLayers> repeatedLayers(const Graph& graph, const std::vector<std::size_t>& nodes, LeastLayers least) {
  std::vector<RepeatedLayers> found;
  Finder(graph, nodes, least).find(0, nodes.size(), found);
  return found;
}

} // namespace simcore::model
