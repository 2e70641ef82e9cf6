#include "simcore/model/training/gradient_reasons.h"

#include <algorithm>
#include <string_view>

namespace simcore::model {

namespace {

struct Reason {
  const char* type;
  const char* text;
};

constexpr const char *kWholeNumbers = "its result is whole numbers or truth values",
                     *kFromNothing = "it reads no number that is trained",
                     *kIntegerProduct = "its operands are integers, whose floats are unknown: train before this conversion";
// Operators of the standard domain without a gradient.
constexpr Reason kReasons[] = {
    {"And", kWholeNumbers},
    {"ArgMax", kWholeNumbers},
    {"ArgMin", kWholeNumbers},
    {"BitShift", kWholeNumbers},
    {"BitwiseAnd", kWholeNumbers},
    {"BitwiseNot", kWholeNumbers},
    {"BitwiseOr", kWholeNumbers},
    {"BitwiseXor", kWholeNumbers},
    {"BlackmanWindow", kFromNothing},
    {"Constant", kFromNothing},
    {"ConstantOfShape", kFromNothing},
    {"ConvInteger", kIntegerProduct},
    {"DynamicQuantizeLinear", "its scale depends on the values; torch has none either (`quantize_per_tensor_dynamic`)"},
    {"Equal", kWholeNumbers},
    {"Greater", kWholeNumbers},
    {"GreaterOrEqual", kWholeNumbers},
    {"HammingWindow", kFromNothing},
    {"HannWindow", kFromNothing},
    {"Hardmax", "it is constant wherever its largest element stays the same; torch has no such operator"},
    {"IsInf", kWholeNumbers},
    {"IsNaN", kWholeNumbers},
    {"Less", kWholeNumbers},
    {"LessOrEqual", kWholeNumbers},
    {"MatMulInteger", kIntegerProduct},
    {"MelWeightMatrix", kFromNothing},
    {"NonMaxSuppression", kWholeNumbers},
    {"NonZero", kWholeNumbers},
    {"Not", kWholeNumbers},
    {"Or", kWholeNumbers},
    {"QLinearConv", kIntegerProduct},
    {"QLinearMatMul", kIntegerProduct},
    {"RandomNormal", kFromNothing},
    {"RandomUniform", kFromNothing},
    {"Range", "a sequence of numbers known before the run; torch's `arange` has none either"},
    {"Shape", kWholeNumbers},
    {"Size", kWholeNumbers},
    {"Unique", "which values are equal changes in jumps; torch has none either"},
    {"Xor", kWholeNumbers},
};

} // namespace

std::string whyNoGradient(const Operator& op) {
  if (op.gradient) return "";
  if (*op.domain) return "it is made for inference, or after the backward pass";
  const auto found = std::find_if(std::begin(kReasons), std::end(kReasons),
                                  [&](const Reason& r) { return std::string_view(r.type) == op.type; });
  return found == std::end(kReasons) ? "" : found->text;
}

} // namespace simcore::model
