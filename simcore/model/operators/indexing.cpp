// Look-ups and updates at positions that are known only at run time, sorting and selection.
#include "simcore/numerics/indexing.h"
#include "simcore/model/operators/family.h"
#include "simcore/ops/sort/nonzero.h"

#include <fmt/format.h>

#include <algorithm>

namespace simcore::model {

using numerics::ScatterReduction;

namespace {

// ---- types and numbers -----------------------------------------------------------------------------------------------------

// Checks indices that are known before the run: one out of range is an error of the model instead of a row of zeros. `sizeOf(i)`
// is the size of the dimension that index number i refers to.
template<class F> void requireInside(const Call& call, F sizeOf) {
  if (!call.isKnown(1)) return;
  const std::vector<std::int64_t> indices = call.value(1).toIntegers();
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (const std::int64_t size = sizeOf(i); indices[i] < -size || indices[i] >= size)
      refuseNode(fmt::format("index {} is outside a dimension of {}", indices[i], size));
}
void requireInside(const Call& call, std::size_t axis) {
  requireInside(call, [size = call.shape(0)[axis]](std::size_t) { return size; });
}
// For multi-dimensional indices: the last dimension of `call.value(1)` is a position in x, from dimension `first` on.
void requirePlacesInside(const Call& call, std::size_t first) {
  requireInside(call, [&](std::size_t i) { return call.shape(0)[first + i % std::size_t(call.shape(1).back())]; });
}

Types inferGather(const Call& call) {
  const Shape &x = call.shape(0), &indices = call.shape(1);
  const auto axis = std::ptrdiff_t(axisOf(call, 0, x.size()));
  requireInside(call, std::size_t(axis));
  Shape shape(x.begin(), x.begin() + axis);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), x.begin() + axis + 1, x.end());
  return {{call.elementType(0), shape}};
}
Tensors gather(const Call& call) {
  return {numerics::gather(call.value(0), call.value(1), axisOf(call, 0, call.shape(0).size()))};
}

void requireCoordinates(const Call& call, std::int64_t most) {
  const Shape& indices = call.shape(1);
  if (indices.empty()) refuseNode("the indices of " + call.node().opType + " need at least one dimension");
  if (indices.back() < 0 || indices.back() > most)
    refuseNode(fmt::format("an index of {} has {} coordinates, not 0 to {}", call.node().opType, indices.back(), most));
}
// Checks indices of single elements: the rank is that of the data, and only along the axis may a dimension be larger.
void requireElements(const Call& call) {
  const Shape &x = call.shape(0), &indices = call.shape(1);
  bool fit = x.size() == indices.size();
  const std::size_t axis = axisOf(call, 0, x.size());
  for (std::size_t i = 0; fit && i < x.size(); ++i) fit = i == axis || indices[i] <= x[i];
  if (!fit)
    refuseNode("indices of the shape " + numerics::toString(indices) + " do not fit data of the shape " + numerics::toString(x));
}
Types inferGatherElements(const Call& call) {
  requireElements(call);
  requireInside(call, axisOf(call, 0, call.shape(0).size()));
  return {{call.elementType(0), call.shape(1)}};
}
Tensors gatherElements(const Call& call) {
  return {numerics::gatherElements(call.value(0), call.value(1), axisOf(call, 0, call.shape(0).size()))};
}

Types inferGatherNd(const Call& call) {
  const Shape &x = call.shape(0), &indices = call.shape(1);
  const std::int64_t batch = call.attributes().integer("batch_dims", 0);
  const auto rank = std::int64_t(x.size());
  if (batch < 0 || batch > rank) refuseNode(fmt::format("batch_dims of GatherND is {}, not 0 to {}", batch, rank));
  requireCoordinates(call, rank - batch);
  if (batch >= std::int64_t(indices.size()) || !std::equal(x.begin(), x.begin() + batch, indices.begin()))
    refuseNode("GatherND's batch dimensions of data " + numerics::toString(x) + " and indices " + numerics::toString(indices) +
               " differ");
  requirePlacesInside(call, std::size_t(batch));
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), x.begin() + batch + indices.back(), x.end());
  return {{call.elementType(0), shape}};
}
Tensors gatherNd(const Call& call) {
  const std::int64_t batch = call.attributes().integer("batch_dims", 0);
  if (batch < 0) refuseNode("GatherND has a negative number of batch dimensions");
  return {numerics::gatherNd(call.value(0), call.value(1), std::size_t(batch))};
}

