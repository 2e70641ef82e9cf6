#include "simcore/model/training/training.h"

#include "reports/core/names.h"
#include "reports/core/option.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/operator.h"
#include "simcore/model/lowering/outline.h"
#include "simcore/model/training/batch_statistics.h"

#include <algorithm>
#include <cmath>

namespace simcore::model {

namespace {

bool hasSubgraph(const Node& node) {
  return std::any_of(node.attributes.all().begin(), node.attributes.all().end(),
                     [](const auto& a) { return std::holds_alternative<std::shared_ptr<const Graph>>(a.second); });
}

class Recomputation {
public:
  Recomputation(TrainingModel& t, bool pipeline) : m_t(t), m_nodes(t.model.graph.nodes), m_pipeline(pipeline) {
    for (std::size_t i = 0; i < t.forwardNodes; ++i) {
      m_lastStage = std::max(m_lastStage, t.stageOfNode[i]);
      for (const std::string& name : namesReadBy(m_nodes[i])) m_lastForwardRead[name] = i;
      for (const std::string& name : m_nodes[i].outputs)
        if (!name.empty()) m_maker[name] = i;
    }
    m_again.assign(t.forwardNodes, false);
  }

  void choose(Recompute kind, const std::vector<std::string>& checkpoints) {
    switch (kind) {
    case Recompute::None: return;
    case Recompute::Standard: return chooseThinPlaces();
    case Recompute::NormOnly: return chooseNorms();
    case Recompute::Checkpoints: return chooseAllBut(checkpoints);
    case Recompute::Pipeline:
      if (!m_pipeline)
        throw Error(ErrorCode::InvalidInput, "recomputation of pipeline stages needs a pipeline",
                    reports::option("recompute") + " pipeline", "add " + reports::option("pipeline") + " STAGES");
      for (std::size_t i = 0; i < m_again.size(); ++i) m_again[i] = m_t.stageOfNode[i] < m_lastStage;
      return;
    }
  }

  // Rewrites the backward part.
  void apply() {
    for (std::size_t i = 0; i < m_again.size(); ++i) // a random node would draw different numbers the second time
      if (hasSubgraph(m_nodes[i]) || operatorFor(m_nodes[i]).has(kRandom)) m_again[i] = false;
    std::vector<Node> update(std::make_move_iterator(m_nodes.begin() + std::ptrdiff_t(m_t.microBatchNodes)),
                             std::make_move_iterator(m_nodes.end()));
    const std::vector<int> updateIpus(m_t.ipuOfNode.begin() + std::ptrdiff_t(m_t.microBatchNodes), m_t.ipuOfNode.end());
    m_result.assign(m_nodes.begin(), m_nodes.begin() + std::ptrdiff_t(m_t.forwardNodes));
    m_forwardOf.assign(m_t.forwardOf.begin(), m_t.forwardOf.begin() + std::ptrdiff_t(m_t.forwardNodes));
    m_ipus.assign(m_t.ipuOfNode.begin(), m_t.ipuOfNode.begin() + std::ptrdiff_t(m_t.forwardNodes));
    m_stages.assign(m_t.stageOfNode.begin(), m_t.stageOfNode.begin() + std::ptrdiff_t(m_t.forwardNodes));
    for (std::size_t i = m_t.forwardNodes; i < m_t.microBatchNodes; ++i) {
      Node node = m_nodes[i];
      for (std::string& name : node.inputs) name = valueFor(name, m_t.stageOfNode[i]);
      append(std::move(node), m_t.forwardOf[i]);
    }
    m_t.microBatchNodes = m_result.size();
    m_result.insert(m_result.end(), std::make_move_iterator(update.begin()), std::make_move_iterator(update.end()));
    m_ipus.insert(m_ipus.end(), updateIpus.begin(), updateIpus.end());
    m_nodes = std::move(m_result);
    m_t.forwardOf = std::move(m_forwardOf);
    m_t.ipuOfNode = std::move(m_ipus);
    m_t.stageOfNode = std::move(m_stages);
  }

private:
  void append(Node node, std::size_t forward) {
    m_result.push_back(std::move(node));
    m_forwardOf.push_back(forward);
    m_ipus.push_back(m_t.ipuOfNode[forward]);
    m_stages.push_back(m_t.stageOfNode[forward]);
  }

