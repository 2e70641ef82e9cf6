#include "simcore/model/onnx/operator_versions.h"

#include "reports/core/error.h"

#include <set>

namespace simcore::model {

namespace {

constexpr int kNewestKnownForms = 22; // opsets up to here were read through; later ones are not known at all

// Read in opsets 1 to 5 as in 6: the same inputs and attributes with the same defaults (others dropped only `consumed_inputs`).
bool isUnchangedSinceFirst(const std::string& type) {
  static const std::set<std::string> types{"Abs",
                                           "Add",
                                           "And",
                                           "ArgMax",
                                           "ArgMin",
                                           "AveragePool",
                                           "BatchNormalization",
                                           "Ceil",
                                           "Constant",
                                           "Conv",
                                           "ConvTranspose",
                                           "DepthToSpace",
                                           "Div",
                                           "Dropout",
                                           "Elu",
                                           "Equal",
                                           "Exp",
                                           "Flatten",
                                           "Floor",
                                           "Gather",
                                           "Gemm",
                                           "GlobalAveragePool",
                                           "GlobalMaxPool",
                                           "Greater",
                                           "HardSigmoid",
                                           "Hardmax",
                                           "Identity",
                                           "InstanceNormalization",
                                           "LRN",
                                           "LeakyRelu",
                                           "Less",
                                           "Log",
                                           "LogSoftmax",
                                           "MatMul",
                                           "Max",
                                           "MaxPool",
                                           "Mean",
                                           "Min",
                                           "Mul",
                                           "Neg",
                                           "Not",
                                           "Or",
                                           "PRelu",
                                           "Pow",
                                           "Reciprocal",
                                           "ReduceL1",
                                           "ReduceL2",
                                           "ReduceLogSum",
                                           "ReduceLogSumExp",
                                           "ReduceMax",
                                           "ReduceMean",
                                           "ReduceMin",
                                           "ReduceProd",
                                           "ReduceSum",
                                           "ReduceSumSquare",
                                           "Relu",
                                           "Reshape",
                                           "Selu",
                                           "Shape",
                                           "Sigmoid",
                                           "Size",
                                           "Slice",
                                           "Softmax",
                                           "Softplus",
                                           "Softsign",
                                           "SpaceToDepth",
                                           "Sqrt",
                                           "Squeeze",
                                           "Sub",
                                           "Sum",
                                           "Tanh",
                                           "Transpose",
                                           "Unsqueeze",
                                           "Xor"};
  return types.count(type) != 0;
}

} // namespace

void requireKnownForm(const Node& node) {
  if (!node.domain.empty() || (node.opset >= kOldestOpset && node.opset <= kNewestOpset)) return;
  if (node.opset < kOldestOpset ? isUnchangedSinceFirst(node.opType) : node.opset <= kNewestKnownForms) return;
  throw reports::Error(reports::ErrorCode::Unsupported,
                       "operator " + node.opType + " (opset " + std::to_string(node.opset) + ") is not supported", node.label(),
                       "opsets " + std::to_string(kOldestOpset) + " to " + std::to_string(kNewestOpset) +
                           " are supported, and what other opsets have in the same form");
}

} // namespace simcore::model