ScatterReduction reduction(const Call& call) {
  return chosen<ScatterReduction>("reduction", call.attributes().text("reduction", "none"),
                                  {{"none", ScatterReduction::None},
                                   {"add", ScatterReduction::Add},
                                   {"mul", ScatterReduction::Mul},
                                   {"min", ScatterReduction::Min},
                                   {"max", ScatterReduction::Max}});
}
Types inferScatterElements(const Call& call) {
  requireElements(call);
  requireInside(call, axisOf(call, 0, call.shape(0).size()));
  if (call.shape(2) != call.shape(1))
    refuseNode("updates of the shape " + numerics::toString(call.shape(2)) + " do not fit indices of the shape " +
               numerics::toString(call.shape(1)));
  return inferSame(call);
}
Tensors scatterElements(const Call& call) {
  return {numerics::scatterElements(call.value(0), call.value(1), call.value(2), axisOf(call, 0, call.shape(0).size()),
                                    reduction(call))};
}
Types inferScatterNd(const Call& call) {
  const Shape &x = call.shape(0), &indices = call.shape(1);
  requireCoordinates(call, std::int64_t(x.size()));
  requirePlacesInside(call, 0);
  Shape updates(indices.begin(), indices.end() - 1);
  updates.insert(updates.end(), x.begin() + indices.back(), x.end());
  if (call.shape(2) != updates)
    refuseNode("ScatterND needs updates of the shape " + numerics::toString(updates) + ", not " +
               numerics::toString(call.shape(2)));
  return inferSame(call);
}
Tensors scatterNd(const Call& call) {
  return {numerics::scatterNd(call.value(0), call.value(1), call.value(2), reduction(call))};
}

Types inferOneHot(const Call& call) {
  Shape shape = call.shape(0);
  const std::size_t axis = axisOf(call, -1, shape.size() + 1);
  shape.insert(shape.begin() + std::ptrdiff_t(axis), call.value(1).integerAt(0));
  return {{call.elementType(2), shape}};
}
Tensors oneHot(const Call& call) {
  return {numerics::oneHot(call.value(0), call.value(1).integerAt(0), call.value(2), axisOf(call, -1, call.shape(0).size() + 1))};
}

// TiedGather: rows of a table whose layout the matrix products choose (ops/slice/tied_rows.h), and gradients of some rows.
std::int64_t partsOf(const Call& call) { return call.attributes().integer("parts", 1); }
void requireEqualParts(const Call& call) {
  if (call.shape(0).size() != 2)
    refuseNode("a tied table has rows and columns, not the shape " + numerics::toString(call.shape(0)));
  if (const std::int64_t parts = partsOf(call); parts < 1 || call.shape(0)[0] % parts)
    refuseNode(fmt::format("{} rows cannot be split into {} equal parts", call.shape(0)[0], parts));
}
Types inferTiedGather(const Call& call) {
  requireEqualParts(call);
  return inferGather(call);
}
Types inferSparseAccumulate(const Call& call) {
  requireEqualParts(call);
  return inferSame(call);
}
// `table` plus the rows `rows` [.., C] at the indices in input 1.
HostTensor rowsAdded(const Call& call, const HostTensor& table, const HostTensor& rows) {
  const HostTensor& indices = call.value(1);
  const std::int64_t count = indices.count();
  return numerics::scatterNd(table, indices.reshaped({count, 1}), rows.reshaped({count, table.shape()[1]}).cast(table.type()),
                             ScatterReduction::Add);
}
Tensors tiedGatherGrad(const Call& call) {
  return {rowsAdded(call, HostTensor(call.elementType(0), shapeOf(call)), call.value(0))};
}
Tensors sparseAccumulate(const Call& call) { return {rowsAdded(call, call.value(0), call.value(2))}; }

// Rows of each group: x [G, R, C] at indices [G, K].
Types inferGroupedRows(const Call& call) {
  const Shape &x = call.shape(0), &indices = call.shape(1);
  if (x.size() != 3 || indices.size() != 2 || indices[0] != x[0])
    refuseNode("the indices must be [groups, rows] for [groups, rows, columns], not " + numerics::toString(indices) + " for " +
               numerics::toString(x));
  return {{call.elementType(0), {x[0], indices[1], x[2]}}};
}
Tensors groupedRows(const Call& call) { return {ops::rowsOfGroups(call.value(0), call.value(1))}; }

