// Optimisers: one update node per parameter, which writes the parameter and its state in place on the machine. Formulas are those
// of PopART and PyTorch, which agree if both have the optimiser (programming-model 3.2); each is given below.
#pragma once

#include "simcore/model/graph/graph_builder.h"

namespace simcore::model {

enum class OptimiserKind { Sgd, Adam, AdamW, Lamb, Lars, RmsProp, AdaGrad, AdaMax };
// "sgd", "adam", "adamw", "lamb", "lars", "rmsprop", "adagrad", "adamax"; throws reports::Error(InvalidInput) listing them.
OptimiserKind optimiserKind(const std::string& name);
const char* optimiserName(OptimiserKind kind);
std::vector<std::string> optimiserNames(); // of all kinds

// With g the gradient of the unscaled loss and w the parameter:
//   Sgd      g += decay w; v = momentum v + g; w -= rate (nesterov ? g + momentum v : v)      (no v without momentum)
//   Adam     g += decay w; m = b1 m + (1-b1) g; v = b2 v + (1-b2) g^2; w -= rate m^ / (sqrt(v^) + eps), m^ = m / (1 - b1^t)
//   AdamW    as Adam with decay beside it: w -= rate (m^ / (sqrt(v^) + eps) + decay w)
//   Lamb     r = that bracket; w -= rate |w| / |r| r   (factor 1 where a norm is 0)
//   Lars     r = trust |w| / (|g| + decay |w| + eps) (1 where a norm is 0); u = rate r (g + decay w); v = momentum v + u;
//            w -= nesterov ? momentum v + u : v. Parameters of one dimension, which are biases, scales and offsets of norms, have r = 1
//            and no decay (You, Gitman, Ginsburg 2017, arXiv 1708.03888, as TensorFlow's LARSOptimizer with MLPerf's skip list)
//   RmsProp  g += decay w; v = b2 v + (1-b2) g^2; w -= rate g / (sqrt(v) + eps)
//            centred: m = b2 m + (1-b2) g, sqrt(v - m^2) in place of sqrt(v); with momentum u = momentum u + g / (sqrt(v) + eps),
//            w -= rate u. As TensorFlow: sqrt(v + eps), v begins at 1, u = momentum u + rate g / sqrt(v + eps), w -= u
//   AdaGrad  g += decay w; v += g^2; w -= rate g / (sqrt(v) + eps)
//   AdaMax   g += decay w; m = b1 m + (1-b1) g; u = max(b2 u, |g|); w -= rate m^ / (u + eps)
struct OptimiserOptions {
  OptimiserKind kind = OptimiserKind::Sgd;
  double learningRate = 0.01, momentum = 0, weightDecay = 0;
  bool nesterov = false;
  double beta1 = 0.9, beta2 = -1, epsilon = 1e-8; // beta2 below 0: 0.999, and of RmsProp numerics::kRmsPropDecay
  double trust = 0.001;                           // the trust coefficient of Lars
  bool centred = false, asTensorFlow = false;     // of RmsProp
  bool decayBeside = false;                       // of RmsProp, AdaGrad and AdaMax: w -= rate decay w, not g += decay w (RmsProp
                                                  // with asTensorFlow and momentum: w -= decay w)
  bool biasCorrection = true;                     // of Adam, AdamW, Lamb and AdaMax; false: m^ = m, v^ = v
};

// An additional variable of the update, and its first value.
struct UpdateVariable {
  std::string name;
  numerics::HostTensor value;
};
struct Update {
  std::vector<UpdateVariable> state;
  std::vector<std::pair<std::string, std::string>> written; // variable, name of its new value
};
struct Updated {
  std::string parameter, gradient;
};
// Appends the update of parameters with their gradients, which are divided by `gradientDivisor` (loss scale, accumulation).
// `rate` and `step` (number of steps, from 1) are scalar values. With `shards` > 1 the gradient is this replica's share and the
// new value of the parameter is only that of the share (ops/collective/shares.h). Several parameters get one node, like PopART's
// mergeVarUpdate: the numbers are the same, and the machine runs one operation for all of them, which for biases and scales saves
// most of the code. Not possible if the update needs norms of each parameter (updatesByNorms()).
Update addUpdate(GraphBuilder& graph, const OptimiserOptions& options, const std::vector<Updated>& parameters,
                 double gradientDivisor, const std::string& rate, const std::string& step, int shards = 1);
// Attribute of an update: the number of parameters (default 1). Inputs: all parameters, all gradients, the rate, all of each state,
// the step. Outputs: all parameters, all of each state. For SetZero it is the number of inputs that are set to 0.
inline constexpr const char* kMerged = "merged";

// Whether a variable of an update is a velocity or first moment, which may be half (PopART's accl1Type); second moments are too small.
bool isHalfState(const std::string& variable);
// Whether the update of a parameter of this shape needs norms of the whole parameter.
bool updatesByNorms(OptimiserKind kind, const Shape& shape);
// Whether updates read the number of steps.
bool countsSteps(OptimiserKind kind);

} // namespace simcore::model
