// over 500 lines because one class makes the whole step: its parts share the tables of gradients, sums and placements
#include "simcore/model/training/training.h"

#include "reports/core/within.h"
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/training/autodiff.h"
#include "simcore/model/training/batch_statistics.h"

#include <algorithm>

namespace simcore::model {

namespace {

// Statistics of a norm are constants, not parameters.
bool isStatistic(const Graph& graph, const std::string& name) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return node.opType == "BatchNormalization" && node.inputs.size() >= 5 && (node.inputs[3] == name || node.inputs[4] == name);
  });
}

std::vector<std::string> parametersOf(const Graph& graph, const TrainingOptions& options) {
  std::vector<std::string> names = options.parameters;
  if (options.gradientsOnly) return {};
  if (names.empty()) {
    // In reading order, so that the result does not depend on hashing.
    for (const Node& node : graph.nodes)
      for (const std::string& name : namesReadBy(node)) {
        const auto found = graph.initialisers.find(name);
        if (found == graph.initialisers.end() || !numerics::isFloating(found->second.type())) continue;
        const bool isChosen = graph.trained.empty()
                                  ? found->second.rank() > 0 && !isStatistic(graph, name) && !options.fixed.count(name)
                                  : graph.trained.count(name) > 0;
        if (!isChosen) continue;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
  }
  for (const std::string& name : names) {
    const auto found = graph.initialisers.find(name);
    if (found == graph.initialisers.end() || !numerics::isFloating(found->second.type()))
      throw Error(ErrorCode::InvalidInput, "'" + name + "' cannot be trained: it is not a floating-point constant of the model");
  }
  return names;
}

// The IPU of each part of the cut.
std::vector<int> ipusOfParts(const std::vector<int>& partOfNode, const std::vector<int>& ipuOfNode, std::size_t nodes) {
  std::vector<int> ipus;
  for (std::size_t i = 0; i < nodes; ++i) {
    ipus.resize(std::max(ipus.size(), std::size_t(partOfNode[i]) + 1));
    ipus[std::size_t(partOfNode[i])] = ipuOfNode[i];
  }
  return ipus;
}

constexpr const char* kLossScale = "lossScale";
// Parameters with fewer than kSmall elements are updated together, if an IPU has at least kFewestMerged of them.
constexpr std::int64_t kSmall = 8192;
constexpr std::size_t kFewestMerged = 8;
constexpr double kHalfLimit = 65504.0 / 8;

class TrainingMaker {
public:
  TrainingMaker(Model model, const std::string& loss, const TrainingOptions& options) : m_options(options) {
    m_t.model = std::move(model);
    m_t.accumulation = options.accumulation;
    m_t.loss = loss;
  }

  TrainingModel make() {
    if (m_options.accumulation < 1 || m_options.replicas < 1 || !(m_options.lossScale > 0) || m_options.clipNorm < 0)
      throw Error(ErrorCode::InvalidInput,
                  "accumulation and replicas must be at least 1, the loss scale above 0 and the clipping "
                  "norm not below 0");
    Graph& graph = m_t.model.graph;
    m_t.forwardNodes = graph.nodes.size();
    if (m_options.ipuOfNode.empty()) m_options.ipuOfNode.assign(m_t.forwardNodes, 0);
    if (m_options.stageOfNode.empty()) m_options.stageOfNode = m_options.ipuOfNode;
    for (Node& node : graph.nodes) node.path.insert(node.path.begin(), "fwd");
    for (const std::string& name : parametersOf(graph, m_options)) {
      auto entry = graph.initialisers.extract(name);
      m_t.variables[name] = entry.mapped();
      m_t.parameters.push_back(name);
    }
    BackwardPass pass;
    // With accumulation, each stage accumulates its part of a gradient; without it, the backward pass sums the parts of the stages.
    if (m_options.accumulation > 1) pass.stageOfNode = m_options.stageOfNode;
    if (m_options.automaticLossScale) {
      GraphBuilder variables(graph);
      addVariable(variables, kLossScale, HostTensor::full(numerics::ElementType::Float, {}, m_options.lossScale));
      pass.seed = kLossScale;
    }
    takeStatistics(graph);
    std::vector<std::string> wanted = m_t.parameters;
    for (const std::string& name : m_options.shownGradients)
      if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) wanted.push_back(name);
    m_gradients = addGradients(graph, m_t.loss, wanted, m_options.lossScale * m_options.lossFactor, &pass);
    dropUntrained(graph);
    wantStatistics(graph);
    GraphBuilder builder(graph, std::max(13, m_t.model.opset));
    builder.setSource({}); // nodes added by training have no line in the user's program
    makeLossFirst(graph, builder);
    showGradients(graph, builder, pass);
    if (m_options.accumulation > 1) accumulate(builder, pass);
    m_t.microBatchNodes = graph.nodes.size();
    placeMicroBatch(graph, pass);
    update(builder);
    return std::move(m_t);
  }

private:
  // Running means and variances of a model's file also become variables, but only if one batch makes an update: otherwise the
  // batches of an update would have to write them one after the other.
  void takeStatistics(Graph& graph) {
    if (graph.trained.empty()) return;
    for (const Node& node : graph.nodes) {
      if (node.opType != "BatchNormalization" || !node.attributes.integer("training_mode", 0) || node.inputs.size() < 5) continue;
      if (m_options.accumulation > 1 || m_options.replicas > 1) {
        m_t.keptStatistics += 2;
        continue;
      }
      for (const std::size_t input : {3, 4})
        if (auto entry = graph.initialisers.extract(node.inputs[input])) {
          m_t.variables[node.inputs[input]] = entry.mapped();
          m_t.statistics.insert(node.inputs[input]);
        }
    }
  }

  // Adds the outputs of batch norms for the new running statistics.
  void wantStatistics(Graph& graph) {
    GraphBuilder names(graph);
    for (Node& node : graph.nodes)
      for (std::size_t i = 1; node.opType == kBatchNormTraining && i < kMean; ++i) {
        if (!m_t.statistics.count(node.inputs[i + 2])) continue;
        if (node.outputs[i].empty()) {
          node.outputs[i] = names.unique(node.inputs[i + 2] + "/next");
          names.declare(node.outputs[i], graph.types.at(node.inputs[i + 2]));
        }
      }
  }

  // As in torch: running = momentum x running + (1 - momentum) x statistic, with the sample variance, n / (n - 1) times the batch
  // variance; the operator blends in the batch variance.
  void updateStatistics(GraphBuilder& builder) {
    const std::size_t nodes = m_t.microBatchNodes;
    for (std::size_t n = 0; n < nodes; ++n) {
      const Node node = builder.graph().nodes[n];
      if (node.opType != kBatchNormTraining) continue;
      const Shape x = builder.shape(node.inputs[0]);
      const double count = double(numerics::elementCount(x)) / double(std::max<std::int64_t>(1, x[1]));
      for (std::size_t i = 1; i < kMean; ++i) {
        const std::string& variable = node.inputs[i + 2];
        if (!m_t.statistics.count(variable)) continue;
        builder.setPath({"wu", variable});
        const double unbiased = i == 2 && count > 1 ? count / (count - 1) : 1;
        const std::string next =
            builder.addOwn("StatisticUpdate", {variable, node.outputs[i]},
                           attributes({{"unbiased", float(unbiased)}, {"momentum", node.attributes.real("momentum", 0.9f)}}));
        placed(builder, m_t.ipuOfNode[n]);
        m_t.written.push_back({variable, next});
      }
    }
  }

  // Parameters that the loss does not depend on stay constants.
  void dropUntrained(Graph& graph) {
    std::erase_if(m_t.parameters, [&](const std::string& name) {
      if (m_gradients.count(name)) return false;
      graph.initialisers[name] = std::move(m_t.variables.at(name));
      m_t.variables.erase(name);
      return true;
    });
  }

  static void moveToFront(std::vector<ValueDeclaration>& outputs, const std::string& name) {
    const auto at = std::find_if(outputs.begin(), outputs.end(), [&](const auto& o) { return o.name == name; });
    std::rotate(outputs.begin(), at, at + 1);
  }
  void makeLossFirst(Graph& graph, GraphBuilder& builder) {
    builder.output(m_t.loss);
    moveToFront(graph.outputs, m_t.loss);
  }

  void showGradients(Graph& graph, GraphBuilder& builder, BackwardPass& pass) {
    for (const std::string& name : m_options.shownGradients) {
      const auto gradient = m_gradients.find(name);
      if (gradient == m_gradients.end())
        throw Error(ErrorCode::InvalidInput, "the loss does not depend on this value, so it has no gradient", "'" + name + "'");
      const std::string shown = kGradientOf + name;
      if (graph.types.count(shown)) throw Error(ErrorCode::InvalidInput, "the model has a value of this name already", shown);
      builder.setPath({"bwd", name});
      const auto maker = pass.forwardNode.find(gradient->second); // the gradient of the loss itself is a constant
      const std::size_t forward = maker == pass.forwardNode.end() ? m_t.forwardNodes - 1 : maker->second;
      std::string value = gradient->second; // the gradient of the loss without a factor
      if (m_options.lossFactor != 1)
        pass.forwardNode[value = builder.scaled(gradient->second, 1 / m_options.lossFactor)] = forward;
      pass.forwardNode[builder.add("Identity", {value}, {}, shown)] = forward;
      builder.output(shown);
    }
  }

  void addVariable(GraphBuilder& builder, const std::string& name, HostTensor value) {
    builder.declare(name, {value.type(), value.shape()});
    m_t.variables[name] = std::move(value);
  }

  // Each sum follows the node that makes its gradient, so gradients do not wait for the end of the backward pass. If several IPUs
  // read a parameter, each has a separate sum, and the sums are added once per update instead of once per micro-batch. Stages of
  // one IPU add to the same sum, the last stage first, in the order of their backward passes.
  void accumulate(GraphBuilder& builder, const BackwardPass& pass) {
    std::vector<Node>& nodes = builder.graph().nodes;
    const std::size_t before = nodes.size();
    const std::vector<int> ipuOfPart = ipusOfParts(m_options.stageOfNode, m_options.ipuOfNode, m_t.forwardNodes);
    for (const std::string& name : m_t.parameters) {
      const TensorType type = builder.type(name);
      const std::map<int, std::string>& parts = pass.partsOn.at(name);
      std::map<int, std::vector<std::string>> gradientsOn;
      for (auto part = parts.rbegin(); part != parts.rend(); ++part)
        gradientsOn[ipuOfPart[std::size_t(part->first)]].push_back(part->second);
      const int home = ipuOfPart[std::size_t(parts.begin()->first)];
      for (const auto& [ipu, gradients] : gradientsOn) {
        const std::string sum = name + "/accumulator" + (ipu == home ? "" : std::to_string(ipu));
        addVariable(builder, sum, HostTensor(type.type, type.shape));
        builder.setPath({"bwd", name});
        std::string made = sum;
        for (const std::string& gradient : gradients) {
          const std::string rows = addRows(builder, pass, made, gradient);
          made = rows.empty() ? builder.addOwn("Accumulate", {made, gradient}) : rows;
        }
        if (ipu == home)
          m_accumulated[name] = made;
        else
          m_otherSums[name].push_back({ipu, sum, made});
      }
    }
    std::multimap<std::string, Node> sums;
    for (std::size_t i = before; i < nodes.size(); ++i) sums.emplace(nodes[i].inputs.back(), nodes[i]);
    std::vector<Node> ordered;
    for (std::size_t i = 0; i < before; ++i) {
      if (const auto& outputs = nodes[i].outputs; !outputs.empty() && m_rowsOf.count(outputs[0])) continue;
      ordered.push_back(std::move(nodes[i]));
      const std::vector<std::string> made = ordered.back().outputs;
      for (const std::string& output : made)
        for (auto [sum, end] = sums.equal_range(output); sum != end; ++sum) ordered.push_back(sum->second);
    }
    nodes = std::move(ordered);
  }

  // The sum with the rows of a tied table's gradient, added without a table of zeros (PopART, TiedGatherAccumulatePattern); ""
  // for other gradients.
  std::string addRows(GraphBuilder& builder, const BackwardPass& pass, const std::string& sum, const std::string& gradient) {
    const std::vector<Node>& nodes = builder.graph().nodes;
    const auto maker = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) {
      return node.opType == "TiedGatherGrad" && node.outputs[0] == gradient;
    });
    if (maker == nodes.end()) return {};
    const std::string rows = maker->inputs[0], indices = maker->inputs[1];
    const std::int64_t parts = maker->attributes.integer("parts", 1);
    const std::string made = builder.addOwn("SparseAccumulate", {sum, indices, rows}, attributes({{"parts", parts}}));
    m_rowsOf.insert(gradient);
    m_forwardOfRows[made] = pass.forwardNode.at(gradient);
    return made;
  }

  void placeMicroBatch(const Graph& graph, const BackwardPass& pass) {
    const auto makerOf = [&](const std::string& name) {
      const auto found = pass.forwardNode.find(name);
      return found == pass.forwardNode.end() ? m_t.forwardNodes - 1 : found->second;
    };
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& node = graph.nodes[i];
      std::size_t forward = i;
      if (i >= m_t.forwardNodes) {
        const auto made = std::find_if(node.outputs.begin(), node.outputs.end(), [](const auto& o) { return !o.empty(); });
        const auto rows = m_forwardOfRows.find(*made);
        forward = rows != m_forwardOfRows.end() ? rows->second : makerOf(node.opType == "Accumulate" ? node.inputs[1] : *made);
      }
      m_t.forwardOf.push_back(forward);
      m_t.ipuOfNode.push_back(m_options.ipuOfNode.at(forward));
      m_t.stageOfNode.push_back(m_options.stageOfNode.at(forward));
    }
    for (std::size_t i = m_t.forwardNodes; i-- > 0;)
      for (const std::string& name : namesReadBy(graph.nodes[i])) m_home[name] = m_options.ipuOfNode[i];
  }

  // Nodes added since the last call are on this IPU.
  void placed(GraphBuilder& builder, int ipu) { m_t.ipuOfNode.resize(builder.graph().nodes.size(), ipu); }

  bool isSharded(GraphBuilder& builder, const std::string& name) const {
    return m_options.shardState && m_options.replicas > 1 &&
           numerics::elementCount(builder.shape(name)) >= m_options.shardAtLeast;
  }

  struct Parameter {
    std::string name, gradient;
    int shards = 1;
  };

  static std::vector<std::string> gradientsOf(const std::vector<Parameter>& parameters, bool sharded) {
    std::vector<std::string> gradients;
    for (const Parameter& p : parameters)
      if ((p.shards > 1) == sharded) gradients.push_back(p.gradient);
    return gradients;
  }
  std::int64_t shardsOf(bool sharded) const { return sharded ? m_options.replicas : 1; }

  // Replaces gradients by their mean over all replicas: by the whole mean if every replica updates all of a parameter, else by
  // each replica's share. One ring transfers all gradients of an IPU; it has the path `path` in the report.
  void reduceOverReplicas(GraphBuilder& builder, std::vector<Parameter>& parameters, const std::vector<std::string>& path) {
    for (const bool sharded : {false, true}) {
      std::vector<std::string> gradients;
      for (const Parameter& p : parameters)
        if (isSharded(builder, p.name) == sharded) gradients.push_back(p.gradient);
      if (gradients.empty()) continue;
      builder.setPath(path);
      const auto reduced =
          builder.addOwnMany(sharded ? "ReduceScatter" : "AllReduce", gradients,
                             attributes({{"replicas", std::int64_t(m_options.replicas)}}), std::vector(gradients.size(), true));
      auto next = reduced.begin();
      for (Parameter& p : parameters)
        if (isSharded(builder, p.name) == sharded) {
          p.gradient = *next++;
          p.shards = sharded ? m_options.replicas : 1;
        }
    }
  }

  // 1, or the factor that reduces the norm of all gradients to the limit. Every IPU sums the squares of its own gradients.
  std::string clipFactor(GraphBuilder& builder, const std::map<int, std::vector<Parameter>>& parametersOn, double divisor) {
    std::vector<std::string> sums;
    for (const auto& [ipu, parameters] : parametersOn) {
      builder.setPath({"wu", "clip"});
      for (const bool sharded : {false, true}) {
        const std::vector<std::string> gradients = gradientsOf(parameters, sharded);
        if (gradients.empty()) continue;
        sums.push_back(builder.addOwn("SquareSum", gradients, attributes({{"shards", shardsOf(sharded)}})));
      }
      placed(builder, ipu);
    }
    const std::string factor = builder.addOwn("ClipFactor", sums, attributes({{"limit", float(m_options.clipNorm * divisor)}}));
    placed(builder, parametersOn.begin()->first);
    return factor;
  }

  // Adds the sums of other IPUs to the sum on the parameter's IPU.
  void addOtherSums(GraphBuilder& builder, const std::string& name) {
    builder.setPath({"wu", name});
    for (const auto& [ipu, sum, made] : m_otherSums[name]) {
      m_accumulated[name] = builder.addOwn("Accumulate", {m_accumulated.at(name), made});
      placed(builder, m_home.at(name));
      m_t.written.push_back({sum, builder.addOwn("SetZero", {made})});
      placed(builder, ipu);
    }
  }

  // If the loss scale is automatic, gradients are divided by it before the update.
  void unscale(GraphBuilder& builder, std::map<int, std::vector<Parameter>>& parametersOn) {
    const int ipu = m_options.ipuOfNode.back(); // the backward pass begins there
    builder.setPath({"wu", kLossScale});
    const std::string factor =
        builder.addOwn("UnscaleFactor", {kLossScale}, attributes({{"micro_batches", m_options.accumulation}}));
    placed(builder, ipu);
    std::vector<std::string> counts{kLossScale};
    std::int64_t elements = 0;
    for (const auto& [home, parameters] : parametersOn) {
      for (const Parameter& p : parameters) elements += numerics::elementCount(builder.shape(p.name));
      for (const bool sharded : {false, true}) {
        const std::vector<std::string> gradients = gradientsOf(parameters, sharded);
        if (gradients.empty()) continue;
        counts.push_back(builder.addOwn(
            "CountLarge", gradients,
            attributes({{"limit", float(kHalfLimit * double(m_options.accumulation))}, {"shards", shardsOf(sharded)}})));
      }
      placed(builder, home);
    }
    m_t.written.push_back(
        {kLossScale, builder.addOwn("LossScaleUpdate", counts, attributes({{"limit", float(1e-7 * double(elements))}}))});
    placed(builder, ipu);
    scaleGradients(builder, parametersOn, factor);
  }

  void scaleGradients(GraphBuilder& builder, std::map<int, std::vector<Parameter>>& parametersOn, const std::string& factor) {
    for (auto& [ipu, parameters] : parametersOn) {
      for (Parameter& p : parameters) {
        builder.setPath({"wu", p.name});
        p.gradient = builder.addOwn("ScaleGradient", {p.gradient, factor}, attributes({{"shards", std::int64_t(p.shards)}}));
      }
      placed(builder, ipu);
    }
  }

  void update(GraphBuilder& builder) {
    updateStatistics(builder);
    const double divisor = m_options.automaticLossScale ? 1 : m_options.lossScale * double(m_options.accumulation);
    std::map<int, std::vector<Parameter>> parametersOn;
    for (const std::string& name : m_t.parameters) addOtherSums(builder, name);
    for (const std::string& name : m_t.parameters)
      parametersOn[m_home.at(name)].push_back({name, m_accumulated.empty() ? m_gradients.at(name) : m_accumulated.at(name)});
    for (auto& [ipu, parameters] : parametersOn) {
      if (m_options.replicas > 1)
        reduceOverReplicas(builder, parameters,
                           parametersOn.size() > 1 ? std::vector<std::string>{"wu", "IPU " + std::to_string(ipu)}
                                                   : std::vector<std::string>{"wu"});
      placed(builder, ipu);
    }
    if (parametersOn.empty()) return; // there is nothing to update
    if (m_options.automaticLossScale) unscale(builder, parametersOn);
    if (m_options.clipNorm > 0) scaleGradients(builder, parametersOn, clipFactor(builder, parametersOn, divisor));
    const auto type = numerics::ElementType::Float;
    m_rates = {rateOf(builder, kLearningRate, m_options.optimiser.learningRate)};
    for (std::size_t i = 0; i < m_options.groups.size(); ++i)
      m_rates.push_back(rateOf(builder, groupRate(i), m_options.groups[i].optimiser.learningRate));
    std::string step;
    if (countsSteps(m_options.optimiser.kind) && !m_options.optimiser.biasCorrection) {
      // A number of steps for which the bias correction is 1.
      step = builder.constant("endlessSteps", HostTensor::full(type, {}, 1e9));
    } else if (countsSteps(m_options.optimiser.kind)) {
      addVariable(builder, "stepCount", HostTensor(type, {}));
      builder.setPath({"wu"});
      step = builder.addOwn("CountStep", {"stepCount"});
      m_t.written.push_back({"stepCount", step});
      placed(builder, parametersOn.begin()->first);
    }
    for (const auto& [ipu, parameters] : parametersOn) {
      std::set<std::string> merged;
      for (std::size_t group = 0; group < m_rates.size(); ++group)
        merged.merge(updateSmall(builder, parameters, group, divisor, step));
      for (const Parameter& p : parameters)
        if (!merged.count(p.name)) updateParameter(builder, p, divisor, step);
      setSumsToZero(builder);
      gatherShares(builder, parameters);
      placed(builder, ipu);
    }
  }

  std::string rateOf(GraphBuilder& builder, const std::string& name, double rate) {
    const HostTensor first = HostTensor::full(numerics::ElementType::Float, {}, rate);
    if (!m_options.rateChanges) return builder.constant(name, first);
    addVariable(builder, name, first);
    return name;
  }

  // 0 for the optimiser's own values, i for those of parameter group i - 1.
  std::size_t groupOf(const std::string& parameter) const {
    for (std::size_t i = 0; i < m_options.groups.size(); ++i)
      if (m_options.groups[i].parameters.count(parameter)) return i + 1;
    return 0;
  }

  void updateParameter(GraphBuilder& builder, const Parameter& p, double divisor, const std::string& step) {
    builder.setPath({"wu", p.name});
    addUpdates(builder, {{p.name, p.gradient}}, groupOf(p.name), divisor, step, p.shards);
  }
  void addUpdates(GraphBuilder& builder, const std::vector<Updated>& parameters, std::size_t group, double divisor,
                  const std::string& step, int shards) {
    const OptimiserOptions& values = group == 0 ? m_options.optimiser : m_options.groups[group - 1].optimiser;
    Update made = addUpdate(builder, values, parameters, divisor, m_rates[group], step, shards);
    for (auto& state : made.state) m_t.variables[state.name] = std::move(state.value);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (shards > 1) m_share[parameters[i].parameter] = made.written[i].second;
      if (!m_accumulated.empty()) m_used.push_back({parameters[i].parameter, made.written[i].second});
    }
    m_t.written.insert(m_t.written.end(), made.written.begin() + (shards > 1 ? 1 : 0), made.written.end());
  }

  // Many small parameters of an IPU are updated together: separately each costs nearly as much code and time as a large one.
  std::set<std::string> updateSmall(GraphBuilder& builder, const std::vector<Parameter>& parameters, std::size_t group,
                                    double divisor, const std::string& step) {
    std::vector<Updated> small;
    for (const Parameter& p : parameters)
      if (groupOf(p.name) == group && !updatesByNorms(m_options.optimiser.kind, builder.shape(p.name)) && p.shards == 1 &&
          numerics::elementCount(builder.shape(p.name)) < kSmall && builder.type(p.name).type == numerics::ElementType::Float)
        small.push_back({p.name, p.gradient});
    if (small.size() < kFewestMerged) return {};
    builder.setPath({"wu", "small parameters"});
    addUpdates(builder, small, group, divisor, step, 1);
    std::set<std::string> names;
    for (const Updated& updated : small) names.insert(updated.parameter);
    return names;
  }

  // A sum restarts from zero after its last use.
  void setSumsToZero(GraphBuilder& builder) {
    std::map<numerics::ElementType, std::vector<Updated>> byType;
    for (const Updated& used : m_used) byType[builder.type(used.parameter).type].push_back(used);
    m_used.clear();
    for (const auto& [type, sums] : byType) {
      if (sums.size() < kFewestMerged) {
        for (const auto& [name, after] : sums) {
          builder.setPath({"wu", name});
          m_t.written.push_back({name + "/accumulator", builder.addOwn("SetZero", {m_accumulated.at(name), after})});
        }
        continue;
      }
      builder.setPath({"wu"});
      std::vector<std::string> inputs;
      for (const auto& [name, after] : sums) inputs.push_back(m_accumulated.at(name));
      for (const auto& [name, after] : sums) inputs.push_back(after);
      const auto zeros = builder.addOwnMany("SetZero", inputs, attributes({{kMerged, std::int64_t(sums.size())}}),
                                            std::vector(sums.size(), true));
      for (std::size_t i = 0; i < sums.size(); ++i) m_t.written.push_back({sums[i].parameter + "/accumulator", zeros[i]});
    }
  }

  // Every replica gets the others' shares of the new parameters.
  void gatherShares(GraphBuilder& builder, const std::vector<Parameter>& parameters) {
    std::vector<std::string> names, inputs;
    for (const Parameter& p : parameters)
      if (p.shards > 1) {
        names.push_back(p.name);
        inputs.push_back(m_share.at(p.name));
      }
    if (names.empty()) return;
    inputs.insert(inputs.end(), names.begin(), names.end());
    builder.setPath({"wu"});
    const auto whole = builder.addOwnMany("AllGather", inputs, attributes({{"replicas", std::int64_t(m_options.replicas)}}),
                                          std::vector(names.size(), true));
    for (std::size_t i = 0; i < names.size(); ++i) m_t.written.push_back({names[i], whole[i]});
  }

  TrainingOptions m_options;
  TrainingModel m_t;
  std::unordered_map<std::string, std::string> m_gradients, m_accumulated, m_share; // by parameter
  std::vector<std::string> m_rates; // values of the learning rates: the optimiser's, then those of the groups
  std::vector<Updated> m_used;      // parameters of the current IPU whose sums may be zeroed once their new values exist
  struct Sum {
    int ipu = 0;
    std::string variable, made;
  };
  std::unordered_map<std::string, std::vector<Sum>> m_otherSums; // by parameter
  std::unordered_map<std::string, int> m_home;                   // IPU of the first reader
  std::set<std::string> m_rowsOf;                                // gradients that addRows() replaces
  std::unordered_map<std::string, std::size_t> m_forwardOfRows;  // by the value that addRows() made
};

} // namespace

std::string groupRate(std::size_t group) { return std::string(kLearningRate) + "/" + std::to_string(group); }

std::vector<int> TrainingModel::ipuOfPart() const { return ipusOfParts(stageOfNode, ipuOfNode, forwardNodes); }

TrainingModel makeTraining(Model model, const std::string& loss, const TrainingOptions& options) {
  const std::string file = model.file;
  return reports::within(file, [&] { return TrainingMaker(std::move(model), loss, options).make(); });
}

} // namespace simcore::model