// Writes `part` into a persistent value [..] from a position on, along an axis.
Types inferCacheWrite(const Call& call) {
  Shape expected = call.shape(0);
  const std::size_t axis = axisOf(call, 1, expected.size());
  if (call.shape(1).size() == expected.size() && call.shape(1)[axis] <= expected[axis]) expected[axis] = call.shape(1)[axis];
  requireCount("the position in a cache", std::size_t(numerics::elementCount(call.shape(2))), 1);
  if (call.shape(1) != expected)
    refuseNode("rows of " + numerics::toString(call.shape(1)) + " do not fit a cache of " + numerics::toString(call.shape(0)) +
               " along axis " + std::to_string(axis));
  return {call.type(0)};
}
Tensors cacheWrite(const Call& call) {
  return {ops::writtenAt(call.value(0), call.value(1), call.value(2).integerAt(0), axisOf(call, 1, call.shape(0).size()))};
}

// The number of results depends on the data, so types are only inferred from known values.
Tensors compress(const Call& call) {
  if (!call.attributes().has("axis")) return {numerics::compress(call.value(0), call.value(1), nullptr)};
  const std::size_t axis = axisOf(call, 0, call.shape(0).size());
  return {numerics::compress(call.value(0), call.value(1), &axis)};
}
Types inferCompress(const Call& call) {
  std::int64_t chosen = 0;
  for (const std::int64_t flag : call.value(1).toIntegers()) chosen += flag;
  if (!call.attributes().has("axis")) return {{call.elementType(0), {chosen}}};
  Shape shape = call.shape(0);
  shape[axisOf(call, 0, shape.size())] = chosen;
  return {{call.elementType(0), shape}};
}
Tensors nonZero(const Call& call) { return {numerics::nonZero(call.value(0))}; }
Types inferNonZero(const Call& call) { return {{ElementType::Int64, numerics::nonZero(call.value(0)).shape()}}; }

std::int64_t topKCount(const Call& call) {
  return call.has(1) ? call.value(1).integerAt(0) : call.attributes().requiredInteger("k");
}
// Whether results are best first. `counted` asks for the order of positions, found by counting, which is faster for some shapes.
bool isSorted(const Call& call) { return call.attributes().integer("counted", 0) == 0; }
Types inferTopK(const Call& call) {
  Shape shape = call.shape(0);
  std::int64_t& size = shape[axisOf(call, -1, shape.size())];
  const std::int64_t count = topKCount(call);
  if (count < 0 || count > size)
    refuseNode("TopK selects " + std::to_string(count) + " of " + std::to_string(size) + " elements");
  size = count;
  return {{call.elementType(0), shape}, {ElementType::Int64, shape}};
}
Tensors topK(const Call& call) {
  const auto result = numerics::topK(call.value(0), topKCount(call), axisOf(call, -1, call.shape(0).size()),
                                     call.attributes().integer("largest", 1) != 0, isSorted(call));
  return {result.values, result.indices};
}

Tensors unique(const Call& call) {
  const bool flat = !call.attributes().has("axis");
  const std::size_t axis = flat ? 0 : axisOf(call, 0, call.shape(0).size());
  const auto found = numerics::unique(call.value(0), flat ? nullptr : &axis, call.attributes().integer("sorted", 1) != 0);
  return {found.values, found.first, found.inverse, found.counts};
}
// The number of unique values is known only from the values themselves.
Types inferUnique(const Call& call) {
  Types types;
  for (const HostTensor& result : unique(call)) types.push_back({result.type(), result.shape()});
  return types;
}

// ---- plan ------------------------------------------------------------------------------------------------------------------

void lowerGatherNd(NodeLowering& n) {
  const Tensor x = n.input(0), indices = n.input(1);
  const auto batch = std::size_t(n.call().attributes().integer("batch_dims", 0));
  const auto indexed = batch + std::size_t(indices.shape().back());
  const std::int64_t rows = numerics::elementCount(x.shape(), 0, indexed),
                     columns = numerics::elementCount(x.shape(), indexed, x.rank());
  n.give(ops::multiSlice(n.builder(), x.reshape({rows, columns}), ops::rowNumbers(n.builder(), indices, x.shape(), batch)));
}

