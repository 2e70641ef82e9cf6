// Positions that the run decides: look-ups and updates of rows, sorting, running sums, encodings, interpolation.
#include "simcore/model/lowering/lowering_support.h"
#include "simcore/model/operators/reversed_node.h"
#include "simcore/model/parameters.h"
#include "simcore/numerics/detection.h"
#include "simcore/numerics/indexing.h"
#include "simcore/numerics/layout.h"

namespace simcore::model {

using codelets::BinaryOp;
using graph::Tensor;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::ScatterReduction;
using numerics::Shape;
using Positions = std::vector<std::int64_t>;

namespace {

std::int64_t inside(std::int64_t index, std::int64_t extent) { return index < 0 ? index + extent : index; }

// Row numbers from coordinates [.., d] into the first dimensions of a table; `batch` leading dimensions count by themselves.
Tensor rowsOfCoordinates(NodeLowering& n, const Tensor& indices, const Shape& table, std::size_t batch) {
  constexpr std::int64_t kCyclesPerCoordinate = 6; // a load, a wrap, a multiply and an add
  const std::int64_t depth = indices.shape().back(), rows = indices.numElements() / std::max<std::int64_t>(1, depth);
  const std::int64_t batches = numerics::elementCount(table, 0, batch);
  return ops::generate(n.parts(), "rowNumbers", {indices}, ElementType::Int32, {rows},
                       kCyclesPerCoordinate * std::max<std::int64_t>(1, depth), {},
                       [=](const std::vector<HostTensor>& in, const Positions& positions) {
                         std::vector<std::int32_t> out;
                         for (const std::int64_t at : positions) {
                           std::int64_t row = batch ? at / (rows / batches) : 0;
                           for (std::int64_t d = 0; d < depth; ++d) {
                             const std::int64_t extent = table[batch + std::size_t(d)];
                             row = row * extent + inside(in[0].integerAt(at * depth + d), extent);
                           }
                           out.push_back(std::int32_t(row));
                         }
                         return HostTensor::vector(out);
                       });
}

void lowerGatherNd(NodeLowering& n) {
  const Tensor x = n.input(0), indices = n.input(1);
  const auto batch = std::size_t(n.call().attributes().integer("batch_dims", 0));
  const auto indexed = batch + std::size_t(indices.shape().back());
  const std::int64_t rows = numerics::elementCount(x.shape(), 0, indexed),
                     columns = numerics::elementCount(x.shape(), indexed, x.rank());
  n.give(ops::multiSlice(n.parts(), x.reshape({rows, columns}), rowsOfCoordinates(n, indices, x.shape(), batch)));
}

// Positions in the flattened x of elements picked along `axis`: the element's own coordinates but for that one.
Tensor elementNumbers(NodeLowering& n, const Tensor& indices, const Shape& x, std::size_t axis) {
  constexpr std::int64_t kCycles = 14;
  return ops::generate(n.parts(), "elementNumbers", {indices}, ElementType::Int32, {indices.numElements()}, kCycles, {},
                       [shape = indices.shape(), x, axis](const std::vector<HostTensor>& in, const Positions& positions) {
                         const Shape from = numerics::rowMajorStrides(shape), to = numerics::rowMajorStrides(x);
                         std::vector<std::int32_t> out;
                         for (const std::int64_t at : positions) {
                           std::int64_t element = 0;
                           for (std::size_t d = 0; d < shape.size(); ++d)
                             element += (d == axis ? inside(in[0].integerAt(at), x[d]) : at / from[d] % shape[d]) * to[d];
                           out.push_back(std::int32_t(element));
                         }
                         return HostTensor::vector(out);
                       });
}

void lowerGatherElements(NodeLowering& n) {
  const Tensor x = n.input(0);
  const std::size_t axis = axisOf(n.call(), 0, x.rank());
  n.give(ops::multiSlice(n.parts(), x.reshape({x.numElements(), 1}), elementNumbers(n, n.input(1), x.shape(), axis)));
}

ScatterReduction reductionOf(NodeLowering& n) {
  const std::string name = n.call().attributes().text("reduction", "none");
  return name == "add"   ? ScatterReduction::Add
         : name == "mul" ? ScatterReduction::Mul
         : name == "min" ? ScatterReduction::Min
         : name == "max" ? ScatterReduction::Max
                         : ScatterReduction::None;
}

void lowerScatterElements(NodeLowering& n) {
  const Tensor x = n.input(0), indices = n.input(1), updates = n.input(2);
  const std::size_t axis = axisOf(n.call(), 0, x.rank());
  n.give(ops::multiUpdate(n.parts(), x.reshape({x.numElements(), 1}), elementNumbers(n, indices, x.shape(), axis),
                          updates.reshape({updates.numElements(), 1}), reductionOf(n)));
}

void lowerScatterNd(NodeLowering& n) {
  const Tensor x = n.input(0), indices = n.input(1), updates = n.input(2);
  const auto indexed = std::size_t(indices.shape().back());
  const std::int64_t rows = numerics::elementCount(x.shape(), 0, indexed),
                     columns = numerics::elementCount(x.shape(), indexed, x.rank());
  const Tensor at = rowsOfCoordinates(n, indices, x.shape(), 0);
  n.give(
      ops::multiUpdate(n.parts(), x.reshape({rows, columns}), at, updates.reshape({at.numElements(), columns}), reductionOf(n)));
}

void lowerOneHot(NodeLowering& n) {
  constexpr std::int64_t kCycles = 3;
  const Shape indices = n.call().shape(0);
  const std::size_t axis = axisOf(n.call(), -1, indices.size() + 1);
  const std::int64_t depth = n.call().value(1).integerAt(0), inner = numerics::elementCount(indices, axis, indices.size());
  n.give(ops::generate(n.parts(), "encodeOneHot", {n.input(0), n.input(2)}, n.outputType(), n.outputShape(), kCycles, {},
                       [=](const std::vector<HostTensor>& in, const Positions& positions) {
                         std::vector<double> out;
                         for (const std::int64_t at : positions) {
                           const std::int64_t index = inside(in[0].integerAt(at / (depth * inner) * inner + at % inner), depth);
                           out.push_back(in[1].at(index == at / inner % depth ? 1 : 0));
                         }
                         return HostTensor::vector(out).cast(in[1].type());
                       }));
}

void lowerEyeLike(NodeLowering& n) {
  const std::int64_t k = n.call().attributes().integer("k", 0), columns = n.outputShape()[1];
  const ElementType type = n.outputType();
  n.give(ops::generate(n.parts(), "identityMatrix", {}, type, n.outputShape(), 3, {},
                       [=](const std::vector<HostTensor>&, const Positions& positions) {
                         std::vector<float> out;
                         for (const std::int64_t at : positions) out.push_back(at % columns == at / columns + k ? 1 : 0);
                         return HostTensor::vector(out).cast(type);
                       }));
}

void lowerTopK(NodeLowering& n) {
  const Tensor x = n.input(0);
  const std::size_t axis = axisOf(n.call(), -1, x.rank());
  const bool largest = n.call().attributes().integer("largest", 1) != 0;
  const auto best = ops::topK(n.parts(), x, n.outputShape(n.call().wantsOutput(0) ? 0 : 1)[axis], axis, largest);
  if (n.call().wantsOutput(0)) n.give(best.values, 0);
  if (n.call().wantsOutput(1)) n.give(best.indices, 1);
}

template<bool kLargest> void lowerArg(NodeLowering& n) {
  const Attributes& a = n.call().attributes();
  const Tensor x = n.input(0);
  n.give(ops::argReduce(n.parts(), x, axisOf(n.call(), 0, x.rank()), kLargest, a.integer("keepdims", 1) != 0,
                        a.integer("select_last_index", 0) != 0));
}

// The place of each row's maximum, then a one there.
void lowerHardmax(NodeLowering& n) {
  const SoftmaxParameters p = softmaxParameters(n.call());
  const Tensor x = n.input(0).reshape(p.shape);
  const Tensor best = ops::argReduce(n.parts(), x, p.axis, true, false, false);
  const std::int64_t depth = p.shape[p.axis], inner = numerics::elementCount(p.shape, p.axis + 1, p.shape.size());
  const ElementType type = n.outputType();
  n.give(ops::generate(n.parts(), "encodeOneHot", {best}, type, p.shape, 3, {},
                       [=](const std::vector<HostTensor>& in, const Positions& positions) {
                         std::vector<float> out;
                         for (const std::int64_t at : positions)
                           out.push_back(in[0].integerAt(at / (depth * inner) * inner + at % inner) == at / inner % depth ? 1
                                                                                                                          : 0);
                         return HostTensor::vector(out).cast(type);
                       }));
}

void lowerCumSum(NodeLowering& n) {
  const Attributes& a = n.call().attributes();
  const Tensor x = n.input(0);
  const auto along = [&](std::size_t axis) {
    return ops::cumulativeSum(n.parts(), x, axis, a.integer("exclusive", 0) != 0, a.integer("reverse", 0) != 0);
  };
  if (n.call().isKnown(1)) return n.give(along(numerics::normaliseAxis(n.call().value(1).integerAt(0), x.rank())));
  // An axis that only the run knows: along each, and one of them is taken.
  Tensor sum = along(0);
  const auto rank = std::int64_t(x.rank());
  for (std::int64_t k = 1; k < rank; ++k)
    sum = ops::map(n.parts(), "chosenAxis",
                   {{codelets::BinaryOp::Equal, ElementType::Int32}, {codelets::TernaryOp::Select, x.elementType()}},
                   {sum, along(std::size_t(k)), n.input(1).reshape({})}, x.elementType(), x.shape(),
                   partKernel(n, [k, rank](const std::vector<HostTensor>& in) {
                     const std::int64_t axis = in[2].count() ? in[2].integerAt(0) : 0;
                     return axis == k || axis == k - rank ? in[1] : in[0];
                   }));
  n.give(sum);
}

// Weights of output positions of one dimension over its inputs: what the interpolation makes of each unit vector.
HostTensor interpolation(const numerics::ResizeParameters& p, std::size_t axis, std::int64_t inputs) {
  HostTensor units(ElementType::Double, {inputs, inputs});
  for (std::int64_t i = 0; i < inputs; ++i) units.mutableValues<double>()[std::size_t(i * inputs + i)] = 1;
  numerics::ResizeParameters one = p;
  one.extrapolationValue = 0;
  if (!p.sizes.empty()) one.sizes = {p.sizes[axis], inputs};
  if (!p.scales.empty()) one.scales = {p.scales[axis], 1};
  if (!p.region.empty()) one.region = {p.region[axis], 0, p.region[axis + p.region.size() / 2], 1};
  return numerics::resize(units, one); // [outputs, inputs]
}

// Elements of `to` from those of `from`, one dimension after the other; `transposed` takes the weights the other way round. What
// has no weights is `outside`.
ops::PositionKernel separable(std::vector<HostTensor> weights, const Shape& from, const Shape& to, bool transposed,
                              double outside = 0) {
  return [=](const std::vector<HostTensor>& values, const Positions& positions) {
    const Shape fromStrides = numerics::rowMajorStrides(from), toStrides = numerics::rowMajorStrides(to);
    std::vector<double> result;
    for (const std::int64_t at : positions) {
      std::vector<std::pair<std::int64_t, double>> taps{{0, 1}};
      for (std::size_t d = 0; d < from.size(); ++d) {
        std::vector<std::pair<std::int64_t, double>> more;
        const std::int64_t row = at / toStrides[d] % to[d];
        for (std::int64_t i = 0; i < from[d]; ++i)
          if (const double w = weights[d].at(transposed ? i * to[d] + row : row * from[d] + i); w != 0)
            for (const auto& [offset, factor] : taps) more.emplace_back(offset + i * fromStrides[d], factor * w);
        taps = std::move(more);
      }
      double sum = taps.empty() ? outside : 0;
      for (const auto& [offset, factor] : taps) sum += factor * values[0].at(offset);
      result.push_back(sum);
    }
    return HostTensor::vector(result).cast(values[0].type());
  };
}

void lowerResize(NodeLowering& n) {
  const auto p = resizeParameters(n.call());
  const Tensor x = n.input(0);
  if (p.mode == numerics::ResizeMode::Nearest) {
    auto where = p;
    where.extrapolationValue = 0;
    n.give(ops::move(n.parts(), n.node().opType, {x}, n.outputType(), n.outputShape(), 1,
                     {partKernel(n, [where](const std::vector<HostTensor>& in) { return numerics::resize(in[0], where); }), 1,
                      p.extrapolationValue}));
    return;
  }
  constexpr std::int64_t kCyclesPerTap = 4;
  std::int64_t tapCount = 1;
  for (std::size_t d = 0; d < x.rank(); ++d)
    if (x.dim(d) != n.outputShape()[d]) tapCount *= p.mode == numerics::ResizeMode::Linear ? 2 : 4;
  // Each tile needs the rows of the interpolation for its own outputs; they are constants of the codelet.
  std::vector<HostTensor> weights;
  if (n.byVertices())
    for (std::size_t d = 0; d < x.rank(); ++d) weights.push_back(interpolation(p, d, x.dim(d)));
  const double outside = p.coordinates == numerics::ResizeCoordinates::TfCropAndResize ? p.extrapolationValue : 0;
  n.give(ops::generate(n.parts(), "resize", {x}, n.outputType(), n.outputShape(), kCyclesPerTap * tapCount, {},
                       separable(weights, x.shape(), n.outputShape(), false, outside)));
}

// Each input gathers what the outputs it went into bring back.
void lowerResizeGrad(NodeLowering& n) {
  constexpr std::int64_t kCyclesPerTap = 4;
  const Node forward = forwardNode(n.call());
  std::vector<std::optional<Call::Operand>> operands;
  for (std::size_t i = 0; i < n.call().inputCount(); ++i)
    operands.push_back(n.has(i)
                           ? std::optional(Call::Operand{n.call().type(i), n.call().isKnown(i) ? &n.call().value(i) : nullptr})
                           : std::nullopt);
  const auto p = resizeParameters(Call(forward, std::move(operands), {}, {}));
  const Tensor dy = n.input(0);
  const Shape x = n.outputShape();
  std::vector<HostTensor> weights;
  std::int64_t taps = 1;
  for (std::size_t d = 0; d < x.size(); ++d) {
    if (n.byVertices()) weights.push_back(interpolation(p, d, x[d]));
    if (x[d] != dy.dim(d))
      taps *= std::max<std::int64_t>(1, dy.dim(d) / std::max<std::int64_t>(1, x[d])) *
              (p.mode == numerics::ResizeMode::Nearest ? 1 : 2);
  }
  n.give(ops::generate(n.parts(), "resizeGrad", {dy}, n.outputType(), x, kCyclesPerTap * taps, {},
                       separable(weights, dy.shape(), x, true)));
}

void lowerGridSample(NodeLowering& n) {
  constexpr std::int64_t kCycles = 40; // coordinates, four taps with their bounds
  const Tensor x = n.input(0), grid = n.input(1);
  const auto own = n.own({0, 1});
  n.give(ops::generate(
      n.parts(), "gridSample", {x, grid}, n.outputType(), n.outputShape(), kCycles, {},
      [own, out = n.outputShape()](const std::vector<HostTensor>& in, const Positions& positions) {
        std::vector<double> result;
        for (const std::int64_t at : positions) { // one plane of x, one point of the grid
          const std::int64_t point = at % (out[2] * out[3]), plane = at / (out[2] * out[3]), image = plane / out[1];
          const Shape size{1, 1, in[0].dim(2), in[0].dim(3)};
          const std::int64_t area = size[2] * size[3];
          const HostTensor one = numerics::slice(in[0].reshaped({in[0].count()}), 0, plane * area, area).reshaped(size);
          const HostTensor to = numerics::slice(in[1].reshaped({in[1].count()}), 0, 2 * (image * out[2] * out[3] + point), 2)
                                    .reshaped({1, 1, 1, 2});
          result.push_back(own({one, to}).at(0).at(0));
        }
        return HostTensor::vector(result).cast(in[0].type());
      }));
}

constexpr LoweringEntry kIndexingLowerings[] = {
    {"GatherND", lowerGatherNd},
    {"GatherElements", lowerGatherElements},
    {"ScatterElements", lowerScatterElements},
    {"Scatter", lowerScatterElements},
    {"ScatterND", lowerScatterNd},
    {"OneHot", lowerOneHot},
    {"EyeLike", lowerEyeLike},
    {"TopK", lowerTopK},
    {"ArgMax", lowerArg<true>},
    {"ArgMin", lowerArg<false>},
    {"Hardmax", lowerHardmax},
    {"CumSum", lowerCumSum},
    {"Resize", lowerResize},
    {"Upsample", lowerResize},
    {"ResizeGrad", lowerResizeGrad},
    {"GridSample", lowerGridSample},
};

} // namespace

std::span<const LoweringEntry> indexingLowerings() { return kIndexingLowerings; }

} // namespace simcore::model
