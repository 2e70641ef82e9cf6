#include "simcore/model/training/optimiser.h"

#include "reports/core/names.h"
#include "simcore/numerics/optimiser.h"

namespace simcore::model {

namespace {
constexpr std::pair<OptimiserKind, const char*> kOptimiserNames[] = {
    {OptimiserKind::Sgd, "sgd"},         {OptimiserKind::Adam, "adam"},    {OptimiserKind::AdamW, "adamw"},
    {OptimiserKind::Lamb, "lamb"},       {OptimiserKind::Lars, "lars"},    {OptimiserKind::RmsProp, "rmsprop"},
    {OptimiserKind::AdaGrad, "adagrad"}, {OptimiserKind::AdaMax, "adamax"}};
} // namespace

OptimiserKind optimiserKind(const std::string& name) { return reports::valueCalled(kOptimiserNames, name, "no optimiser is"); }
const char* optimiserName(OptimiserKind kind) { return reports::nameOf(kOptimiserNames, kind); }
std::vector<std::string> optimiserNames() {
  std::vector<std::string> names;
  for (const auto& [kind, name] : kOptimiserNames) names.emplace_back(name);
  return names;
}

bool isHalfState(const std::string& variable) { return variable.ends_with("/velocity") || variable.ends_with("/firstMoment"); }

bool updatesByNorms(OptimiserKind kind, const Shape& shape) {
  return kind == OptimiserKind::Lamb || (kind == OptimiserKind::Lars && shape.size() > 1);
}

bool countsSteps(OptimiserKind kind) {
  return kind == OptimiserKind::Adam || kind == OptimiserKind::AdamW || kind == OptimiserKind::Lamb ||
         kind == OptimiserKind::AdaMax;
}

Update addUpdate(GraphBuilder& graph, const OptimiserOptions& o, const std::vector<Updated>& parameters, double gradientDivisor,
                 const std::string& rate, const std::string& step, int shards) {
  Update update;
  std::vector<std::string> inputs;
  for (const Updated& p : parameters) inputs.push_back(p.parameter);
  for (const Updated& p : parameters) inputs.push_back(p.gradient);
  inputs.push_back(rate);
  const auto state = [&](const char* name, double begin = 0) {
    for (const Updated& p : parameters) {
      const TensorType type = graph.type(p.parameter);
      update.state.push_back({p.parameter + "/" + name,
                              begin == 0 ? HostTensor(type.type, type.shape) : HostTensor::full(type.type, type.shape, begin)});
      graph.declare(update.state.back().name, type);
      inputs.push_back(update.state.back().name);
    }
  };
  Attributes a = attributes({{"gradient_divisor", float(gradientDivisor)}, {"weight_decay", float(o.weightDecay)}});
  if (shards > 1) a.set("shards", std::int64_t(shards));
  if (parameters.size() > 1) a.set(kMerged, std::int64_t(parameters.size()));
  const bool isRmsProp = o.kind == OptimiserKind::RmsProp;
  const double beta2 = o.beta2 >= 0 ? o.beta2 : isRmsProp ? numerics::kRmsPropDecay : 0.999;
  std::string op;
  if (o.kind == OptimiserKind::Sgd) {
    op = "SgdUpdate";
    a.set("momentum", float(o.momentum));
    a.set("nesterov", std::int64_t(o.nesterov));
    if (o.momentum != 0) state("velocity");
  } else if (o.kind == OptimiserKind::Lars) {
    op = "LarsUpdate";
    const bool adapts = updatesByNorms(o.kind, graph.shape(parameters[0].parameter));
    a.set("adapts", std::int64_t(adapts));
    if (!adapts) a.set("weight_decay", 0.0f);
    a.set("trust", float(o.trust));
    a.set("epsilon", float(o.epsilon));
    a.set("momentum", float(o.momentum));
    a.set("nesterov", std::int64_t(o.nesterov));
    if (o.momentum != 0) state("velocity");
  } else if (countsSteps(o.kind)) {
    op = "AdamUpdate";
    a.set("mode", std::string(optimiserName(o.kind)));
    if (o.kind == OptimiserKind::AdaMax && o.decayBeside) a.set("decay_beside", std::int64_t(1));
    a.set("beta1", float(o.beta1)), a.set("beta2", float(beta2)), a.set("epsilon", float(o.epsilon));
    state("firstMoment"), state("secondMoment");
    inputs.push_back(step);
  } else {
    op = isRmsProp ? "RmsPropUpdate" : "AdaGradUpdate";
    a.set("beta2", float(beta2)), a.set("epsilon", float(o.epsilon));
    if (o.decayBeside) a.set("decay_beside", std::int64_t(1));
    if (isRmsProp && o.asTensorFlow) a.set("tensorflow", std::int64_t(1));
    state("secondMoment", isRmsProp && o.asTensorFlow ? 1 : 0);
    if (isRmsProp && o.centred) {
      a.set("centred", std::int64_t(1));
      state("meanGradient");
    }
    if (isRmsProp && o.momentum != 0) {
      a.set("momentum", float(o.momentum));
      state("velocity");
    }
  }
  const std::size_t count = parameters.size();
  const auto outputs = graph.addOwnMany(op, inputs, a, std::vector<bool>(count + update.state.size(), true));
  for (std::size_t i = 0; i < count; ++i) update.written.push_back({parameters[i].parameter, outputs[i]});
  for (std::size_t i = 0; i < update.state.size(); ++i) update.written.push_back({update.state[i].name, outputs[count + i]});
  return update;
}

} // namespace simcore::model
