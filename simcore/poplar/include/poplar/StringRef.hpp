// A view of characters stored elsewhere: a literal or a string.
#pragma once

#include <cstddef>
#include <cstring>
#include <ostream>
#include <string>

#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#error "libpoplar has the strings of C++11: compile without -D_GLIBCXX_USE_CXX11_ABI=0"
#endif

namespace poplar {

class StringRef {
public:
  using const_iterator = const char*;

  constexpr StringRef() noexcept : m_data(""), m_size(0) {}
  constexpr StringRef(std::nullptr_t) noexcept : m_data(""), m_size(0) {}
  StringRef(const char* text) noexcept : m_data(text ? text : ""), m_size(std::strlen(m_data)) {}
  constexpr StringRef(const char* text, std::size_t size) noexcept : m_data(text), m_size(size) {}
  StringRef(const std::string& text) noexcept : m_data(text.data()), m_size(text.size()) {}

  const_iterator begin() const noexcept { return m_data; }
  const_iterator end() const noexcept { return m_data + m_size; }
  const char* data() const noexcept { return m_data; }
  constexpr std::size_t size() const noexcept { return m_size; }
  constexpr std::size_t length() const noexcept { return m_size; }
  constexpr bool empty() const noexcept { return m_size == 0; }
  char front() const { return m_data[0]; }
  char back() const { return m_data[m_size - 1]; }
  char operator[](std::size_t i) const { return m_data[i]; }
  std::string cloneAsString() const { return std::string(m_data, m_size); }
  operator std::string() const { return cloneAsString(); }
  bool equals(StringRef other) const { return m_size == other.m_size && std::memcmp(m_data, other.m_data, m_size) == 0; }

private:
  const char* m_data;
  std::size_t m_size;
};

inline bool operator==(StringRef a, StringRef b) { return a.equals(b); }
inline bool operator!=(StringRef a, StringRef b) { return !a.equals(b); }
inline bool operator<(StringRef a, StringRef b) { return a.cloneAsString() < b.cloneAsString(); }
inline std::string operator+(StringRef a, StringRef b) { return a.cloneAsString() + b.cloneAsString(); }
inline std::string& operator+=(std::string& a, StringRef b) { return a.append(b.data(), b.size()); }
inline std::ostream& operator<<(std::ostream& out, StringRef text) {
  return out.write(text.data(), std::streamsize(text.size()));
}

} // namespace poplar
