#include "simcore/model/lowering/outline.h"

#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/operator.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace simcore::model {

std::string nodeSignature(const Graph& graph, const Node& node) {
  const Operator& op = operatorFor(node);
  if (op.has(kRandom) && !op.has(kDrawsOn) && !node.attributes.has("seed")) return {}; // draws its own numbers
  std::string text = node.domain + ':' + node.opType;
  const TensorType* last = nullptr; // a join has many inputs of one type
  std::string ofLast;
  for (const auto* names : {&node.inputs, &node.outputs}) {
    text += '|';
    for (const std::string& name : *names) {
      const auto type = graph.types.find(name);
      if (name.empty()) {
        text += "-,";
        continue;
      }
      if (type == graph.types.end()) return {}; // the value belongs to an outer graph
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
// The number of single-step nodes that a node counts as: the gradient of a batch or group norm has several sums and maps.
std::size_t weightOf(const Node& node) { return node.opType == "BatchNormGrad" || node.opType == "GroupNormGrad" ? 6 : 1; }
} // namespace

bool addsUp(const Node& node) { return node.opType == "Accumulate" || node.opType == "RemoteStore"; }

namespace {

// No network repeats a longer layer; every length is tried at every node, and a file may have a million nodes.
constexpr std::size_t kMostNodes = 1024;
// Limit of nodes compared one by one. Without comparison, an unrolled loop seems to repeat at every multiple of an iteration.
constexpr std::size_t kMostCompared = std::size_t(1) << 23;

class Finder {
public:
  Finder(const Graph& graph, const std::vector<std::size_t>& nodes, LeastLayers least)
      : m_graph(graph), m_list(nodes), m_least(least), m_placeOf(graph.nodes.size(), kNowhere) {
    std::unordered_map<std::string, int> numbers;
    for (const std::size_t n : nodes) {
      const Node& node = graph.nodes[n];
      const std::string signature = nodeSignature(graph, node);
      m_kinds.push_back(signature.empty() ? -1 - int(m_kinds.size())
                                          : numbers.emplace(signature, int(numbers.size())).first->second);
      m_weightBefore.push_back(m_weightBefore.back() + weightOf(node));
      m_placeOf[n] = m_wires.size();
      m_wires.push_back({valuesOf(node.inputs), valuesOf(node.outputs)});
    }
    for (const auto& output : graph.outputs)
      if (const auto found = m_valueOf.find(output.name); found != m_valueOf.end()) m_values[found->second].isOutput = true;
  }

  void find(std::size_t begin, std::size_t end, std::vector<RepeatedLayers>& found) {
    const RepeatedLayers best = bestIn(begin, end);
    if (best.layers.empty()) return;
    find(begin, best.begin, found);
    found.push_back(best);
    find(best.end, end, found);
  }

private:
  static constexpr std::size_t kNowhere = SIZE_MAX;
  struct Candidate {
    std::size_t begin, period, saved;
  };
  // A name that the nodes read or make. Every node is compared many times, so names are numbers.
  struct Value {
    const std::string* name;
    const numerics::HostTensor* constant; // null if it is not constant
    bool isFixed, isOutput = false;
    // The corresponding value in the compared layer, and whether that layer makes it.
    int like = -1;
    std::size_t metIn = 0, madeThereIn = 0;
  };
  struct Wires {
    std::vector<int> inputs, outputs; // -1 if absent
  };
  // A layer's inputs from outside, in node order: pairs of the first layer's value and this layer's.
  using Inputs = std::vector<std::pair<int, int>>;
  struct Run {
    std::size_t begin, period;
    std::vector<Inputs> inputs; // of each layer
    std::size_t end() const { return begin + period * inputs.size(); }
  };
  struct Place {
    std::size_t node, output;
  };

  std::vector<int> valuesOf(const std::vector<std::string>& names) {
    std::vector<int> values;
    for (const std::string& name : names) {
      if (name.empty()) {
        values.push_back(-1);
        continue;
      }
      const auto [found, isNew] = m_valueOf.emplace(name, int(m_values.size()));
      values.push_back(found->second);
      if (!isNew) continue;
      const auto constant = m_graph.initialisers.find(name);
      const numerics::HostTensor* tensor = constant == m_graph.initialisers.end() ? nullptr : &constant->second;
      m_values.push_back({&found->first, tensor, tensor && isPartOfNode(*tensor)});
    }
    return values;
  }

  // Weight of the nodes [begin, end) of the list.
  std::size_t weight(std::size_t begin, std::size_t end) const { return m_weightBefore[end] - m_weightBefore[begin]; }

  RepeatedLayers bestIn(std::size_t begin, std::size_t end) {
    std::vector<Candidate> candidates;
    for (std::size_t period = m_least.nodes; period <= std::min((end - begin) / 2, kMostNodes); ++period)
      for (std::size_t i = begin; i + period < end;) {
        std::size_t run = i;
        while (run + period < end && m_kinds[run] == m_kinds[run + period]) ++run;
        const std::size_t saved = run - i >= period ? weight(i, i + (run - i) / period * period) : 0;
        if (run - i >= period && saved >= m_least.saved) candidates.push_back({i, period, saved});
        i = run + 1;
      }
    // Most saved first; ties: the shortest layer.
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return a.saved != b.saved ? a.saved > b.saved : a.period < b.period;
    });
    for (const Candidate& c : candidates) {
      if (m_compared > kMostCompared) return {};
      if (const auto run = bestStart(c, end)) return layersOf(*run);
    }
    return {};
  }

  // The start within the run that saves most, with the period of `c`.
  std::optional<Run> bestStart(const Candidate& c, std::size_t end) {
    std::optional<Run> best;
    std::int64_t least = INT64_MAX;
    for (std::size_t begin = c.begin; begin < c.begin + c.period && begin + 2 * c.period <= end; ++begin) {
      Run run = runFrom(begin, c.period, end);
      if (run.inputs.size() < 2 || weight(begin + c.period, run.end()) < m_least.saved) continue;
      if (best && run.inputs.size() < best->inputs.size()) continue;
      std::int64_t bytes = 0;
      for (const std::size_t i : inputsThatDiffer(run)) bytes += bytesOf(run.inputs[0][i].first);
      for (const Place& p : outputsThatLeave(run)) bytes += bytesOf(m_wires[begin + p.node].outputs[p.output]);
      if (best && run.inputs.size() == best->inputs.size() && bytes >= least) continue;
      least = bytes;
      best = std::move(run);
    }
    return best;
  }

  std::int64_t bytesOf(int value) const {
    const TensorType& type = m_graph.types.at(*m_values[value].name);
    return numerics::elementCount(type.shape) * std::int64_t(numerics::deviceSize(type.type));
  }

  // Counts the layers that match the first, if the second one matches.
  Run runFrom(std::size_t begin, std::size_t period, std::size_t end) {
    Run run{begin, period, {}};
    Inputs first, next; // filled by isLike
    if (begin + 2 * period > end || !isLike(begin, begin + period, period, next) || !isLike(begin, begin, period, first))
      return run;
    run.inputs = {first, next};
    while (run.end() + period <= end && isLike(begin, run.end(), period, next)) run.inputs.push_back(next);
    return run;
  }

  // Indices of inputs that differ between layers: a constant that is equal in all layers is left out.
  std::vector<std::size_t> inputsThatDiffer(const Run& run) const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < run.inputs[0].size(); ++i) {
      const Value& first = m_values[run.inputs[0][i].first];
      if (first.isFixed) continue;
      const bool same =
          std::all_of(run.inputs.begin(), run.inputs.end(), [i](const Inputs& in) { return in[i].first == in[i].second; });
      if (!same || !first.constant) places.push_back(i);
    }
    return places;
  }

  RepeatedLayers layersOf(const Run& run) {
    RepeatedLayers found{run.begin, run.end(), {}};
    std::vector<std::size_t> inputs = inputsThatDiffer(run);
    std::sort(inputs.begin(), inputs.end(), [&](std::size_t a, std::size_t b) {
      return *m_values[run.inputs[0][a].first].name < *m_values[run.inputs[0][b].first].name;
    });
    const std::vector<Place> outputs = outputsThatLeave(run);
    for (std::size_t k = 0; k < run.inputs.size(); ++k) {
      const std::size_t begin = run.begin + k * run.period;
      const auto nodes = m_list.begin() + std::ptrdiff_t(begin);
      Layer& layer = found.layers.emplace_back(Layer{{nodes, nodes + std::ptrdiff_t(run.period)}, {}, {}});
      for (const std::size_t i : inputs) layer.inputs.push_back(*m_values[run.inputs[k][i].second].name);
      for (const Place& p : outputs) layer.outputs.push_back(*m_values[m_wires[begin + p.node].outputs[p.output]].name);
    }
    return found;
  }

  bool isLike(std::size_t first, std::size_t other, std::size_t period, Inputs& inputs) {
    inputs.clear();
    ++m_comparison;
    for (std::size_t j = 0; j < period; ++j) {
      if (++m_compared > kMostCompared || m_kinds[first + j] != m_kinds[other + j]) return false;
      const Wires &a = m_wires[first + j], &b = m_wires[other + j];
      for (std::size_t i = 0; i < a.inputs.size(); ++i) {
        if (a.inputs[i] < 0) continue;
        Value& value = m_values[a.inputs[i]];
        if (value.metIn == m_comparison) {
          if (value.like != b.inputs[i]) return false;
          continue;
        }
        if (!mayDiffer(a.inputs[i], b.inputs[i])) return false;
        inputs.emplace_back(a.inputs[i], b.inputs[i]);
        value.metIn = m_comparison, value.like = b.inputs[i];
      }
      for (std::size_t o = 0; o < a.outputs.size(); ++o) {
        if (a.outputs[o] < 0) continue;
        m_values[a.outputs[o]].metIn = m_comparison, m_values[a.outputs[o]].like = b.outputs[o];
        m_values[b.outputs[o]].madeThereIn = m_comparison;
      }
    }
    // An input of the first layer must not correspond to a value that the other layer makes itself.
    return std::none_of(inputs.begin(), inputs.end(),
                        [&](const auto& pair) { return m_values[pair.second].madeThereIn == m_comparison; });
  }

  bool mayDiffer(int one, int another) const {
    if (one == another) return true;
    const Value &a = m_values[one], &b = m_values[another];
    if (a.isFixed != b.isFixed) return false;
    return a.isFixed ? a.constant->identicalTo(*b.constant) : bool(a.constant) == bool(b.constant);
  }

  // Values that a node outside the layer reads, or outputs of the graph, in at least one of the layers.
  std::vector<Place> outputsThatLeave(const Run& run) {
    std::vector<Place> leave;
    for (std::size_t j = 0; j < run.period; ++j)
      for (std::size_t o = 0; o < m_wires[run.begin + j].outputs.size(); ++o) {
        if (m_wires[run.begin + j].outputs[o] < 0) continue;
        for (std::size_t at = run.begin; at < run.end(); at += run.period)
          if (leavesLayer(m_wires[at + j].outputs[o], at, at + run.period)) {
            leave.push_back({j, o});
            break;
          }
      }
    return leave;
  }
  bool leavesLayer(int value, std::size_t begin, std::size_t end) {
    if (m_values[value].isOutput) return true;
    if (m_readers.empty()) { // created lazily: most graphs without repeated layers never need it
      m_readers.resize(m_values.size());
      for (std::size_t n = 0; n < m_graph.nodes.size(); ++n)
        for (const std::string& read : namesReadBy(m_graph.nodes[n]))
          if (const auto found = m_valueOf.find(read); found != m_valueOf.end()) m_readers[found->second].push_back(m_placeOf[n]);
    }
    const auto& readers = m_readers[value];
    return std::any_of(readers.begin(), readers.end(), [=](std::size_t place) { return place < begin || place >= end; });
  }

  const Graph& m_graph;
  const std::vector<std::size_t>& m_list;
  LeastLayers m_least;
  std::vector<int> m_kinds;                   // of each node of the list
  std::vector<std::size_t> m_weightBefore{0}; // sum of all nodes before one in the list
  std::vector<std::size_t> m_placeOf;         // by node of the graph: its position in the list
  std::unordered_map<std::string, int> m_valueOf;
  std::vector<Value> m_values;
  std::vector<Wires> m_wires;                      // of each node of the list
  std::vector<std::vector<std::size_t>> m_readers; // by value: positions of its readers in the list; filled at first use
  std::size_t m_comparison = 0, m_compared = 0;
};

} // namespace

std::vector<RepeatedLayers> repeatedLayers(const Graph& graph, const std::vector<std::size_t>& nodes, LeastLayers least) {
  std::vector<RepeatedLayers> found;
  Finder(graph, nodes, least).find(0, nodes.size(), found);
  return found;
}

} // namespace simcore::model
