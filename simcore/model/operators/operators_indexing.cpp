// Operators that read or write at positions given by another tensor.
#include "simcore/model/parameters.h"
#include "simcore/numerics/indexing.h"

namespace simcore::model {

using numerics::ElementType;
using numerics::Shape;
using reports::Error;
using reports::ErrorCode;

namespace {

// Indices that a file holds are known before the run: one outside is an error of the model, not a row of zeros.
void requireInside(const Call& call, std::int64_t size) {
  if (!call.isKnown(1)) return;
  for (const std::int64_t index : call.value(1).toIntegers())
    if (index < -size || index >= size)
      throw Error(ErrorCode::InvalidInput,
                  "index " + std::to_string(index) + " is outside a dimension of " + std::to_string(size));
}
// Of indices of several dimensions: the last dimension of `call.value(1)` is a place in x from dimension `first` on.
void requirePlacesInside(const Call& call, std::size_t first) {
  if (!call.isKnown(1)) return;
  const std::vector<std::int64_t> places = call.value(1).toIntegers();
  const auto depth = std::size_t(call.shape(1).back());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int64_t size = call.shape(0)[first + i % depth];
    if (places[i] < -size || places[i] >= size)
      throw Error(ErrorCode::InvalidInput,
                  "index " + std::to_string(places[i]) + " is outside a dimension of " + std::to_string(size));
  }
}

Types inferGather(const Call& call) {
  const Shape &x = call.shape(0), &indices = call.shape(1);
  const auto axis = std::ptrdiff_t(axisOf(call, 0, x.size()));
  requireInside(call, x[std::size_t(axis)]);
  Shape shape(x.begin(), x.begin() + axis);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), x.begin() + axis + 1, x.end());
  return {{call.elementType(0), shape}};
}
Tensors gather(const Call& call) {
  return {numerics::gather(call.value(0), call.value(1), axisOf(call, 0, call.shape(0).size()))};
}

// Indices of single elements: as many dimensions as the data, none longer but the one along the axis.
void requireElements(const Call& call) {
  const Shape &x = call.shape(0), &indices = call.shape(1);
  bool fit = x.size() == indices.size();
  const std::size_t axis = axisOf(call, 0, x.size());
  for (std::size_t i = 0; fit && i < x.size(); ++i) fit = i == axis || indices[i] <= x[i];
  if (!fit)
    throw Error(ErrorCode::InvalidInput,
                "indices of the shape " + numerics::toString(indices) + " do not fit data of the shape " + numerics::toString(x));
}
Types inferGatherElements(const Call& call) {
  requireElements(call);
  requireInside(call, call.shape(0)[axisOf(call, 0, call.shape(0).size())]);
  return {{call.elementType(0), call.shape(1)}};
}
Tensors gatherElements(const Call& call) {
  return {numerics::gatherElements(call.value(0), call.value(1), axisOf(call, 0, call.shape(0).size()))};
}

Types inferGatherNd(const Call& call) {
  const Shape &x = call.shape(0), &indices = call.shape(1);
  const std::int64_t batch = call.attributes().integer("batch_dims", 0);
  if (indices.empty() || batch < 0 || indices.back() < 0 || batch + indices.back() > std::int64_t(x.size()))
    throw Error(ErrorCode::InvalidInput, "GatherND's indices do not fit its data");
  if (batch >= std::int64_t(indices.size()) || !std::equal(x.begin(), x.begin() + batch, indices.begin()))
    throw Error(ErrorCode::InvalidInput, "GatherND's batch dimensions of data " + numerics::toString(x) + " and indices " +
                                             numerics::toString(indices) + " differ");
  requirePlacesInside(call, std::size_t(batch));
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), x.begin() + batch + indices.back(), x.end());
  return {{call.elementType(0), shape}};
}
Tensors gatherNd(const Call& call) {
  const std::int64_t batch = call.attributes().integer("batch_dims", 0);
  if (batch < 0) throw Error(ErrorCode::InvalidInput, "GatherND has a negative number of batch dimensions");
  return {numerics::gatherNd(call.value(0), call.value(1), std::size_t(batch))};
}

numerics::ScatterReduction reduction(const Call& call) {
  const std::string name = call.attributes().text("reduction", "none");
  if (name == "none") return numerics::ScatterReduction::None;
  if (name == "add") return numerics::ScatterReduction::Add;
  if (name == "mul") return numerics::ScatterReduction::Mul;
  if (name == "min") return numerics::ScatterReduction::Min;
  if (name == "max") return numerics::ScatterReduction::Max;
  throw Error(ErrorCode::InvalidInput, "attribute 'reduction' is '" + name + "'");
}
Types inferScatterElements(const Call& call) {
  requireElements(call);
  requireInside(call, call.shape(0)[axisOf(call, 0, call.shape(0).size())]);
  if (call.shape(2) != call.shape(1))
    throw Error(ErrorCode::InvalidInput, "updates of the shape " + numerics::toString(call.shape(2)) +
                                             " for indices of the shape " + numerics::toString(call.shape(1)));
  return inferSame(call);
}
Tensors scatterElements(const Call& call) {
  return {numerics::scatterElements(call.value(0), call.value(1), call.value(2), axisOf(call, 0, call.shape(0).size()),
                                    reduction(call))};
}
Types inferScatterNd(const Call& call) {
  const Shape &x = call.shape(0), &indices = call.shape(1);
  if (indices.empty() || indices.back() < 0 || indices.back() > std::int64_t(x.size()))
    throw Error(ErrorCode::InvalidInput,
                "indices of the shape " + numerics::toString(indices) + " do not fit data of the shape " + numerics::toString(x));
  requirePlacesInside(call, 0);
  Shape updates(indices.begin(), indices.end() - 1);
  updates.insert(updates.end(), x.begin() + indices.back(), x.end());
  if (call.shape(2) != updates)
    throw Error(ErrorCode::InvalidInput, "ScatterND wants updates of the shape " + numerics::toString(updates) + ", not " +
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

// How many elements come out depends on the data, so types follow only from known values.
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

constexpr Operator kIndexingOperators[] = {
    {"Gather", inferGather, gather},
    {"GatherElements", inferGatherElements, gatherElements},
    {"GatherND", inferGatherNd, gatherNd},
    {"ScatterElements", inferScatterElements, scatterElements},
    {"Scatter", inferScatterElements, scatterElements},
    {"ScatterND", inferScatterNd, scatterNd},
    {"OneHot", inferOneHot, oneHot},
    {"Compress", inferCompress, compress},
    {"NonZero", inferNonZero, nonZero},
};

} // namespace

std::span<const Operator> indexingOperators() { return kIndexingOperators; }

} // namespace simcore::model
