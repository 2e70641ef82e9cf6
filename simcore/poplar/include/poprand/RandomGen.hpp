// Tensors of random numbers. `seed` is two UNSIGNED_INT on the machine; the modifier distinguishes calls with the same seed.
// Equal seeds, modifiers and layouts of `reference` give equal numbers. Without a seed (nullptr) the generators continue from
// their state.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"
#include "poputil/exceptions.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace poprand {

// Keeps each element with probability `keepProbability` and multiplies it by `scale`; the other elements become 0.
poplar::Tensor dropout(poplar::Graph& graph, const poplar::Tensor* seed, const std::uint32_t seedModifier,
                       const poplar::Tensor& input, const poplar::Tensor& reference, double keepProbability, double scale,
                       poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
poplar::Tensor dropout(poplar::Graph& graph, const poplar::Tensor* seed, const std::uint32_t seedModifier,
                       const poplar::Tensor& input, const poplar::Tensor& reference, double keepProbability, double scale,
                       bool outputClonesRef, poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
// Drops whole blocks of the input: one decision for each element of `reference`, which broadcasts to the input.
poplar::Tensor shapedDropout(poplar::Graph& graph, const poplar::Tensor* seed, const std::uint32_t seedModifier,
                             const poplar::Tensor& input, const poplar::Tensor& reference, double keepProbability, double scale,
                             poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
// Tensors of the shape and layout of `reference`. FLOAT, HALF or INT (whole numbers from minVal to maxVal).
poplar::Tensor uniform(poplar::Graph& graph, const poplar::Tensor* seed, std::uint32_t seedModifier,
                       const poplar::Tensor& reference, const poplar::Type& outType, double minVal, double maxVal,
                       poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
// Powers of base with uniform exponents from log(minVal) to log(maxVal).
poplar::Tensor logUniform(poplar::Graph& graph, const poplar::Tensor* seed, std::uint32_t seedModifier,
                          const poplar::Tensor& reference, const poplar::Type& outType, double minVal, double maxVal,
                          poplar::program::Sequence& prog, double base = 2.718281828459045,
                          const poplar::DebugContext& debugContext = {});
// Each element is 1 with probability `prob`, else 0.
poplar::Tensor bernoulli(poplar::Graph& graph, const poplar::Tensor* seed, std::uint32_t seedModifier,
                         const poplar::Tensor& reference, const poplar::Type& outType, double prob,
                         poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
poplar::Tensor normal(poplar::Graph& graph, const poplar::Tensor* seed, std::uint32_t seedModifier,
                      const poplar::Tensor& reference, const poplar::Type& outType, double mean, double stdDev,
                      poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
// Values further than alpha * stdDev from the mean are sampled again.
poplar::Tensor truncatedNormal(poplar::Graph& graph, const poplar::Tensor* seed, std::uint32_t seedModifier,
                               const poplar::Tensor& reference, const poplar::Type& outType, double mean, double stdDev,
                               double alpha, poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
// Has no effect, and warns once: calls without a seed keep the simulator's seeds.
void setSeed(poplar::Graph& graph, const poplar::Tensor& masterSeed, std::uint32_t seedModifier, poplar::program::Sequence& prog,
             const poplar::DebugContext& debugContext = {});

} // namespace poprand
