// The types of tensor elements.
#pragma once

#include "poplar/StringRef.hpp"

#include <ostream>
#include <string>

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

  constexpr bool operator==(const Type& other) const noexcept { return m_id == other.m_id; }
  constexpr bool operator!=(const Type& other) const noexcept { return m_id != other.m_id; }
  constexpr bool operator<(const Type& other) const noexcept { return m_id < other.m_id; }

private:
  unsigned m_id;
};

constexpr Type BOOL(1);
constexpr Type CHAR(2);
constexpr Type UNSIGNED_CHAR(3);
constexpr Type SIGNED_CHAR(4);
constexpr Type SHORT(5);
constexpr Type UNSIGNED_SHORT(6);
constexpr Type INT(7);
constexpr Type UNSIGNED_INT(8);
constexpr Type LONG(9);
constexpr Type UNSIGNED_LONG(10);
constexpr Type LONGLONG(11);
constexpr Type UNSIGNED_LONGLONG(12);
constexpr Type HALF(13);
constexpr Type FLOAT(14);
constexpr Type QUARTER(15);

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
