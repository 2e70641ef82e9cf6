#include "simcore/poplar/graph/numbers.h"

namespace poplar {

using simcore::numerics::HostTensor;

HostTensor core::hostTensor(simcore::numerics::ElementType type, const simcore::numerics::Shape& shape,
                            const std::vector<Number>& values) {
  const int64_t elements = simcore::numerics::elementCount(shape);
  const auto all = [&](auto valueOf) {
    std::vector<decltype(valueOf(values[0]))> numbers;
    numbers.reserve(std::size_t(elements));
    for (int64_t i = 0; i < elements; ++i) numbers.push_back(valueOf(values[values.size() == 1 ? 0 : std::size_t(i)]));
    return HostTensor::of(shape, numbers).cast(type);
  };
  if (values.empty() || elements == 0) return HostTensor(type, shape);
  if (values[0].kind == Number::Kind::Floating) return all([](const Number& n) { return n.floating; });
  // Whole numbers on the machine wrap like in C++.
  const bool narrows = simcore::numerics::isInteger(type) && simcore::numerics::hostSize(type) == 4;
  if (narrows && type == simcore::numerics::ElementType::UInt32) return all([](const Number& n) { return uint32_t(n.whole); });
  if (narrows) return all([](const Number& n) { return int32_t(uint32_t(n.whole)); });
  if (values[0].kind == Number::Kind::Signed) return all([](const Number& n) { return int64_t(n.whole); });
  return all([](const Number& n) { return uint64_t(n.whole); });
}

} // namespace poplar
