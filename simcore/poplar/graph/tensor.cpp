#include "poplar/Tensor.hpp"

#include "poplar/exceptions.hpp"
#include "simcore/poplar/graph/handles.h"
#include "simcore/poplar/inner.h"

#include <algorithm>
#include <iostream>

namespace poplar {

using simcore::poplar::asPoplar;
using simcore::poplar::inner;
using simcore::poplar::outer;
namespace graph = simcore::graph;

const graph::Tensor& core::TensorAccess::inside(const Tensor& tensor) {
  static const graph::Tensor none;
  return tensor.m_inside ? tensor.m_inside->tensor : none;
}

Tensor core::TensorAccess::made(graph::Tensor tensor, std::shared_ptr<const graph::Graph> graphOfConstants) {
  Tensor made;
  made.m_inside = std::make_shared<const Tensor::Inside>(Tensor::Inside{std::move(tensor), std::move(graphOfConstants)});
  return made;
}
const std::shared_ptr<const graph::Graph>& core::TensorAccess::graphOfConstants(const Tensor& tensor) {
  static const std::shared_ptr<const graph::Graph> none;
  return tensor.m_inside ? tensor.m_inside->graphOfConstants : none;
}

namespace {
const graph::Tensor& valid(const Tensor& tensor) {
  const graph::Tensor& t = inner(tensor);
  if (!t.valid()) throw poplar_error("the tensor was declared without a value: use addVariable or a view");
  return t;
}
template<class View> Tensor viewed(const Tensor& tensor, View view) {
  return asPoplar([&] { return core::TensorAccess::made(view(valid(tensor)), core::TensorAccess::graphOfConstants(tensor)); });
}
std::vector<int64_t> whole(ArrayRef<std::size_t> values) { return {values.begin(), values.end()}; }
std::vector<std::size_t> sizes(ArrayRef<unsigned> values) { return {values.begin(), values.end()}; }
std::vector<graph::Interval> innerIntervals(ArrayRef<Interval> intervals) {
  std::vector<graph::Interval> all;
  for (const Interval& i : intervals) all.push_back({int64_t(i.begin()), int64_t(i.end())});
  return all;
}
} // namespace

Tensor::Tensor() = default;
Tensor::Tensor(const Tensor&) = default;
Tensor::Tensor(Tensor&&) noexcept = default;
Tensor& Tensor::operator=(const Tensor&) = default;
Tensor& Tensor::operator=(Tensor&&) noexcept = default;
Tensor::~Tensor() = default;

bool Tensor::valid() const { return inner(*this).valid(); }
Type Tensor::elementType() const { return outer(poplar::valid(*this).elementType()); }
std::vector<std::size_t> Tensor::shape() const { return simcore::poplar::outerShape(poplar::valid(*this).shape()); }
std::size_t Tensor::rank() const { return poplar::valid(*this).rank(); }
std::size_t Tensor::dim(unsigned d) const {
  return asPoplar([&] { return std::size_t(poplar::valid(*this).dim(d)); });
}
std::size_t Tensor::numElements() const { return std::size_t(poplar::valid(*this).numElements()); }

Tensor Tensor::operator[](std::size_t i) const {
  return viewed(*this, [&](const auto& t) { return t[int64_t(i)]; });
}
Tensor Tensor::slice(std::size_t begin, std::size_t end, unsigned dimension) const {
  return viewed(*this, [&](const auto& t) { return t.slice(int64_t(begin), int64_t(end), dimension); });
}
Tensor Tensor::slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const {
  return viewed(*this, [&](const auto& t) { return t.slice(whole(begin), whole(end)); });
}
std::vector<Tensor> Tensor::slices(ArrayRef<Interval> intervals, unsigned dimension) const {
  std::vector<Tensor> all;
  for (const Interval& i : intervals) all.push_back(slice(i, dimension));
  return all;
}
std::vector<Tensor> Tensor::slices(const std::vector<std::vector<Interval>>& intervals, unsigned dimension) const {
  std::vector<Tensor> all;
  for (const auto& list : intervals)
    all.push_back(viewed(*this, [&](const auto& t) { return t.slices(innerIntervals(list), dimension); }));
  return all;
}
std::vector<Tensor> Tensor::slices(ArrayRef<unsigned> indices, unsigned dimension) const {
  std::vector<Tensor> all;
  for (const unsigned i : indices) all.push_back(slice(i, i + 1, dimension));
  return all;
}
Tensor Tensor::index(ArrayRef<std::size_t> indices) const {
  return viewed(*this, [&](const auto& t) { return t.index(whole(indices)); });
}
Tensor Tensor::flatten() const {
  return viewed(*this, [](const auto& t) { return t.flatten(); });
}
Tensor Tensor::flatten(unsigned first, unsigned end) const {
  return viewed(*this, [&](const auto& t) { return t.flatten(first, end); });
}
Tensor Tensor::reshape(ArrayRef<std::size_t> shape) const {
  return viewed(*this, [&](const auto& t) { return t.reshape(simcore::poplar::innerShape(shape)); });
}
Tensor Tensor::reshapePartial(unsigned begin, unsigned end, ArrayRef<std::size_t> shape) const {
  return viewed(*this, [&](const auto& t) { return t.reshapePartial(begin, end, simcore::poplar::innerShape(shape)); });
}
Tensor Tensor::dimShuffle(ArrayRef<unsigned> order) const {
  return viewed(*this, [&](const auto& t) { return t.dimShuffle(sizes(order)); });
}
Tensor Tensor::dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const {
  return viewed(*this, [&](const auto& t) { return t.dimShufflePartial(sizes(source), sizes(destination)); });
}
Tensor Tensor::dimRoll(unsigned dimension, unsigned newPlace) const {
  return viewed(*this, [&](const auto& t) { return t.dimRoll(dimension, newPlace); });
}
Tensor Tensor::transpose() const {
  return viewed(*this, [](const auto& t) { return t.transpose(); });
}
Tensor Tensor::expand(ArrayRef<std::size_t> before) const {
  return viewed(*this, [&](const auto& t) { return t.expand(before.cloneAsVector()); });
}
Tensor Tensor::squeeze(ArrayRef<std::size_t> dimensions) const {
  return viewed(*this, [&](const auto& t) { return t.squeeze(dimensions.cloneAsVector()); });
}
Tensor Tensor::broadcast(unsigned count, unsigned dimension) const {
  return viewed(*this, [&](const auto& t) {
    return count == 0 && dimension < t.rank() ? t.slice(0, 0, dimension) : t.broadcast(count, dimension);
  });
}
Tensor Tensor::upsample(unsigned scale, unsigned dimension, UpsampleMethod) const {
  return viewed(*this, [&](const auto& t) { return t.upsample(scale, dimension); });
}
Tensor Tensor::subSample(unsigned stride, unsigned dimension) const {
  return viewed(*this, [&](const auto& t) { return t.subSample(stride, dimension); });
}
Tensor Tensor::reverse(unsigned dimension) const {
  return viewed(*this, [&](const auto& t) { return t.reverse(dimension); });
}
Tensor Tensor::reinterpret(const Type& type) const {
  return viewed(*this, [&](const auto& t) { return t.reinterpret(simcore::poplar::inner(type)); });
}

bool Tensor::isContiguous() const { return poplar::valid(*this).isContiguous(); }
bool Tensor::containsAliases() const { return poplar::valid(*this).containsAliases(); }
bool Tensor::isParallelWriteable() const { return !containsAliases() && !containsConstant(); }
bool Tensor::containsConstant() const {
  const graph::Tensor& t = poplar::valid(*this);
  const auto& graph = core::TensorAccess::graphOfConstants(*this);
  if (!graph) return false;
  const std::vector<reports::VariableId> all = t.variables();
  return std::any_of(all.begin(), all.end(),
                     [&](reports::VariableId id) { return graph->variable(id).category == reports::MemoryCategory::Constant; });
}
bool Tensor::constantValue(long double& value) const {
  if (!containsConstant() || numElements() != 1) return false;
  const graph::Region region = poplar::valid(*this).contiguousRegions().front();
  const graph::Variable& variable = core::TensorAccess::graphOfConstants(*this)->variable(region.variable);
  if (variable.replicaIndex || !variable.initial) return false;
  value = variable.initial->at(region.begin);
  return true;
}
const std::vector<VariableInterval> Tensor::getVarRegions() const {
  std::vector<VariableInterval> all;
  for (const auto& r : poplar::valid(*this).contiguousRegions())
    all.emplace_back(VariableRef(unsigned(r.variable.value())), Interval(std::size_t(r.begin), std::size_t(r.end)));
  return all;
}
const std::vector<Interval> Tensor::getContiguousRegions() const {
  std::vector<Interval> all;
  std::size_t at = 0;
  for (const auto& r : poplar::valid(*this).contiguousRegions()) {
    all.emplace_back(at, at + std::size_t(r.size()));
    at += std::size_t(r.size());
  }
  return all;
}
bool Tensor::intersectsWith(const Tensor& other) const { return poplar::valid(*this).intersects(poplar::valid(other)); }

std::string Tensor::shapeToString() const {
  std::string text = "[";
  for (const std::size_t extent : shape()) text += (text.size() > 1 ? "," : "") + std::to_string(extent);
  return text + "]";
}
std::string Tensor::getDebugStr() const { return poplar::valid(*this).getDebugStr(); }
void Tensor::dump(std::ostream& out) const { outputRegions(out) << '\n'; }
void Tensor::dumpRegions() const { outputRegions(std::cerr) << '\n'; }
void Tensor::dump() const { dump(std::cerr); }
std::ostream& Tensor::output(std::ostream& out) const {
  return valid() ? out << elementType() << ' ' << getDebugStr() : out << "no tensor";
}
std::ostream& Tensor::outputRegions(std::ostream& out) const {
  output(out);
  for (const VariableInterval& region : getVarRegions()) out << ' ' << region.var.id() << region.interval;
  return out;
}
bool Tensor::operator==(const Tensor& other) const {
  if (!valid() || !other.valid()) return valid() == other.valid();
  return inner(*this).shape() == inner(other).shape() && inner(*this).elementType() == inner(other).elementType() &&
         inner(*this).contiguousRegions() == inner(other).contiguousRegions();
}
std::ostream& operator<<(std::ostream& out, const Tensor& tensor) { return tensor.output(out); }

Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension) {
  return asPoplar([&] {
    std::vector<graph::Tensor> all;
    std::shared_ptr<const graph::Graph> graphOfConstants;
    for (const Tensor& t : tensors) {
      all.push_back(valid(t));
      if (!graphOfConstants) graphOfConstants = core::TensorAccess::graphOfConstants(t);
    }
    return core::TensorAccess::made(graph::concat(all, dimension), std::move(graphOfConstants));
  });
}
Tensor concat(const Tensor& first, const Tensor& second, unsigned dimension) {
  const Tensor both[] = {first, second};
  return concat(ArrayRef<Tensor>(both, 2), dimension);
}
Tensor append(const Tensor& first, const Tensor& second, unsigned dimension) {
  return concat(first, second.expand({std::size_t(dimension)}), dimension);
}

} // namespace poplar

namespace simcore::poplar {

const graph::Tensor& inner(const ::poplar::Tensor& tensor) { return ::poplar::core::TensorAccess::inside(tensor); }
::poplar::Tensor outer(graph::Tensor tensor) { return ::poplar::core::TensorAccess::made(std::move(tensor)); }
std::vector<graph::Tensor> inner(::poplar::ArrayRef<::poplar::Tensor> tensors) {
  std::vector<graph::Tensor> all;
  for (const auto& t : tensors) all.push_back(inner(t));
  return all;
}
graph::Shape innerShape(::poplar::ArrayRef<std::size_t> shape) { return graph::Shape(shape.begin(), shape.end()); }
std::vector<std::size_t> outerShape(const graph::Shape& shape) { return {shape.begin(), shape.end()}; }

} // namespace simcore::poplar
