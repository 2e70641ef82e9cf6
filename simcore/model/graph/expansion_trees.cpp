// Decision trees of ai.onnx.ml, as in the operator documentation of ONNX. With weights for only one of two classes, scores are as
// in ONNX Runtime.
#include "simcore/model/graph/expansion.h"
#include "simcore/model/graph/graph_builder.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace simcore::model {

namespace {

// All samples descend all trees at once, one level per step, using tables of the nodes. A leaf points to itself.
class TreeWriter {
public:
  TreeWriter(NodeWriter& writer, const Call& call)
      : w(writer), m_call(call), m_classifies(call.node().opType == "TreeEnsembleClassifier") {
    readNodes();
    readWeights();
  }

  void write() {
    const Shape& shape = m_call.shape(0);
    if (shape.size() != 2)
      throw Error(ErrorCode::InvalidInput, m_call.node().opType + " needs an input of the shape [samples, features]");
    m_samples = shape[0];
    for (const std::int64_t feature : m_features)
      if (feature < 0 || feature >= shape[1]) wrong("a node reads a feature that the input lacks: " + std::to_string(feature));
    const std::string scores = summed(leaves(w.cast(w.in(0), ElementType::Float)));
    m_classifies ? giveClasses(scores) : w.give(0, finished(scores));
  }

private:
  using Integers = std::vector<std::int64_t>;
  using Id = std::pair<std::int64_t, std::int64_t>; // tree and node

  [[noreturn]] void wrong(const std::string& what) const {
    throw Error(ErrorCode::InvalidInput, m_call.node().opType + ": " + what);
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorCode::Unsupported, m_call.node().opType + " with " + what + " is not supported");
  }
  Integers integers(const char* name) const { return w.attributes().integers(name); }
  std::size_t place(const Id& id) const {
    const auto found = m_places.find(id);
    if (found == m_places.end()) wrong("tree " + std::to_string(id.first) + " has no node " + std::to_string(id.second));
    return found->second;
  }

  void readNodes() {
    const Integers trees = integers("nodes_treeids"), ids = integers("nodes_nodeids"), yes = integers("nodes_truenodeids"),
                   no = integers("nodes_falsenodeids"), missing = integers("nodes_missing_value_tracks_true");
    m_features = integers("nodes_featureids"), m_thresholds = w.attributes().reals("nodes_values");
    const auto modes = w.attributes().texts("nodes_modes");
    const std::size_t count = ids.size();
    for (const std::size_t size : {trees.size(), yes.size(), no.size(), m_features.size(), m_thresholds.size(), modes.size()})
      if (size != count || count == 0) wrong("its nodes_ attributes have different lengths");
    if (!missing.empty() && missing.size() != count) wrong("nodes_missing_value_tracks_true is not as long as nodes_nodeids");
    for (std::size_t i = 0; i < count; ++i)
      if (!m_places.emplace(Id(trees[i], ids[i]), i).second) wrong("node " + std::to_string(ids[i]) + " occurs twice");
    std::vector<bool> isRoot(count, true);
    for (std::size_t i = 0; i < count; ++i) {
      const bool isLeaf = modes[i] == "LEAF";
      m_yes.push_back(std::int64_t(isLeaf ? i : place({trees[i], yes[i]})));
      m_no.push_back(std::int64_t(isLeaf ? i : place({trees[i], no[i]})));
      m_missing.push_back(!isLeaf && !missing.empty() && missing[i] != 0);
      if (isLeaf) {
        m_features[i] = 0;
        continue;
      }
      isRoot[std::size_t(m_yes[i])] = isRoot[std::size_t(m_no[i])] = false;
      if (!m_mode.empty() && m_mode != modes[i]) refuse("nodes of the modes " + m_mode + " and " + modes[i]);
      m_mode = modes[i];
    }
    std::map<std::int64_t, int> rootsOf;
    for (std::size_t i = 0; i < count; ++i) {
      rootsOf[trees[i]] += isRoot[i];
      if (isRoot[i]) m_roots.push_back(std::int64_t(i));
    }
    for (const auto& [tree, roots] : rootsOf)
      if (roots != 1) wrong("tree " + std::to_string(tree) + " has " + std::to_string(roots) + " nodes without a parent, not 1");
    m_depth = depthOf(count);
  }