  // The name of the value, or of its recomputed copy, whose node the first call makes. Values from other stages are kept.
  std::string valueFor(const std::string& name, int stage) {
    const auto maker = m_maker.find(name);
    if (maker == m_maker.end() || !m_again[maker->second] || m_t.stageOfNode[maker->second] != stage) return name;
    const std::optional<Node> applied = withKeptStatistics(m_nodes[maker->second]);
    if (applied && name != applied->outputs[0]) return name;
    const std::string again = "recompute/" + name;
    if (!m_cloned.insert(maker->second).second) return again;
    Node clone = applied.value_or(m_nodes[maker->second]);
    for (std::string& input : clone.inputs) input = valueFor(input, stage);
    for (std::string& output : clone.outputs) {
      if (output.empty()) continue;
      std::string renamed = "recompute/" + output;
      m_t.model.graph.types[renamed] = m_t.model.graph.types.at(output);
      output = std::move(renamed);
    }
    clone.path.front() = "recompute";
    clone.path.insert(clone.path.begin(), "bwd");
    append(std::move(clone), maker->second);
    return again;
  }

  // The forward nodes of each stage, in order.
  std::vector<std::vector<std::size_t>> stretches() const {
    std::vector<std::vector<std::size_t>> list(std::size_t(m_lastStage) + 1);
    for (std::size_t i = 0; i < m_t.forwardNodes; ++i) list[std::size_t(m_t.stageOfNode[i])].push_back(i);
    return list;
  }
  // Whether the backward pass of the stage starts right after its forward pass.
  bool turnsRound(int stage) const { return stage == m_lastStage; }

  std::int64_t bytesOf(const std::string& name) const {
    const TensorType& type = m_t.model.graph.types.at(name);
    return numerics::elementCount(type.shape) * std::int64_t(numerics::deviceSize(type.type));
  }

  // The nodes of this range whose values are live after node `at`, and their bytes.
  std::vector<std::size_t> aliveBehind(const std::vector<std::size_t>& stretch, std::size_t at, std::int64_t& bytes) const {
    std::vector<std::size_t> makers;
    bytes = 0;
    for (std::size_t i = 0; i <= at; ++i)
      for (const std::string& name : m_nodes[stretch[i]].outputs) {
        const auto read = m_lastForwardRead.find(name);
        if (name.empty() || read == m_lastForwardRead.end() || read->second <= stretch[at]) continue;
        makers.push_back(stretch[i]);
        bytes += bytesOf(name);
      }
    return makers;
  }

  // Micro-batches between the forward and the backward pass of a stage, each with its own kept values.
  std::int64_t inFlight(int stage) const { return m_pipeline ? 2 * (m_lastStage - stage) + 1 : 1; }

  // Whether keeping these values after node `at` takes less memory than it saves. It saves the outputs of the nodes since the
  // last kept position, which would all be live during their recomputation.
  bool saves(const std::vector<std::size_t>& stretch, std::size_t from, std::size_t at,
             const std::vector<std::size_t>& makers) const {
    std::int64_t kept = 0, made = 0;
    for (const std::size_t maker : std::set(makers.begin(), makers.end()))
      if (m_again[maker]) kept += bytesMadeBy(maker);
    for (std::size_t i = from; i <= at; ++i)
      if (m_again[stretch[i]]) made += bytesMadeBy(stretch[i]);
    return kept * inFlight(m_t.stageOfNode[stretch.front()]) < made;
  }
  std::int64_t bytesMadeBy(std::size_t node) const {
    std::int64_t bytes = 0;
    for (const std::string& name : m_nodes[node].outputs)
      if (!name.empty()) bytes += bytesOf(name);
    return bytes;
  }

  // The positions where values may be kept: all, but in repeated layers only the ends of layers, so that their recomputations are
  // equal and one function suffices.
  std::vector<bool> placesToKeep(const std::vector<std::size_t>& stretch, const std::vector<RepeatedLayers>& runs) const {
    std::vector<bool> may(stretch.size(), true);
    for (const RepeatedLayers& layers : runs) {
      const std::size_t period = layers.layers[0].nodes.size();
      for (std::size_t at = layers.begin; at < layers.end; ++at) may[at] = (at - layers.begin + 1) % period == 0;
    }
    return may;
  }
  // Keeps the values that enter the first and leave the last layer of a run if any are kept: then all its layers are alike.
  std::size_t keepEndsOf(const std::vector<std::size_t>& stretch, const RepeatedLayers& layers) {
    std::int64_t bytes = 0;
    for (const std::size_t end : {layers.begin, layers.end})
      if (end > 0 && end < stretch.size())
        for (const std::size_t maker : aliveBehind(stretch, end - 1, bytes)) m_again[maker] = false;
    return layers.end < stretch.size() ? layers.end - 1 : layers.begin;
  }

