// Reads and writes values as bytes. One list of fields serves both directions: an Archive that writes appends them, one that
// reads assigns them. Input is not trusted: list lengths are checked against the remaining bytes, enumerations against their
// range, tensors against their variables.
#pragma once

#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"
#include "reports/core/error.h"
#include "reports/core/ids.h"
#include "reports/core/units.h"
#include "simcore/graph/graph.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace simcore::poplar {

class Archive {
public:
  Archive() = default; // writes
  explicit Archive(std::string_view bytes) : m_in(bytes), m_reads(true) {}
  bool reads() const { return m_reads; }
  const std::string& bytes() const { return m_out; }
  // Tensors read from now on are views of this graph's variables.
  void setGraph(const graph::Graph& graph) { m_graph = &graph; }
  bool atEnd() const { return m_at == m_in.size(); }
  [[noreturn]] static void refuse(const char* what) {
    throw reports::Error(reports::ErrorCode::Damaged, what, "executable", "write it again");
  }

  template<class... T> void operator()(T&... values) { (value(values), ...); }

private:
  void whole(uint64_t& number); // seven bits per byte
  void raw(void* data, std::size_t size);
  // Reads or writes the number of elements that follow; each takes at least one byte.
  std::size_t count(std::size_t now);

  template<class T>
  requires std::is_integral_v<T>
  void value(T& v) {
    const auto wide = int64_t(v);
    uint64_t zigzag = (uint64_t(wide) << 1) ^ uint64_t(wide >> 63);
    whole(zigzag);
    if (m_reads) v = T(int64_t(zigzag >> 1) ^ -int64_t(zigzag & 1));
  }
  template<class T>
  requires std::is_floating_point_v<T>
  void value(T& v) { raw(&v, sizeof v); }
  template<class T>
  requires std::is_enum_v<T>
  void value(T& v) {
    auto number = int64_t(v);
    value(number);
    constexpr int64_t kMost = std::is_same_v<T, numerics::ElementType> ? numerics::kElementTypeCount - 1 : 255;
    if (number < 0 || number > kMost) refuse("an enumerated value is out of its range");
    v = T(number);
  }
  void value(std::string& v);
  void value(numerics::HostTensor& v);
  void value(graph::Tensor& v);
  void value(::poplar::Tensor& v);
  void value(::poplar::Type& v);
  template<class Tag> void value(reports::Id<Tag>& v) {
    uint32_t number = v.value();
    value(number);
    v = reports::Id<Tag>(number);
  }
  void value(reports::Bytes& v) { quantity(v); }
  void value(reports::Cycles& v) { quantity(v); }
  template<class T> void quantity(T& v) {
    int64_t number = v.value();
    value(number);
    v = T(number);
  }
  void value(std::vector<bool>& v) {
    v.resize(count(v.size()));
    for (std::size_t i = 0; i < v.size(); ++i) {
      bool b = v[i];
      value(b);
      v[i] = b;
    }
  }
  template<class T> void value(std::vector<T>& v) {
    const std::size_t n = count(v.size());
    if (!m_reads) {
      for (T& each : v) value(each);
      return;
    }
    v.clear();
    for (std::size_t i = 0; i < n; ++i) {
      v.push_back(blank<T>());
      value(v.back());
    }
  }
  template<class T, std::size_t N> void value(std::array<T, N>& v) {
    for (T& each : v) value(each);
  }
  template<class K, class V> void value(std::map<K, V>& v) {
    std::vector<std::pair<K, V>> list(v.begin(), v.end());
    value(list);
    if (m_reads) v = std::map<K, V>(list.begin(), list.end());
  }
  template<class A, class B> void value(std::pair<A, B>& v) { (*this)(v.first, v.second); }
  template<class... T> void value(std::tuple<T...>& v) {
    std::apply([&](T&... each) { (*this)(each...); }, v);
  }
  template<class T> void value(std::optional<T>& v) {
    bool has = v.has_value();
    value(has);
    if (!has) return v.reset();
    if (m_reads) v = blank<T>();
    value(*v);
  }
  template<class... T> void value(std::variant<T...>& v) {
    std::size_t index = v.index();
    value(index);
    if (index >= sizeof...(T)) refuse("a value has an unknown type");
    if (m_reads) chosen(v, index, std::index_sequence_for<T...>());
    std::visit([&](auto& each) { value(each); }, v);
  }
  template<class V, std::size_t... I> static void chosen(V& v, std::size_t index, std::index_sequence<I...>) {
    ((index == I ? void(v.template emplace<I>()) : void()), ...);
  }
  // A structure: its namespace has a function fields(Archive&, T&).
  template<class T>
  requires std::is_class_v<T>
  void value(T& v) { fields(*this, v); }

public:
  // The initial value before reading; specialise it for a class without an empty value.
  template<class T> static T blank() { return T{}; }

private:
  std::string m_out;
  std::string_view m_in;
  std::size_t m_at = 0;
  bool m_reads = false;
  const graph::Graph* m_graph = nullptr;
};

} // namespace simcore::poplar
