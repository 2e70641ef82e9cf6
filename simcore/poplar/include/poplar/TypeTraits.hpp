// Traits of a value in host memory: size, alignment and kind of number of a C++ type, for the functions that take values by address.
#pragma once

#include "poplar/IeeeHalf.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <type_traits>

namespace poplar {

struct TypeTraits {
  std::size_t size = 0, align = 0;
  bool isSimple = false, isFloat = false, isSigned = false;

  bool isSimpleType() const { return isSimple; }
  template<class T> static constexpr bool isSimpleType() {
    return std::is_arithmetic<T>::value || std::is_same<T, IeeeHalf>::value;
  }
  template<class T> static constexpr bool requiresMetadata() { return false; }
  // Classes other than IeeeHalf are not numbers.
  template<class T> static TypeTraits make() {
    TypeTraits traits;
    traits.size = sizeof(T);
    traits.align = alignof(T);
    traits.isFloat = std::is_floating_point<T>::value || std::is_same<T, IeeeHalf>::value;
    traits.isSimple = isSimpleType<T>();
    traits.isSigned = traits.isFloat || std::is_signed<T>::value;
    return traits;
  }
};

} // namespace poplar