  void chooseThinPlaces() {
    for (const auto& stretch : stretches()) {
      const std::int64_t n = std::int64_t(stretch.size());
      const std::int64_t parts = std::int64_t(0.75 * (std::sqrt(2.0 * double(n)) - 1));
      if (parts < 2) continue;
      for (const std::size_t i : stretch) m_again[i] = true;
      const auto runs = repeatedLayers(m_t.model.graph, stretch);
      const std::vector<bool> mayKeep = placesToKeep(stretch, runs);
      // The lengths of the ranges are in the ratio parts : parts - 1 : … : 1.
      std::int64_t begin = 0, weight = 0;
      std::size_t lastKept = 0;
      const std::int64_t all = parts * (parts + 1) / 2;
      for (std::int64_t p = parts; p > 1; --p) {
        weight += p;
        const std::int64_t end = std::max(begin + 1, n * weight / all);
        std::vector<std::size_t> best;
        std::int64_t least = INT64_MAX;
        std::size_t place = 0;
        for (std::int64_t at = begin; at < std::min(end, n); ++at) {
          if (!mayKeep[std::size_t(at)]) continue;
          std::int64_t bytes = 0;
          auto makers = aliveBehind(stretch, std::size_t(at), bytes);
          if (makers.empty() || bytes > least) continue;
          least = bytes;
          best = std::move(makers);
          place = std::size_t(at);
        }
        if (!best.empty() && saves(stretch, lastKept, place, best)) {
          lastKept = place;
          for (const std::size_t maker : best) m_again[maker] = false;
        }
        begin = end;
      }
      for (const RepeatedLayers& layers : runs) lastKept = std::max(lastKept, keepEndsOf(stretch, layers));
      keepTail(stretch, lastKept);
    }
  }

  // Keeps all values after the last kept one: the backward pass starts there, so recomputation would save nothing.
  void keepTail(const std::vector<std::size_t>& stretch, std::size_t lastKept) {
    if (!turnsRound(m_t.stageOfNode[stretch.front()])) return;
    for (std::size_t i = lastKept; i < stretch.size(); ++i) m_again[stretch[i]] = false;
  }

  void chooseNorms() {
    for (std::size_t i = 0; i < m_t.forwardNodes; ++i) {
      const auto maker = m_nodes[i].inputs.empty() ? m_maker.end() : m_maker.find(m_nodes[i].inputs[0]);
      const bool behindNorm = maker != m_maker.end() && operatorFor(m_nodes[maker->second]).has(kNorm);
      m_again[i] = operatorFor(m_nodes[i]).has(kNorm) || (behindNorm && operatorFor(m_nodes[i]).has(kActivation));
    }
  }

  void chooseAllBut(const std::vector<std::string>& checkpoints) {
    std::set<std::string> wanted(checkpoints.begin(), checkpoints.end());
    std::set<std::string> left = wanted;
    m_again.assign(m_again.size(), true);
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < m_t.forwardNodes; ++i) {
      const auto is = [&](const std::string& name) {
        left.erase(name);
        return wanted.count(name) != 0;
      };
      bool kept = is(m_nodes[i].name);
      for (const std::string& output : m_nodes[i].outputs) kept = is(output) || kept;
      if (!kept) continue;
      m_again[i] = false;
      last = i;
    }
    if (!left.empty())
      throw Error(ErrorCode::InvalidInput, "no node and no value is called '" + *left.begin() + "'",
                  reports::option("checkpoint") + " " + *left.begin(), "name a node of the model or one of its outputs");
    for (std::size_t i = last.value_or(m_t.forwardNodes); i < m_t.forwardNodes; ++i) m_again[i] = false;
  }

  TrainingModel& m_t;
  std::vector<Node>& m_nodes;
  bool m_pipeline;
  int m_lastStage = 0;
  // By value: the forward node that makes it, and the last one that reads it.
  std::unordered_map<std::string, std::size_t> m_maker, m_lastForwardRead;
  std::vector<bool> m_again; // by forward node
  std::set<std::size_t> m_cloned;
  std::vector<Node> m_result;
  std::vector<std::size_t> m_forwardOf;
  std::vector<int> m_ipus, m_stages;
};

constexpr std::pair<Recompute, const char*> kRecomputeNames[] = {{Recompute::None, "none"},
                                                                 {Recompute::Standard, "standard"},
                                                                 {Recompute::NormOnly, "norm-only"},
                                                                 {Recompute::Checkpoints, "checkpoints"},
                                                                 {Recompute::Pipeline, "pipeline"}};
} // namespace

Recompute recomputeKind(const std::string& name) {
  return reports::valueCalled(kRecomputeNames, name, "no kind of recomputation is");
}
const char* recomputeName(Recompute kind) { return reports::nameOf(kRecomputeNames, kind); }

void addRecomputation(TrainingModel& training, Recompute kind, const std::vector<std::string>& checkpoints, bool pipeline) {
  if (kind == Recompute::None) return;
  Recomputation recomputation(training, pipeline);
  recomputation.choose(kind, checkpoints);
  recomputation.apply();
}

} // namespace simcore::model
