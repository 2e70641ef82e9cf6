// A variable of a graph, and a range of one.
#pragma once

#include "poplar/Interval.hpp"

#include <cstddef>
#include <functional>

namespace poplar {

class VariableRef {
public:
  VariableRef() = default;
  explicit VariableRef(unsigned id) : m_id(id) {}
  unsigned id() const { return m_id; }
  bool operator==(const VariableRef& other) const { return m_id == other.m_id; }
  bool operator!=(const VariableRef& other) const { return m_id != other.m_id; }
  bool operator<(const VariableRef& other) const { return m_id < other.m_id; }
  std::size_t hash() const { return std::hash<unsigned>()(m_id); }

private:
  unsigned m_id = ~0u;
};

struct VariableInterval {
  VariableInterval() = default;
  VariableInterval(VariableRef v, Interval i) : var(v), interval(i) {}
  bool operator==(const VariableInterval& other) const { return var == other.var && interval == other.interval; }
  bool operator<(const VariableInterval& other) const {
    return var < other.var || (var == other.var && interval < other.interval);
  }

  VariableRef var;
  Interval interval;
};

} // namespace poplar

namespace std {
template<> struct hash<poplar::VariableRef> {
  size_t operator()(const poplar::VariableRef& variable) const { return variable.hash(); }
};
} // namespace std
