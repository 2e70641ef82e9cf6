#include "simcore/model/training/gradient_reasons.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace simcore::model {

namespace {

struct Reason {
  const char* text;
  std::vector<std::string_view> types;
};
// Reasons for operators of the standard domain.
const Reason kReasons[] = {
    {"its result is whole numbers or truth values",
     {"And",     "ArgMax",         "ArgMin", "BitShift", "BitwiseAnd", "BitwiseNot",  "BitwiseOr",         "BitwiseXor", "Equal",
      "Greater", "GreaterOrEqual", "IsInf",  "IsNaN",    "Less",       "LessOrEqual", "NonMaxSuppression", "NonZero",    "Not",
      "Or",      "Shape",          "Size",   "Xor"}},
    {"it reads no number that is trained",
     {"BlackmanWindow", "Constant", "ConstantOfShape", "HammingWindow", "HannWindow", "MelWeightMatrix", "RandomNormal",
      "RandomUniform"}},
    {"its operands are integers, whose floats are unknown: train before this conversion",
     {"ConvInteger", "MatMulInteger", "QLinearConv", "QLinearMatMul"}},
    {"its scale depends on the values; torch has none either (`quantize_per_tensor_dynamic`)", {"DynamicQuantizeLinear"}},
    {"it is constant wherever its largest element stays the same; torch has no such operator", {"Hardmax"}},
    {"a sequence of numbers known before the run; torch's `arange` has none either", {"Range"}},
    {"which values are equal changes in jumps; torch has none either", {"Unique"}},
};

} // namespace

std::string whyNoGradient(const Operator& op) {
  if (op.gradient) return "";
  if (*op.domain) return "it is made for inference, or after the backward pass";
  for (const Reason& reason : kReasons)
    if (std::find(reason.types.begin(), reason.types.end(), op.type) != reason.types.end()) return reason.text;
  return "";
}

} // namespace simcore::model
