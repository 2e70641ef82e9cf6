// The types of tensor elements.
#pragma once

#include "poplar/StringRef.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace poplar {

class Type {
public:
  constexpr Type() noexcept : m_id(0) {}
  // Programs only use the constants below.
  constexpr explicit Type(unsigned id) noexcept : m_id(id) {}
  constexpr unsigned id() const noexcept { return m_id; }
  std::string toString() const; // "float"
  bool isFloatingPoint() const;
  bool isIntegral() const;
  bool requiresMetadata() const; // QUARTER
  std::size_t hash() const noexcept { return m_id; }

  constexpr bool operator==(const Type& other) const noexcept { return m_id == other.m_id; }
  constexpr bool operator!=(const Type& other) const noexcept { return m_id != other.m_id; }
  constexpr bool operator<(const Type& other) const noexcept { return m_id < other.m_id; }

private:
  unsigned m_id;
};

// Variables, as in Poplar, because programs may bind references to them. Their values never change.
extern Type BOOL;
extern Type CHAR;
extern Type UNSIGNED_CHAR;
extern Type SIGNED_CHAR;
extern Type SHORT;
extern Type UNSIGNED_SHORT;
extern Type INT;
extern Type UNSIGNED_INT;
extern Type LONG;
extern Type UNSIGNED_LONG;
extern Type LONGLONG;
extern Type UNSIGNED_LONGLONG;
extern Type HALF;
extern Type FLOAT;
extern Type QUARTER;

std::ostream& operator<<(std::ostream& out, const Type& type);

// The machine's element type for the C++ type T: equivalent_device_type<float>().value is FLOAT.
template<class T> struct equivalent_device_type;
template<> struct equivalent_device_type<bool> { Type value = BOOL; };
template<> struct equivalent_device_type<char> { Type value = CHAR; };
template<> struct equivalent_device_type<unsigned char> { Type value = UNSIGNED_CHAR; };
template<> struct equivalent_device_type<signed char> { Type value = SIGNED_CHAR; };
template<> struct equivalent_device_type<short> { Type value = SHORT; };
template<> struct equivalent_device_type<unsigned short> { Type value = UNSIGNED_SHORT; };
template<> struct equivalent_device_type<int> { Type value = INT; };
template<> struct equivalent_device_type<unsigned> { Type value = UNSIGNED_INT; };
template<> struct equivalent_device_type<long> { Type value = LONG; };
template<> struct equivalent_device_type<unsigned long> { Type value = UNSIGNED_LONG; };
template<> struct equivalent_device_type<long long> { Type value = LONGLONG; };
template<> struct equivalent_device_type<unsigned long long> { Type value = UNSIGNED_LONGLONG; };
template<> struct equivalent_device_type<float> { Type value = FLOAT; };
template<> struct equivalent_device_type<double> { Type value = FLOAT; };

} // namespace poplar

namespace std {
template<> struct hash<poplar::Type> {
  std::size_t operator()(const poplar::Type& type) const noexcept { return type.hash(); }
};
} // namespace std
