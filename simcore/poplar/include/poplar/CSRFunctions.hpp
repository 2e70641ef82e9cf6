// Sets or reads floating-point behaviour (exceptions and rounding) at a point of the program.
#pragma once

#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace poplar {

// The first three stop the program with an error; `esr` rounds results to halves stochastically, `nanoo` turns a half that is too
// large into NaN.
struct FloatingPointBehaviour {
  FloatingPointBehaviour(bool invalid, bool divideByZero, bool overflow, bool stochasticRounding, bool nanOnOverflow)
      : inv(invalid), div0(divideByZero), oflo(overflow), esr(stochasticRounding), nanoo(nanOnOverflow) {}
  FloatingPointBehaviour() = default;
  bool inv = true, div0 = true, oflo = true, esr = true, nanoo = true;
};

FloatingPointBehaviour operator|(const FloatingPointBehaviour& a, const FloatingPointBehaviour& b);
FloatingPointBehaviour operator&(const FloatingPointBehaviour& a, const FloatingPointBehaviour& b);
FloatingPointBehaviour operator~(const FloatingPointBehaviour& a);

void setFloatingPointBehaviour(Graph& graph, program::Sequence& program, const FloatingPointBehaviour& behaviour,
                               const DebugContext& context = {});
void setFloatingPointBehaviour(Graph& graph, program::Sequence& program, const Tensor& behaviour,
                               const DebugContext& context = {});
void setStochasticRounding(Graph& graph, program::Sequence& program, bool enable, const DebugContext& context = {});
// The current behaviour, one UNSIGNED_INT. Not implemented yet: throws poplar_error.
Tensor getAndModifyFloatingPointBehaviour(Graph& graph, program::Sequence& program, const FloatingPointBehaviour& clear,
                                          const FloatingPointBehaviour& set, const DebugContext& context = {});

} // namespace poplar
