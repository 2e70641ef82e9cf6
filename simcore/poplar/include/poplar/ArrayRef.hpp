// A view of elements stored elsewhere: a vector, an array, a list in braces.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <vector>

namespace poplar {

template<class T> class ArrayRef {
public:
  using value_type = T;
  using const_iterator = const T*;
  using iterator = const T*;
  using size_type = std::size_t;

  constexpr ArrayRef() noexcept : m_data(nullptr), m_size(0) {}
  constexpr ArrayRef(std::nullptr_t) noexcept : m_data(nullptr), m_size(0) {}
  constexpr ArrayRef(const T* elements, std::size_t size) noexcept : m_data(elements), m_size(size) {}
  ArrayRef(const std::vector<T>& elements) noexcept : m_data(elements.data()), m_size(elements.size()) {}
  template<class Allocator, class = typename std::enable_if<!std::is_same<Allocator, std::allocator<T>>::value>::type>
  ArrayRef(const std::vector<T, Allocator>& elements) noexcept : m_data(elements.data()), m_size(elements.size()) {}
  template<std::size_t N> constexpr ArrayRef(const std::array<T, N>& elements) noexcept : m_data(elements.data()), m_size(N) {}
  template<std::size_t N> constexpr ArrayRef(const T (&elements)[N]) noexcept : m_data(elements), m_size(N) {}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime" // an argument in braces lives as long as the call that takes it
#endif
  ArrayRef(const std::initializer_list<T>& elements) noexcept : m_data(elements.begin()), m_size(elements.size()) {}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9
#pragma GCC diagnostic pop
#endif

  const_iterator begin() const noexcept { return m_data; }
  const_iterator end() const noexcept { return m_data + m_size; }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }
  const T* data() const noexcept { return m_data; }
  constexpr std::size_t size() const noexcept { return m_size; }
  constexpr bool empty() const noexcept { return m_size == 0; }
  const T& front() const { return m_data[0]; }
  const T& back() const { return m_data[m_size - 1]; }
  const T& operator[](std::size_t i) const {
    assert(i < m_size);
    return m_data[i];
  }
  std::vector<T> cloneAsVector() const { return std::vector<T>(begin(), end()); }
  bool equals(ArrayRef other) const { return m_size == other.m_size && std::equal(begin(), end(), other.begin()); }

private:
  const T* m_data;
  std::size_t m_size;
};

template<class T> bool operator==(ArrayRef<T> a, ArrayRef<T> b) { return a.equals(b); }
template<class T> bool operator!=(ArrayRef<T> a, ArrayRef<T> b) { return !a.equals(b); }
template<class T> bool operator==(ArrayRef<T> a, const std::vector<T>& b) { return a.equals(b); }
template<class T> bool operator==(const std::vector<T>& a, ArrayRef<T> b) { return b.equals(a); }
template<class T> bool operator!=(ArrayRef<T> a, const std::vector<T>& b) { return !a.equals(b); }
template<class T> bool operator!=(const std::vector<T>& a, ArrayRef<T> b) { return !b.equals(a); }

} // namespace poplar
