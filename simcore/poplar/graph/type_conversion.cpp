#include "poplar/TypeConversion.hpp"

#include "poplar/exceptions.hpp"
#include "simcore/numerics/float8.h"
#include "simcore/numerics/half.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace poplar::core {

namespace nm = simcore::numerics;

namespace {

double floatingOf(const Number& n) { return valueAs<double>(n); }

// Calls f with a zero of the type on the host; returns false if the type is not one of whole numbers or floats.
template<class F> bool withHostType(const Type& type, F f) {
  if (type == BOOL || type == UNSIGNED_CHAR)
    f(std::uint8_t());
  else if (type == CHAR || type == SIGNED_CHAR)
    f(std::int8_t());
  else if (type == SHORT)
    f(std::int16_t());
  else if (type == UNSIGNED_SHORT)
    f(std::uint16_t());
  else if (type == INT)
    f(std::int32_t());
  else if (type == UNSIGNED_INT)
    f(std::uint32_t());
  else if (type == LONG || type == LONGLONG)
    f(std::int64_t());
  else if (type == UNSIGNED_LONG || type == UNSIGNED_LONGLONG)
    f(std::uint64_t());
  else if (type == FLOAT)
    f(float());
  else
    return false;
  return true;
}

} // namespace

void toDevice(const Type& type, const QuarterMetadata& metadata, const std::vector<Number>& from, void* to) {
  auto* bytes = static_cast<std::byte*>(to);
  const auto store = [&](std::size_t i, auto value) { std::memcpy(bytes + i * sizeof value, &value, sizeof value); };
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Number& n = from[i];
    if (type == HALF) {
      store(i, nm::Half(float(floatingOf(n))));
    } else if (type == QUARTER) {
      const float scaled = float(std::ldexp(floatingOf(n), -metadata.getScale()));
      metadata.getFormat() == QuarterMetadata::Format::F143 ? store(i, nm::F8E4M3Fnuz(scaled)) : store(i, nm::F8E5M2Fnuz(scaled));
    } else if (type == BOOL) {
      store(i, std::uint8_t(floatingOf(n) != 0));
    } else if (!withHostType(type, [&](auto zero) { store(i, valueAs<decltype(zero)>(n)); })) {
      throw type_error("convertToDeviceType: values of type " + type.toString() + " are not numbers");
    }
  }
}

std::vector<Number> fromDevice(const Type& type, const QuarterMetadata& metadata, const void* from, std::size_t count) {
  const auto* bytes = static_cast<const std::byte*>(from);
  const auto load = [&](std::size_t i, auto value) {
    std::memcpy(&value, bytes + i * sizeof value, sizeof value);
    return value;
  };
  std::vector<Number> values;
  for (std::size_t i = 0; i < count; ++i) {
    if (type == HALF) {
      values.emplace_back(float(load(i, nm::Half())));
    } else if (type == QUARTER) {
      const float bare = metadata.getFormat() == QuarterMetadata::Format::F143 ? float(load(i, nm::F8E4M3Fnuz()))
                                                                               : float(load(i, nm::F8E5M2Fnuz()));
      values.emplace_back(std::ldexp(double(bare), metadata.getScale()));
    } else if (!withHostType(type, [&](auto zero) { values.emplace_back(load(i, zero)); })) {
      throw type_error("convertFromDeviceType: values of type " + type.toString() + " are not numbers");
    }
  }
  return values;
}

} // namespace poplar::core