void lowerGatherElements(NodeLowering& n) {
  const Tensor x = n.input(0);
  const std::size_t axis = axisOf(n.call(), 0, x.rank());
  n.give(ops::multiSlice(n.builder(), x.reshape({x.numElements(), 1}),
                         ops::elementNumbers(n.builder(), n.input(1), x.shape(), axis)));
}

void lowerScatterElements(NodeLowering& n) {
  const Tensor x = n.input(0), indices = n.input(1), updates = n.input(2);
  const std::size_t axis = axisOf(n.call(), 0, x.rank());
  n.give(ops::multiUpdate(n.builder(), x.reshape({x.numElements(), 1}),
                          ops::elementNumbers(n.builder(), indices, x.shape(), axis), updates.reshape({updates.numElements(), 1}),
                          reduction(n.call())));
}

void lowerScatterNd(NodeLowering& n) {
  const Tensor x = n.input(0), indices = n.input(1), updates = n.input(2);
  const auto indexed = std::size_t(indices.shape().back());
  const std::int64_t rows = numerics::elementCount(x.shape(), 0, indexed),
                     columns = numerics::elementCount(x.shape(), indexed, x.rank());
  const Tensor at = ops::rowNumbers(n.builder(), indices, x.shape(), 0);
  n.give(ops::multiUpdate(n.builder(), x.reshape({rows, columns}), at, updates.reshape({at.numElements(), columns}),
                          reduction(n.call())));
}

void lowerOneHot(NodeLowering& n) {
  const std::size_t axis = axisOf(n.call(), -1, n.call().shape(0).size() + 1);
  const Tensor indices = n.input(0), values = n.input(2);
  n.give(ops::encodeOneHot(n.builder(), indices, axis, n.call().value(1).integerAt(0), n.outputType(), values));
}

void lowerTopK(NodeLowering& n) {
  const Tensor x = n.input(0);
  const std::size_t axis = axisOf(n.call(), -1, x.rank());
  const bool largest = n.call().attributes().integer("largest", 1) != 0;
  const auto best =
      ops::topK(n.builder(), x, n.outputShape(n.call().wantsOutput(0) ? 0 : 1)[axis], axis, largest, isSorted(n.call()));
  if (n.call().wantsOutput(0)) n.give(best.values, 0);
  if (n.call().wantsOutput(1)) n.give(best.indices, 1);
}

// Known indices: a movement of elements. Otherwise a look-up of rows at run time.
void lowerGather(NodeLowering& n) {
  const Shape& shape = n.call().shape(0);
  const std::size_t axis = axisOf(n.call(), 0, shape.size());
  const std::int64_t row = numerics::elementCount(shape, axis + 1, shape.size());
  const std::int64_t before = numerics::elementCount(shape, 0, axis);
  if (n.call().isKnown(1)) {
    if (n.call().value(1).count() != 1 || before > kMostPieces) return giveMoved(n, {0}, row);
    const std::int64_t at = (n.call().value(1).integerAt(0) + shape[axis]) % shape[axis]; // one row is a slice
    return n.giveView(n.input(0).slice(at, at + 1, axis).reshape(n.outputShape()));
  }
  const Tensor x = n.input(0), indices = n.input(1);
  if (before == 1) return n.give(ops::multiSlice(n.builder(), x.reshape({shape[axis], row}), indices.flatten()));
  // The gathered dimension becomes the first, as in popops, and is moved back afterwards.
  const Tensor table = x.reshape({before, shape[axis], row}).dimShuffle({1, 0, 2}).reshape({shape[axis], before * row});
  const Tensor rows = ops::multiSlice(n.builder(), table, indices.flatten());
  n.give(ops::transpose(n.builder(), rows.reshape({indices.numElements(), before, row}), {1, 0, 2}));
}

void lowerTiedGather(NodeLowering& n) { n.give(ops::tiedRows(n.builder(), n.input(0), n.input(1).flatten(), partsOf(n.call()))); }

// Without a persistent sum, the rows are added to a table of zeros.
void lowerTiedGatherGrad(NodeLowering& n) {
  const auto where = partKernel(n, [](const Tensors& in) { return Tensors{numerics::gather(in[0], in[1], 0)}; });
  n.give(ops::moveBack(n.builder(), n.input(0), {n.input(1)}, n.outputShape(), where));
}

void lowerSparseAccumulate(NodeLowering& n) {
  const Tensor sum = n.input(0), indices = n.input(1).flatten();
  ops::addToTiedRows(n.builder(), sum, indices, n.input(2).reshape({indices.numElements(), sum.dim(1)}), partsOf(n.call()));
  n.give(sum);
}