  // Levels below the roots.
  std::int64_t depthOf(std::size_t count) const {
    std::vector<std::int64_t> level = m_roots;
    std::size_t reached = 0;
    for (std::int64_t depth = 0; depth <= std::int64_t(count); ++depth) {
      reached += level.size();
      std::vector<std::int64_t> next;
      for (const std::int64_t i : level)
        if (const auto at = std::size_t(i); m_yes[at] != i) next.insert(next.end(), {m_yes[at], m_no[at]});
      if (next.empty() && reached == count) return depth;
      if (next.empty() || reached > count) break;
      level = std::move(next);
    }
    wrong("a node has no parent or several");
  }

  void readWeights() {
    const std::string kind = m_classifies ? "class" : "target";
    const Integers of = integers((kind + "_ids").c_str()), trees = integers((kind + "_treeids").c_str()),
                   nodes = integers((kind + "_nodeids").c_str());
    const std::vector<float> weights = w.attributes().reals(kind + "_weights");
    if (m_classifies) {
      m_labels = integers("classlabels_int64s");
      if (m_labels.empty()) refuse("labels that are words");
      m_count = std::int64_t(m_labels.size());
    } else {
      m_count = w.integer("n_targets", 1);
    }
    if (of.size() != weights.size() || trees.size() != weights.size() || nodes.size() != weights.size())
      wrong("its " + kind + "_ attributes have different lengths");
    if (m_count < 1 || m_count > 65536) wrong("it has " + std::to_string(m_count) + " results, but must have 1 to 65,536");
    if (m_classifies && m_count == 2) {
      // ONNX Runtime treats weights for the second of two classes differently from the operator's documentation.
      if (std::any_of(of.begin(), of.end(), [](auto c) { return c != 0; }))
        refuse("two classes with weights for the second class");
      m_weighsOne = true;
    }
    m_positive = std::all_of(weights.begin(), weights.end(), [](float v) { return v >= 0; });
    if (m_weighsOne) m_count = 1;
    m_aggregate = w.text("aggregate_function").empty() ? "SUM" : w.text("aggregate_function");
    const bool isLeast = m_aggregate == "MIN", isMost = m_aggregate == "MAX";
    const float none = isLeast ? INFINITY : isMost ? -INFINITY : 0.0f; // weight of a leaf without a value for a result
    m_weights.assign(m_yes.size() * std::size_t(m_count), none);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!m_weighsOne && (of[i] < 0 || of[i] >= m_count)) wrong("result " + std::to_string(of[i]) + " does not exist");
      float& held = m_weights[place({trees[i], nodes[i]}) * std::size_t(m_count) + std::size_t(m_weighsOne ? 0 : of[i])];
      held = isLeast || isMost ? weights[i] : held + weights[i];
    }
  }

  std::string words(const Integers& values) { return w.constant(HostTensor::vector(values)); }
  std::string looked(const std::string& table, const std::string& at) { return w.add("Gather", {table, at}); }

  // The leaf of each sample in each tree: [samples, trees].
  std::string leaves(const std::string& x) {
    const auto trees = std::int64_t(m_roots.size());
    std::string at =
        w.add("Expand", {w.constant(HostTensor::vector(m_roots).reshaped({1, trees})), w.integers({m_samples, trees})});
    const std::string features = words(m_features), thresholds = w.constant(HostTensor::vector(m_thresholds)), yes = words(m_yes),
                      no = words(m_no);
    const bool looksForMissing = std::find(m_missing.begin(), m_missing.end(), 1) != m_missing.end();
    const std::string missing = looksForMissing ? words(m_missing) : std::string(),
                      one = looksForMissing ? words({1}) : std::string();
    for (std::int64_t level = 0; level < m_depth; ++level) {
      const std::string value = w.add("GatherElements", {x, looked(features, at)});
      w.set("axis", 1);
      std::string goes = compared(value, looked(thresholds, at));
      if (looksForMissing)
        goes = w.add("Or", {goes, w.add("And", {w.add("IsNaN", {value}), w.add("Equal", {looked(missing, at), one})})});
      at = w.add("Where", {goes, looked(yes, at), looked(no, at)});
    }
    return at;
  }

  std::string compared(const std::string& value, const std::string& threshold) {
    static const std::map<std::string, const char*> kOperators{{"BRANCH_LEQ", "LessOrEqual"},    {"BRANCH_LT", "Less"},
                                                               {"BRANCH_GTE", "GreaterOrEqual"}, {"BRANCH_GT", "Greater"},
                                                               {"BRANCH_EQ", "Equal"},           {"BRANCH_NEQ", "Equal"}};
    const auto found = kOperators.find(m_mode);
    if (found == kOperators.end()) refuse("nodes of the mode " + m_mode);
    const std::string goes = w.add(found->second, {value, threshold});
    return m_mode == "BRANCH_NEQ" ? w.add("Not", {goes}) : goes;
  }

  // Combines the leaves of all trees to [samples, results].
  std::string summed(const std::string& leaves) {
    const std::string table = w.constant(HostTensor::of({std::int64_t(m_yes.size()), m_count}, m_weights));
    static const std::map<std::string, const char*> kReductions{
        {"SUM", "ReduceSum"}, {"AVERAGE", "ReduceMean"}, {"MIN", "ReduceMin"}, {"MAX", "ReduceMax"}};
    const auto found = kReductions.find(m_aggregate);
    if (found == kReductions.end()) wrong("the aggregate_function '" + m_aggregate + "' is unknown");
    const std::string sum = w.add(found->second, {looked(table, leaves)});
    w.set("axes", Integers{1}).set("keepdims", 0);
    const std::vector<float> base = w.attributes().reals("base_values");
    if (base.empty()) return sum;
    if (std::int64_t(base.size()) != m_count) refuse(std::to_string(base.size()) + " base_values");
    return w.add("Add", {sum, w.constant(HostTensor::vector(base))});
  }

  std::string finished(const std::string& scores) {
    const std::string transform = w.text("post_transform").empty() ? "NONE" : w.text("post_transform");
    if (transform == "NONE") return scores;
    if (m_count == 1) refuse("post_transform " + transform + " of a single output, which ONNX Runtime skips,");
    if (transform == "LOGISTIC") return w.add("Sigmoid", {scores});
    if (transform != "SOFTMAX") refuse("post_transform " + transform);
    const std::string y = w.add("Softmax", {scores});
    w.set("axis", -1);
    return y;
  }

  void giveClasses(std::string scores) {
    std::string sign = scores;
    if (m_weighsOne) {
      const bool isLogistic = w.text("post_transform") == "LOGISTIC";
      const std::string other = m_positive && !isLogistic ? w.add("Sub", {w.number(1), scores}) : w.add("Neg", {scores});
      if (m_positive) sign = w.add("Sub", {scores, w.number(0.5)});
      const std::string both = w.add("Concat", {other, scores});
      w.set("axis", 1);
      if (m_call.wantsOutput(1)) w.give(1, isLogistic ? w.add("Sigmoid", {both}) : both);
    } else if (m_call.wantsOutput(1)) {
      w.give(1, finished(scores));
    }
    if (!m_call.wantsOutput(0)) return;
    std::string best;
    if (m_weighsOne) {
      best = w.cast(w.add("Squeeze", {w.add("Greater", {sign, w.number(0)}), w.integers({1})}), ElementType::Int64);
    } else {
      best = w.add("ArgMax", {scores});
      w.set("axis", 1).set("keepdims", 0);
    }
    w.give(0, "Gather", {words(m_labels), best});
  }

  NodeWriter& w;
  const Call& m_call;
  bool m_classifies, m_weighsOne = false, m_positive = true;
  std::int64_t m_samples = 0, m_count = 1, m_depth = 0;
  std::map<Id, std::size_t> m_places;
  Integers m_features, m_yes, m_no, m_missing, m_roots, m_labels;
  std::vector<float> m_thresholds, m_weights;
  std::string m_mode, m_aggregate;
};

} // namespace

bool isTreeEnsemble(const Node& node) {
  return node.domain == kLearningDomain && (node.opType == "TreeEnsembleRegressor" || node.opType == "TreeEnsembleClassifier");
}

std::vector<Node> expandTreeEnsemble(const Call& call) {
  NodeWriter writer(call.node(), 13);
  TreeWriter(writer, call).write();
  return writer.take();
}

} // namespace simcore::model
