// a += scale * b and similar functions, in place. Scales are numbers or one element on the machine; b may have another floating
// type than a.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

namespace popops {

enum class ScaledAddSpecialisation {
  DEFAULT,           // a = scaleA a + scaleB b
  X_MINUS_AX_PLUS_BY // a = a - scaleA a + scaleB b
};

// a += scaleB * b
void scaledAddTo(poplar::Graph& graph, poplar::Tensor a, poplar::Tensor b, float scaleB, poplar::program::Sequence& prog,
                 const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
void scaledAddTo(poplar::Graph& graph, poplar::Tensor a, poplar::Tensor b, poplar::Tensor scaleB, poplar::program::Sequence& prog,
                 const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
// a -= scaleB * b
void scaledSubtractFrom(poplar::Graph& graph, poplar::Tensor a, poplar::Tensor b, float scaleB, poplar::program::Sequence& prog,
                        const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
void scaledSubtractFrom(poplar::Graph& graph, poplar::Tensor a, poplar::Tensor b, poplar::Tensor scaleB,
                        poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                        const poplar::OptionFlags& options = {});
// a = scaleA * a + scaleB * b
void scaledAddTo(poplar::Graph& graph, poplar::Tensor a, poplar::Tensor scaleA, poplar::Tensor b, poplar::Tensor scaleB,
                 poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                 const poplar::OptionFlags& options = {});
void scaledAddTo(poplar::Graph& graph, poplar::Tensor a, poplar::Tensor scaleA, poplar::Tensor b, poplar::Tensor scaleB,
                 poplar::program::Sequence& prog, const ScaledAddSpecialisation speciality,
                 const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
void scaledAddTo(poplar::Graph& graph, poplar::Tensor a, float scaleA, poplar::Tensor b, float scaleB,
                 poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                 const poplar::OptionFlags& options = {});
void scaledAddTo(poplar::Graph& graph, poplar::Tensor a, float scaleA, poplar::Tensor b, float scaleB,
                 poplar::program::Sequence& prog, const ScaledAddSpecialisation speciality,
                 const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {});
// a = scaleA * a - scaleB * b
void scaledSubtractFrom(poplar::Graph& graph, poplar::Tensor a, poplar::Tensor scaleA, poplar::Tensor b, poplar::Tensor scaleB,
                        poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                        const poplar::OptionFlags& options = {});
void scaledSubtractFrom(poplar::Graph& graph, poplar::Tensor a, float scaleA, poplar::Tensor b, float scaleB,
                        poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                        const poplar::OptionFlags& options = {});

} // namespace popops
