// Handles of the objects in a graph: compute sets, vertices and their fields, streams, remote buffers and functions.
#pragma once

#include "poplar/FunctionBufferMappingType.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/ReplicatedStreamMode.hpp"
#include "poplar/StringRef.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace poplar {

class Graph;

class ComputeSet {
public:
  ComputeSet() = default;
  explicit ComputeSet(unsigned id) : m_id(id) {}
  unsigned getId() const { return m_id; }
  bool operator==(const ComputeSet& other) const { return m_id == other.m_id; }
  bool operator!=(const ComputeSet& other) const { return m_id != other.m_id; }
  bool operator<(const ComputeSet& other) const { return m_id < other.m_id; }

private:
  unsigned m_id = ~0u;
};

class VertexRef;

// A field of a vertex, or one element of it.
class FieldRef {
public:
  FieldRef() = default;
  FieldRef operator[](std::size_t element) const;
  bool isIndexed() const { return m_element >= 0; }
  std::size_t getIndex() const { return std::size_t(m_element); }
  std::string getName() const { return m_name; }
  VertexRef getVertex() const;

private:
  friend class VertexRef;
  friend class Graph;
  FieldRef(unsigned computeSet, unsigned vertex, std::string name, long long element)
      : m_name(std::move(name)), m_element(element), m_computeSet(computeSet), m_vertex(vertex) {}
  std::string m_name;
  long long m_element = -1;
  unsigned m_computeSet = ~0u, m_vertex = 0;
};

class VertexRef {
public:
  VertexRef() = default;
  FieldRef operator[](StringRef field) const { return FieldRef(m_computeSet, m_vertex, field.cloneAsString(), -1); }
  ComputeSet getComputeSet() const { return ComputeSet(m_computeSet); }
  unsigned getId() const { return m_vertex; } // within its compute set
  bool operator==(const VertexRef& other) const { return m_computeSet == other.m_computeSet && m_vertex == other.m_vertex; }
  bool operator!=(const VertexRef& other) const { return !(*this == other); }
  bool operator<(const VertexRef& other) const {
    return m_computeSet < other.m_computeSet || (m_computeSet == other.m_computeSet && m_vertex < other.m_vertex);
  }

private:
  friend class Graph;
  friend class FieldRef;
  VertexRef(unsigned computeSet, unsigned vertex) : m_computeSet(computeSet), m_vertex(vertex) {}
  unsigned m_computeSet = ~0u, m_vertex = 0;
};

inline FieldRef FieldRef::operator[](std::size_t element) const {
  return FieldRef(m_computeSet, m_vertex, m_name, static_cast<long long>(element));
}
inline VertexRef FieldRef::getVertex() const { return VertexRef(m_computeSet, m_vertex); }

// A program that other programs call.
class Function {
public:
  Function() = default;
  explicit Function(unsigned id) : m_id(id) {}
  unsigned id() const { return m_id; }
  unsigned getId() const { return m_id; }
  bool operator==(const Function& other) const { return m_id == other.m_id; }
  bool operator!=(const Function& other) const { return m_id != other.m_id; }
  bool operator<(const Function& other) const { return m_id < other.m_id; }

private:
  unsigned m_id = ~0u;
};

// A buffer for the code of a function. In the simulator the code is always on its tiles, so copies to and from the buffer take no
// time.
class FunctionBuffer {
public:
  FunctionBuffer() = default;
  FunctionBuffer(Function function, FunctionBufferMappingType mapping) : m_function(function), m_mapping(mapping) {}
  Function function() const { return m_function; }
  FunctionBufferMappingType mappingType() const { return m_mapping; }
  bool operator==(const FunctionBuffer& other) const { return m_function == other.m_function && m_mapping == other.m_mapping; }
  bool operator!=(const FunctionBuffer& other) const { return !(*this == other); }

private:
  Function m_function;
  FunctionBufferMappingType m_mapping = FunctionBufferMappingType::REMOTE;
};

// A function of the host that programs call.
class HostFunction {
public:
  HostFunction() = default;
  HostFunction(std::string handle, std::shared_ptr<const void> inside)
      : m_handle(std::move(handle)), m_inside(std::move(inside)) {}
  const std::string& handle() const { return m_handle; }
  std::size_t getId() const { return std::hash<std::string>()(m_handle); }
  const std::shared_ptr<const void>& inside() const { return m_inside; } // the implementation's object

private:
  std::string m_handle;
  std::shared_ptr<const void> m_inside;
};

} // namespace poplar