void lowerGroupedRows(NodeLowering& n) { n.give(ops::groupedRows(n.builder(), n.input(0), n.input(1))); }

void lowerCacheWrite(NodeLowering& n) {
  const Tensor cache = n.input(0);
  ops::writeAt(n.builder(), cache, n.input(1), n.input(2).flatten(), axisOf(n.call(), 1, cache.rank()));
  n.give(cache);
}

void lowerNonZero(NodeLowering& n) {
  const graph::Tensor x = n.input(0);
  if (x.rank() == 0) return lowerGeneric(n);
  n.give(gathered(n, ops::nonZero(n.builder(), x, n.outputShape()[1])));
}

// The rows are slices along the axis, or elements.
void lowerUnique(NodeLowering& n) {
  const Call& call = n.call();
  const bool flat = !call.attributes().has("axis");
  Tensor x = n.input(0);
  const std::size_t axis = flat ? 0 : axisOf(call, 0, x.rank());
  if (flat) x = x.flatten();
  std::vector<std::size_t> order{axis}, back(x.rank());
  for (std::size_t d = 0; d < x.rank(); ++d)
    if (d != axis) order.push_back(d);
  for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  ops::UniqueParams p;
  p.sorted = call.attributes().integer("sorted", 1) != 0;
  p.values = call.wantsOutput(0);
  p.first = call.wantsOutput(1);
  p.inverse = call.wantsOutput(2);
  p.counts = call.wantsOutput(3);
  const std::int64_t rows = x.dim(axis);
  p.distinct = p.values ? n.outputShape(0)[axis] : p.first ? n.outputShape(1)[0] : p.counts ? n.outputShape(3)[0] : rows;
  const ops::UniqueResult result = ops::unique(n.builder(), x.dimShuffle(order).reshape({rows, x.numElements() / rows}), p);
  if (p.values) {
    Shape shape{p.distinct};
    for (std::size_t i = 1; i < order.size(); ++i) shape.push_back(x.dim(order[i]));
    const Tensor values = result.values.reshape(shape);
    n.give(axis == 0 ? values : ops::transpose(n.builder(), values, back), 0);
  }
  if (p.first) n.give(result.first, 1);
  if (p.inverse) n.give(result.inverse, 2);
  if (p.counts) n.give(result.counts, 3);
}

// ---- gradient --------------------------------------------------------------------------------------------------------------

void tiedRowsBack(const GradientCall& c) { giveReversed(c, "TiedGatherGrad"); }

void topValues(const GradientCall& c) {
  if (c.gradient(0).empty()) return;
  const std::size_t axis = axisOf(c.call(), -1, c.call().shape(0).size());
  c.through([&] {
    Node again = c.node(); // opset and attributes unchanged
    again.outputs = {"", c.node().outputs[0] + "/places"};
    const std::string places = c.graph().append(again)[1];
    return std::vector{c.graph().add("GatherElements", {c.input(0), places}, attributes({{"axis", std::int64_t(axis)}}))};
  });
}

