// Shared by the kernels of this module: errors, dispatch over arithmetic types, and the rule that tensors of 16- and 8-bit floats
// are computed in float and rounded once at the end.
#pragma once

#include "reports/core/error.h"
#include "simcore/numerics/host_tensor.h"

#include <string>
#include <utility>

namespace simcore::numerics {

[[noreturn]] void failKernel(const std::string& message);
[[noreturn]] void unsupportedType(const char* kernel, ElementType type);
void requireRank(const HostTensor& tensor, std::size_t rank, const char* what);
void requireSameType(const HostTensor& a, const HostTensor& b, const char* kernel);

inline bool isNarrowFloat(ElementType type) {
  return type == ElementType::Half || type == ElementType::BFloat16 || isFloat8(type);
}

// Calls f(T{}) for float, double and the integer types; narrow floats must have been widened before.
template<class F> decltype(auto) visitNumeric(const char* kernel, ElementType type, F&& f) {
  switch (type) {
  case ElementType::Float: return f(float{});
  case ElementType::Double: return f(double{});
  case ElementType::Int8: return f(std::int8_t{});
  case ElementType::Int16: return f(std::int16_t{});
  case ElementType::Int32: return f(std::int32_t{});
  case ElementType::Int64: return f(std::int64_t{});
  case ElementType::UInt8: return f(std::uint8_t{});
  case ElementType::UInt16: return f(std::uint16_t{});
  case ElementType::UInt32: return f(std::uint32_t{});
  case ElementType::UInt64: return f(std::uint64_t{});
  default: unsupportedType(kernel, type);
  }
}

// Calls f(T{}) for float and double only.
template<class F> decltype(auto) visitReal(const char* kernel, ElementType type, F&& f) {
  switch (type) {
  case ElementType::Float: return f(float{});
  case ElementType::Double: return f(double{});
  default: unsupportedType(kernel, type);
  }
}

// Runs `kernel(T{})` in double, or in float for every other floating type, rounded once at the end.
template<class Kernel> HostTensor inRealType(ElementType type, Kernel kernel) {
  return type == ElementType::Double ? kernel(double{}) : kernel(float{}).cast(type);
}

// Calls f(T{}) with an unsigned type of the element's size: for kernels that only move elements.
template<class F> decltype(auto) visitBySize(ElementType type, F&& f) {
  switch (hostSize(type)) {
  case 1: return f(std::uint8_t{});
  case 2: return f(std::uint16_t{});
  case 4: return f(std::uint32_t{});
  default: return f(std::uint64_t{});
  }
}
template<class T> const T* rawAs(const HostTensor& tensor) { return reinterpret_cast<const T*>(tensor.raw().data()); }
template<class T> T* mutableRawAs(HostTensor& tensor) { return reinterpret_cast<T*>(tensor.mutableRaw().data()); }

} // namespace simcore::numerics
