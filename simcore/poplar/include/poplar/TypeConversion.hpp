// Converts numbers of the host to the bytes of a tensor's elements, and back. Streams and writeTensor() of the type transfer
// these bytes.
#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Quarter.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <type_traits>
#include <vector>

namespace poplar {

namespace core {
void toDevice(const Type& type, const QuarterMetadata& metadata, const std::vector<Number>& from, void* to);
std::vector<Number> fromDevice(const Type& type, const QuarterMetadata& metadata, const void* from, std::size_t count);
template<class T> T valueAs(const Number& n) {
  if (n.kind == Number::Kind::Floating) return static_cast<T>(n.floating);
  return n.kind == Number::Kind::Signed ? static_cast<T>(static_cast<long long>(n.whole)) : static_cast<T>(n.whole);
}
} // namespace core

// Floats are rounded to nearest, whole numbers truncated. Throw type_error for a type without numbers.
template<class T> void convertToDeviceType(const Type& type, ArrayRef<T> source, void* destination) {
  core::toDevice(type, QuarterMetadata(), core::numbers(source.data(), source.size()), destination);
}
template<class T>
void convertToDeviceType(const Type& type, const QuarterMetadata& metadata, ArrayRef<T> source, void* destination) {
  core::toDevice(type, metadata, core::numbers(source.data(), source.size()), destination);
}
// Converts into the elements that `destination` refers to.
template<class T>
void convertFromDeviceType(const Type& type, const QuarterMetadata& metadata, const void* source, ArrayRef<T> destination) {
  const std::vector<core::Number> values = core::fromDevice(type, metadata, source, destination.size());
  T* to = const_cast<T*>(destination.data());
  for (std::size_t i = 0; i < values.size(); ++i) to[i] = core::valueAs<T>(values[i]);
}
template<class T> void convertFromDeviceType(const Type& type, const void* source, ArrayRef<T> destination) {
  convertFromDeviceType(type, QuarterMetadata(), source, destination);
}

} // namespace poplar
