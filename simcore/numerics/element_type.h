// The element types of host tensors, with their sizes on the host and on the simulated machine. The machine has no 64-bit types:
// Int64, UInt64 and Double become 32-bit Int32, UInt32 and Float there (as in every Poplar front end). It has the two 8-bit
// floats without infinities and negative zero; the other two become Half, which can hold all their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "simcore/numerics/float8.h"
#include "simcore/numerics/half.h"

namespace simcore::numerics {

enum class ElementType : std::uint8_t {
  Float,
  Half,
  BFloat16,
  Double,
  Float8E4M3Fnuz,
  Float8E5M2Fnuz,
  Float8E4M3Fn,
  Float8E5M2,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Bool
};
inline constexpr int kElementTypeCount = 17;

// Lower-case name, e.g. "float", "half", "int64".
const char* elementTypeName(ElementType type);
// The type with this elementTypeName(); throws reports::Error(InvalidInput) for anything else.
ElementType elementTypeOf(std::string_view name);
// Bytes of one element in a HostTensor (a Bool takes one byte, 0 or 1).
std::size_t hostSize(ElementType type);
// The machine's type for elements of this type, and its size there in bytes.
ElementType deviceType(ElementType type);
std::size_t deviceSize(ElementType type);

// Float, Half, BFloat16, Double or one of the 8-bit floats.
bool isFloating(ElementType type);
bool isFloat8(ElementType type);
// The 8-bit floats of the machine (Poplar's QUARTER): F143 and F152.
inline bool isQuarter(ElementType type) { return type == ElementType::Float8E4M3Fnuz || type == ElementType::Float8E5M2Fnuz; }
// The signed or unsigned integer types; Bool is not one of them.
bool isInteger(ElementType type);

// The C++ type that stores each element type.
template<class T> struct ElementTypeOf;
template<> struct ElementTypeOf<float> { static constexpr auto kType = ElementType::Float; };
template<> struct ElementTypeOf<Half> { static constexpr auto kType = ElementType::Half; };
template<> struct ElementTypeOf<BFloat16> { static constexpr auto kType = ElementType::BFloat16; };
template<> struct ElementTypeOf<double> { static constexpr auto kType = ElementType::Double; };
template<> struct ElementTypeOf<F8E4M3Fnuz> { static constexpr auto kType = ElementType::Float8E4M3Fnuz; };
template<> struct ElementTypeOf<F8E5M2Fnuz> { static constexpr auto kType = ElementType::Float8E5M2Fnuz; };
template<> struct ElementTypeOf<F8E4M3Fn> { static constexpr auto kType = ElementType::Float8E4M3Fn; };
template<> struct ElementTypeOf<F8E5M2> { static constexpr auto kType = ElementType::Float8E5M2; };
template<> struct ElementTypeOf<std::int8_t> { static constexpr auto kType = ElementType::Int8; };
template<> struct ElementTypeOf<std::int16_t> { static constexpr auto kType = ElementType::Int16; };
template<> struct ElementTypeOf<std::int32_t> { static constexpr auto kType = ElementType::Int32; };
template<> struct ElementTypeOf<std::int64_t> { static constexpr auto kType = ElementType::Int64; };
template<> struct ElementTypeOf<std::uint8_t> { static constexpr auto kType = ElementType::UInt8; };
template<> struct ElementTypeOf<std::uint16_t> { static constexpr auto kType = ElementType::UInt16; };
template<> struct ElementTypeOf<std::uint32_t> { static constexpr auto kType = ElementType::UInt32; };
template<> struct ElementTypeOf<std::uint64_t> { static constexpr auto kType = ElementType::UInt64; };
template<> struct ElementTypeOf<bool> { static constexpr auto kType = ElementType::Bool; };

// Types that store a float in fewer bits; arithmetic uses float.
template<class T>
inline constexpr bool kStoresFloat = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16> || std::is_same_v<T, F8E4M3Fnuz> ||
                                     std::is_same_v<T, F8E5M2Fnuz> || std::is_same_v<T, F8E4M3Fn> || std::is_same_v<T, F8E5M2>;

// Calls f(T{}) with the C++ type of `type`.
template<class F> decltype(auto) visitAny(ElementType type, F&& f) {
  switch (type) {
  case ElementType::Float: return f(float{});
  case ElementType::Half: return f(Half{});
  case ElementType::BFloat16: return f(BFloat16{});
  case ElementType::Double: return f(double{});
  case ElementType::Float8E4M3Fnuz: return f(F8E4M3Fnuz{});
  case ElementType::Float8E5M2Fnuz: return f(F8E5M2Fnuz{});
  case ElementType::Float8E4M3Fn: return f(F8E4M3Fn{});
  case ElementType::Float8E5M2: return f(F8E5M2{});
  case ElementType::Int8: return f(std::int8_t{});
  case ElementType::Int16: return f(std::int16_t{});
  case ElementType::Int32: return f(std::int32_t{});
  case ElementType::Int64: return f(std::int64_t{});
  case ElementType::UInt8: return f(std::uint8_t{});
  case ElementType::UInt16: return f(std::uint16_t{});
  case ElementType::UInt32: return f(std::uint32_t{});
  case ElementType::UInt64: return f(std::uint64_t{});
  case ElementType::Bool: break;
  }
  return f(bool{});
}

} // namespace simcore::numerics