// An update gets the gradient of its position in the result, the operand gets the rest. Equal extrema share the gradient.
void scatterBack(const GradientCall& c) {
  const std::string dy = c.gradient();
  if (dy.empty()) return;
  GraphBuilder& g = c.graph();
  const ScatterReduction how = reduction(c.call());
  const bool isNd = c.node().opType == "ScatterND";
  Attributes axis;
  if (!isNd) axis.set("axis", c.node().attributes.integer("axis", 0));
  const auto at = [&](const std::string& x) { return g.add(isNd ? "GatherND" : "GatherElements", {x, c.input(1)}, axis); };
  const auto put = [&](const std::string& x, const std::string& updates, const char* kind) {
    Attributes attributes = axis;
    attributes.set("reduction", std::string(kind));
    return g.add(isNd ? "ScatterND" : "ScatterElements", {x, c.input(1), updates}, attributes);
  };
  const auto equal = [&](const std::string& a, const std::string& b) {
    return g.add("Cast", {g.add("Equal", {a, b})}, attributes({{"to", onnxTypeOf(c.elementType())}}));
  };
  switch (how) {
  case ScatterReduction::Add:
    c.give(0, dy);
    if (c.wants(2)) c.give(2, at(dy));
    return;
  case ScatterReduction::None:
    if (c.wants(0)) c.give(0, put(dy, g.expand(g.number(0, c.elementType()), c.call().shape(2)), "none"));
    if (c.wants(2)) c.give(2, at(dy));
    return;
  case ScatterReduction::Min:
  case ScatterReduction::Max: {
    const std::string ofOperand = equal(c.input(0), c.output()), ofUpdates = equal(c.input(2), at(c.output()));
    const std::string share = g.add("Div", {dy, put(ofOperand, ofUpdates, "add")});
    if (c.wants(0)) c.give(0, g.add("Mul", {ofOperand, share}));
    if (c.wants(2)) c.give(2, g.add("Mul", {ofUpdates, at(share)}));
    return;
  }
  case ScatterReduction::Mul: { // the product of all other factors; 0 if one of them is 0
    const Formula f(c);
    const auto isZero = [&](const std::string& x) { return f("Equal", x, 0); };
    const auto rest = [&](const std::string& x) { return f.where(isZero(x), f.number(1), x); };
    const auto mark = [&](const std::string& x) { return f.where(isZero(x), f.number(1), f.number(0)); };
    const std::string products = f("Mul", dy, put(rest(c.input(0)), rest(c.input(2)), "mul")),
                      zeros = put(mark(c.input(0)), mark(c.input(2)), "add");
    const auto others = [&](const std::string& x, const std::string& product, const std::string& count) {
      return f.where(f("Equal", count, mark(x)), f("Div", product, rest(x)), f.number(0));
    };
    if (c.wants(0)) c.give(0, others(c.input(0), products, zeros));
    if (c.wants(2)) c.give(2, others(c.input(2), at(products), at(zeros)));
    return;
  }
  }
}

// The values for on and off get the sums of the gradients at their positions.
void oneHotBack(const GradientCall& c) {
  if (!c.wants(2)) return;
  GraphBuilder& g = c.graph();
  const ElementType type = c.call().elementType(2);
  Node again = c.node(); // opset and axis unchanged
  again.inputs[2] = g.constant("offOn", HostTensor::vector(std::vector<double>{0, 1}).cast(type));
  again.outputs = {c.output() + "/isOn"};
  const std::string isOn = g.append(again)[0], on = g.reduceTo(g.add("Mul", {c.gradient(), isOn}), {1}),
                    all = g.reduceTo(c.gradient(), {1});
  c.give(2, g.add("Concat", {g.add("Sub", {all, on}), on}, attributes({{"axis", std::int64_t(0)}})));
}

constexpr Operator kIndexingOperators[] = {
    {"CacheWrite", 1, inferCacheWrite, cacheWrite, lowerCacheWrite, nullptr, kPlain, kOwnDomain},
    {"Compress", 9, inferCompress, compress, lowerMove, moveBack},
    {"Gather", 1, inferGather, gather, lowerGather, moveBack},
    {"GatherElements", 11, inferGatherElements, gatherElements, lowerGatherElements, moveBack},
    {"GatherND", 11, inferGatherNd, gatherNd, lowerGatherNd, moveBack},
    {"GroupedRows", 1, inferGroupedRows, groupedRows, lowerGroupedRows, nullptr, kPlain, kOwnDomain},
    {"OneHot", 9, inferOneHot, oneHot, lowerOneHot, oneHotBack},
    {"Scatter", 9, inferScatterElements, scatterElements, lowerScatterElements, scatterBack},
    {"ScatterElements", 11, inferScatterElements, scatterElements, lowerScatterElements, scatterBack},
    {"ScatterND", 11, inferScatterNd, scatterNd, lowerScatterNd, scatterBack},
    {"NonZero", 9, inferNonZero, nonZero, lowerNonZero},
    {"SparseAccumulate", 1, inferSparseAccumulate, sparseAccumulate, lowerSparseAccumulate, nullptr, kPlain, kOwnDomain},
    {"TiedGather", 1, inferTiedGather, gather, lowerTiedGather, tiedRowsBack, kPlain, kOwnDomain},
    {"TiedGatherGrad", 1, inferShape, tiedGatherGrad, lowerTiedGatherGrad, nullptr, kPlain, kOwnDomain},
    {"TopK", 6, inferTopK, topK, lowerTopK, topValues},
    {"Unique", 11, inferUnique, unique, lowerUnique, nullptr, kTypedByNumbers},
};

} // namespace

std::span<const Operator> indexingOperators() { return kIndexingOperators; }

} // namespace simcore::model
