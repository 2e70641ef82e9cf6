// Activations: element-wise functions with parameters in attributes.
#include "simcore/model/operators/operand_check.h"
#include "simcore/numerics/elementwise.h"

namespace simcore::model {

using numerics::UnaryKind;

namespace {

// The defaults of alpha and beta are those of the ONNX operators.
Tensors leakyRelu(const Call& call) {
  return {numerics::unary(UnaryKind::LeakyRelu, call.value(0), double(call.attributes().real("alpha", 0.01f)))};
}
Tensors elu(const Call& call) {
  return {numerics::unary(UnaryKind::Elu, call.value(0), double(call.attributes().real("alpha", 1.0f)))};
}
Tensors celu(const Call& call) {
  return {numerics::unary(UnaryKind::Celu, call.value(0), double(call.attributes().real("alpha", 1.0f)))};
}
Tensors selu(const Call& call) {
  return {numerics::unary(UnaryKind::Selu, call.value(0), double(call.attributes().real("alpha", 1.67326319217681884765625f)),
                          double(call.attributes().real("gamma", 1.05070102214813232421875f)))};
}
Tensors hardSigmoid(const Call& call) {
  return {numerics::unary(UnaryKind::HardSigmoid, call.value(0), double(call.attributes().real("alpha", 0.2f)),
                          double(call.attributes().real("beta", 0.5f)))};
}
Tensors thresholdedRelu(const Call& call) {
  return {numerics::unary(UnaryKind::ThresholdedRelu, call.value(0), double(call.attributes().real("alpha", 1.0f)))};
}
Tensors shrink(const Call& call) {
  return {numerics::unary(UnaryKind::Shrink, call.value(0), double(call.attributes().real("lambd", 0.5f)),
                          double(call.attributes().real("bias", 0.0f)))};
}
Tensors gelu(const Call& call) {
  const bool tanh = call.attributes().text("approximate", "none") == "tanh";
  return {numerics::unary(tanh ? UnaryKind::GeluTanh : UnaryKind::Gelu, call.value(0))};
}
Tensors pRelu(const Call& call) {
  // One slope per channel of an image may come without the trailing dimensions (opset 6).
  const numerics::Shape& x = call.shape(0);
  numerics::HostTensor slope = call.value(1);
  if (call.opset() < 7 && slope.rank() == 1 && x.size() > 2 && slope.dim(0) == x[1]) {
    numerics::Shape shape(x.size() - 1, 1);
    shape[0] = x[1];
    slope = slope.reshaped(shape);
  }
  return {numerics::binary(numerics::BinaryKind::PRelu, call.value(0), slope)};
}

constexpr Operator kActivationOperators[] = {
    {"Relu", inferUnary, unary<UnaryKind::Relu>},
    {"Sigmoid", inferUnary, unary<UnaryKind::Sigmoid>},
    {"Tanh", inferUnary, unary<UnaryKind::Tanh>},
    {"Softplus", inferUnary, unary<UnaryKind::Softplus>},
    {"Softsign", inferUnary, unary<UnaryKind::Softsign>},
    {"HardSwish", inferUnary, unary<UnaryKind::HardSwish>},
    {"Mish", inferUnary, unary<UnaryKind::Mish>},
    {"LeakyRelu", inferUnary, leakyRelu},
    {"Elu", inferUnary, elu},
    {"Celu", inferUnary, celu},
    {"Selu", inferUnary, selu},
    {"HardSigmoid", inferUnary, hardSigmoid},
    {"ThresholdedRelu", inferUnary, thresholdedRelu},
    {"Shrink", inferUnary, shrink},
    {"PRelu", inferSame, pRelu},
    {"Gelu", inferUnary, gelu},
    {"Gelu", inferUnary, gelu, "com.microsoft"},
};

} // namespace

std::span<const Operator> activationOperators() { return kActivationOperators; }

} // namespace simcore::model
