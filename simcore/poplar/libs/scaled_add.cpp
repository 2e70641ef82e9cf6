#include "popops/ScaledAdd.hpp"

#include "simcore/ops/elementwise/elementwise.h"
#include "simcore/ops/elementwise/expression.h"
#include "simcore/poplar/libs/library_call.h"

namespace popops {

using namespace simcore::poplar::names;

namespace {

// A scale: a number, or one element on the machine.
struct Scale {
  Scale() = default;
  Scale(float number) : value(number) {}
  Scale(const Tensor& element) : tensor(sp::inner(element)) {}
  double value = 1;
  sg::Tensor tensor = {};
  friend void fields(sp::Archive& a, Scale& s) { a(s.value, s.tensor); }
};

void requireAlike(const char* call, const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape())
    throw poputil::poplibs_error(std::string(call) + ": " + a.getDebugStr() + " and " + b.getDebugStr() +
                                 " have different shapes");
}

// a = scaleA a + sign scaleB b, as one codelet; with `less`, a = a - scaleA a + scaleB b.
void combine(Graph& graph, const char* call, const Tensor& a, const Scale& scaleA, const Tensor& b, const Scale& scaleB,
             bool subtracts, bool less, Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  sp::ignoreOptions(call, options);
  requireAlike(call, a, b);
  sp::library(
      graph, prog, debugContext, "scaledAdd",
      [](const ops::OpBuilder& builder, const auto& a, const auto& scaleA, const auto& b, const auto& scaleB,
         const auto& subtracts, const auto& less) {
        std::vector<sg::Tensor> operands{sp::inner(a)};
        const auto type = operands[0].elementType();
        const auto operand = [&](const sg::Tensor& t) {
          operands.push_back(t);
          const auto e = ops::Expression::placeholder(operands.size());
          return t.elementType() == type ? e : ops::Expression::cast(e, type);
        };
        const auto scaled = [&](const ops::Expression& x, const Scale& scale) {
          if (scale.tensor.valid()) return x * operand(scale.tensor);
          return scale.value == 1 ? x : x * ops::Expression::constant(scale.value, type);
        };
        ops::Expression first = scaled(ops::_1, scaleA);
        if (less) first = ops::_1 - first;
        const ops::Expression second = scaled(operand(sp::inner(b)), scaleB);
        ops::mapInPlace(builder, subtracts ? first - second : first + second, operands, "scaledAdd");
      },
      a, scaleA, b, scaleB, subtracts, less);
}

void addNumber(Graph& graph, const char* call, const Tensor& a, const Tensor& b, float scale, Sequence& prog,
               const DebugContext& debugContext, const OptionFlags& options) {
  if (a.elementType() != b.elementType() || !simcore::numerics::isFloating(sp::inner(a.elementType())))
    return combine(graph, call, a, 1.0F, b, scale, false, false, prog, debugContext, options);
  sp::ignoreOptions(call, options, {"optimizeForSpeed"});
  requireAlike(call, a, b);
  sp::library(
      graph, prog, debugContext, "scaledAdd",
      [](const ops::OpBuilder& builder, const auto& a, const auto& b, const auto& scale) {
        ops::scaledAddTo(builder, sp::inner(a), sp::inner(b), scale);
      },
      a, b, scale);
}

} // namespace

void scaledAddTo(Graph& graph, Tensor a, Tensor b, float scaleB, Sequence& prog, const DebugContext& debugContext,
                 const OptionFlags& options) {
  addNumber(graph, "popops::scaledAddTo", a, b, scaleB, prog, debugContext, options);
}
void scaledSubtractFrom(Graph& graph, Tensor a, Tensor b, float scaleB, Sequence& prog, const DebugContext& debugContext,
                        const OptionFlags& options) {
  addNumber(graph, "popops::scaledSubtractFrom", a, b, -scaleB, prog, debugContext, options);
}
void scaledAddTo(Graph& graph, Tensor a, Tensor b, Tensor scaleB, Sequence& prog, const DebugContext& debugContext,
                 const OptionFlags& options) {
  combine(graph, "popops::scaledAddTo", a, 1.0F, b, scaleB, false, false, prog, debugContext, options);
}
void scaledSubtractFrom(Graph& graph, Tensor a, Tensor b, Tensor scaleB, Sequence& prog, const DebugContext& debugContext,
                        const OptionFlags& options) {
  combine(graph, "popops::scaledSubtractFrom", a, 1.0F, b, scaleB, true, false, prog, debugContext, options);
}
void scaledAddTo(Graph& graph, Tensor a, Tensor scaleA, Tensor b, Tensor scaleB, Sequence& prog,
                 const ScaledAddSpecialisation speciality, const DebugContext& debugContext, const OptionFlags& options) {
  combine(graph, "popops::scaledAddTo", a, scaleA, b, scaleB, false, speciality == ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY,
          prog, debugContext, options);
}
void scaledAddTo(Graph& graph, Tensor a, float scaleA, Tensor b, float scaleB, Sequence& prog,
                 const ScaledAddSpecialisation speciality, const DebugContext& debugContext, const OptionFlags& options) {
  combine(graph, "popops::scaledAddTo", a, scaleA, b, scaleB, false, speciality == ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY,
          prog, debugContext, options);
}
void scaledAddTo(Graph& graph, Tensor a, Tensor scaleA, Tensor b, Tensor scaleB, Sequence& prog, const DebugContext& debugContext,
                 const OptionFlags& options) {
  scaledAddTo(graph, a, scaleA, b, scaleB, prog, ScaledAddSpecialisation::DEFAULT, debugContext, options);
}
void scaledAddTo(Graph& graph, Tensor a, float scaleA, Tensor b, float scaleB, Sequence& prog, const DebugContext& debugContext,
                 const OptionFlags& options) {
  scaledAddTo(graph, a, scaleA, b, scaleB, prog, ScaledAddSpecialisation::DEFAULT, debugContext, options);
}
void scaledSubtractFrom(Graph& graph, Tensor a, Tensor scaleA, Tensor b, Tensor scaleB, Sequence& prog,
                        const DebugContext& debugContext, const OptionFlags& options) {
  combine(graph, "popops::scaledSubtractFrom", a, scaleA, b, scaleB, true, false, prog, debugContext, options);
}
void scaledSubtractFrom(Graph& graph, Tensor a, float scaleA, Tensor b, float scaleB, Sequence& prog,
                        const DebugContext& debugContext, const OptionFlags& options) {
  combine(graph, "popops::scaledSubtractFrom", a, scaleA, b, scaleB, true, false, prog, debugContext, options);
}

} // namespace popops
