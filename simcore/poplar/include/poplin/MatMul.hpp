// Products of matrices: A [M, K] x B [K, N] -> [M, N]; grouped: [G, M, K] x [G, K, N]. Options: availableMemoryProportion,
// partialsType ("half", "float"), fullyConnectedPass. Throw poplibs_error for incompatible shapes or types.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"
#include "poplin/Convolution.hpp"

#include <cstddef>
#include <ostream>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace poplin {
namespace matmul {

class PlanningCache : public poplin::PlanningCache {
public:
  poplin::PlanningCache& getImpl() { return *this; }
};

} // namespace matmul

poplar::Tensor matMul(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& b, poplar::program::Sequence& prog,
                      const poplar::Type& outputType, const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
poplar::Tensor matMul(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& b, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                      PlanningCache* cache = nullptr);
void matMulWithOutput(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& b, poplar::Tensor& out,
                      poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
poplar::Tensor matMulGrouped(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& b,
                             poplar::program::Sequence& prog, const poplar::Type& outputType,
                             const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                             PlanningCache* cache = nullptr);
void matMulGroupedWithOutput(poplar::Graph& graph, const poplar::Tensor& a, const poplar::Tensor& b, poplar::Tensor& out,
                             poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                             const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
// c += k * a x b, in place; k is a number or one element.
void matMulAcc(poplar::Graph& graph, const poplar::Tensor& c, float k, const poplar::Tensor& a, const poplar::Tensor& b,
               poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
               const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
void matMulAcc(poplar::Graph& graph, const poplar::Tensor& c, const poplar::Tensor& k, const poplar::Tensor& a,
               const poplar::Tensor& b, poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
               const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
void matMulGroupedAcc(poplar::Graph& graph, const poplar::Tensor& c, float k, const poplar::Tensor& a, const poplar::Tensor& b,
                      poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
void matMulGroupedAcc(poplar::Graph& graph, const poplar::Tensor& c, const poplar::Tensor& k, const poplar::Tensor& a,
                      const poplar::Tensor& b, poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);

// Create operands and results, mapped to tiles for the plan of the product. The arguments are the shapes of both operands.
poplar::Tensor createMatMulInputLHS(poplar::Graph& graph, const poplar::Type& inputType, const poplar::Type& outputType,
                                    const std::vector<std::size_t>& aShape, const std::vector<std::size_t>& bShape,
                                    const poplar::DebugContext& debugContext, const poplar::OptionFlags& options = {},
                                    PlanningCache* cache = nullptr);
poplar::Tensor createMatMulInputLHS(poplar::Graph& graph, const poplar::Type& dataType, const std::vector<std::size_t>& aShape,
                                    const std::vector<std::size_t>& bShape, const poplar::DebugContext& debugContext,
                                    const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
poplar::Tensor createMatMulGroupedInputLHS(poplar::Graph& graph, const poplar::Type& inputType, const poplar::Type& outputType,
                                           const std::vector<std::size_t>& aShape, const std::vector<std::size_t>& bShape,
                                           const poplar::DebugContext& debugContext, const poplar::OptionFlags& options = {},
                                           PlanningCache* cache = nullptr);
poplar::Tensor createMatMulInputRHS(poplar::Graph& graph, const poplar::Type& inputType, const poplar::Type& outputType,
                                    const std::vector<std::size_t>& aShape, const std::vector<std::size_t>& bShape,
                                    const poplar::DebugContext& debugContext, const poplar::OptionFlags& options = {},
                                    PlanningCache* cache = nullptr);
poplar::Tensor createMatMulInputRHS(poplar::Graph& graph, const poplar::Type& dataType, const std::vector<std::size_t>& aShape,
                                    const std::vector<std::size_t>& bShape, const poplar::DebugContext& debugContext,
                                    const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
poplar::Tensor createMatMulGroupedInputRHS(poplar::Graph& graph, const poplar::Type& inputType, const poplar::Type& outputType,
                                           const std::vector<std::size_t>& aShape, const std::vector<std::size_t>& bShape,
                                           const poplar::DebugContext& debugContext, const poplar::OptionFlags& options = {},
                                           PlanningCache* cache = nullptr);
poplar::Tensor createMatMulOutput(poplar::Graph& graph, const poplar::Type& inputType, const poplar::Type& outputType,
                                  const std::vector<std::size_t>& aShape, const std::vector<std::size_t>& bShape,
                                  const poplar::DebugContext& debugContext, const poplar::OptionFlags& options = {},
                                  PlanningCache* cache = nullptr);
poplar::Tensor createMatMulOutput(poplar::Graph& graph, const poplar::Type& dataType, const std::vector<std::size_t>& aShape,
                                  const std::vector<std::size_t>& bShape, const poplar::DebugContext& debugContext,
                                  const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
poplar::Tensor createMatMulGroupedOutput(poplar::Graph& graph, const poplar::Type& inputType, const poplar::Type& outputType,
                                         const std::vector<std::size_t>& aShape, const std::vector<std::size_t>& bShape,
                                         const poplar::DebugContext& debugContext, const poplar::OptionFlags& options = {},
                                         PlanningCache* cache = nullptr);
// B, rearranged once for many products with an A of this shape.
poplar::Tensor preArrangeMatMulInputRHS(poplar::Graph& graph, const std::vector<std::size_t>& aShape, const poplar::Tensor& b,
                                        poplar::program::Sequence& prog, const poplar::Type& outputType,
                                        const poplar::DebugContext& debugContext = {}, const poplar::OptionFlags& options = {},
                                        PlanningCache* cache = nullptr);
poplar::Tensor preArrangeMatMulInputRHS(poplar::Graph& graph, const std::vector<std::size_t>& aShape, const poplar::Tensor& b,
                                        poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                                        const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
poplar::Tensor preArrangeMatMulGroupedInputRHS(poplar::Graph& graph, const std::vector<std::size_t>& aShape,
                                               const poplar::Tensor& b, poplar::program::Sequence& prog,
                                               const poplar::Type& outputType, const poplar::DebugContext& debugContext = {},
                                               const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
// [G, M, N] -> [G, N, M], a view.
poplar::Tensor transposeGroupedMatrix(const poplar::Tensor& a);

void matMulReportPlan(std::ostream& out, const poplar::Graph& graph, const poplar::Type& inputType,
                      const poplar::Type& outputType, const std::vector<std::size_t>& aShape,
                      const std::vector<std::size_t>& bShape, const poplar::OptionFlags& options = {},
                      PlanningCache* cache = nullptr);
void matMulGroupedReportPlan(std::ostream& out, const poplar::Graph& graph, const poplar::Type& inputType,
                             const poplar::Type& outputType, const std::vector<std::size_t>& aShape,
                             const std::vector<std::size_t>& bShape, const poplar::OptionFlags& options = {},
                             PlanningCache* cache = nullptr);

struct MatMulParams {
  poplar::Type inputType, outputType;
  std::vector<std::size_t> aShape, bShape;
  friend bool operator<(const MatMulParams& a, const MatMulParams& b);
};
using MatMulPlanParams = std::tuple<const poplar::Target*, const MatMulParams, const poplar::OptionFlags*>;
using MatMulToConvOptions = std::unordered_map<const poplar::OptionFlags*, poplar::OptionFlags>;
// Returns the products as convolutions. The map gets the options of the convolutions for each option set of the products.
std::set<ConvPlanParams> matMulGetConvPlanParams(const std::set<MatMulPlanParams>& matmuls,
                                                 MatMulToConvOptions& matmulToConvOpts);
void preplanMatMuls(const std::set<MatMulPlanParams>& products, matmul::PlanningCache& cache);
// Throws poplar::invalid_option for an invalid value.
void matmulValidateOptions(const poplar::OptionFlags& options);

} // namespace poplin
