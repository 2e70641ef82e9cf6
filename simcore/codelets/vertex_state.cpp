#include "simcore/codelets/vertex_state.h"

#include "simcore/codelets/code_size.h"

#include <algorithm>

namespace simcore::codelets {

using numerics::ElementType;

void VertexState::add(int64_t bytes, int64_t alignment) { m_size = reports::roundUp(m_size, alignment) + bytes; }

VertexState& VertexState::onePtr() {
  add(4, 4);
  m_pointers += Bytes(4);
  ++m_edges;
  return *this;
}

VertexState& VertexState::span() {
  add(8, 4);
  m_pointers += Bytes(8);
  ++m_edges;
  return *this;
}

VertexState& VertexState::scalar(int64_t bytes) {
  add(bytes, std::clamp<int64_t>(bytes, 1, 4));
  return *this;
}

VertexState& VertexState::vectorList(int64_t rows) {
  rows = std::max<int64_t>(rows, 0);
  add(8, 4);
  m_pointers += Bytes(8);
  m_lists += Bytes(4 * rows);
  m_edges += int(std::min<int64_t>(rows, INT32_MAX / 2));
  return *this;
}

VertexState& VertexState::pointers(int64_t rows) {
  rows = std::max<int64_t>(rows, 0);
  add(4, 4);
  m_pointers += Bytes(4);
  m_out += Bytes(4 * rows);
  m_edges += int(std::min<int64_t>(rows, INT32_MAX / 2));
  return *this;
}

VertexState& VertexState::numbers(int64_t entries, int64_t bytesEach) {
  add(4, 4);
  m_pointers += Bytes(4);
  m_out += Bytes(reports::roundUp(std::max<int64_t>(entries, 0) * bytesEach, 4));
  return *this;
}

VertexState& VertexState::constantVector(int64_t entries, int64_t bytesEach) {
  m_constants += Bytes(reports::roundUp(std::max<int64_t>(entries, 0) * bytesEach, 4));
  return onePtr();
}

VertexState& VertexState::constantList(int64_t rows, int64_t entries, int64_t bytesEach) {
  m_constants += Bytes(reports::roundUp(std::max<int64_t>(entries, 0) * bytesEach, 4));
  return vectorList(rows);
}

Bytes VertexState::state() const { return Bytes(reports::roundUp(m_size, 4)); }

VertexSpec makeSpec(std::string name, VertexKind kind, VertexFamily family, Bytes code, const VertexState& state) {
  VertexSpec spec;
  spec.name = std::move(name);
  spec.kind = kind;
  spec.code = code;
  spec.state = state.state();
  spec.edgePointers = state.edgePointers();
  spec.edges = state.edges();
  spec.family = family;
  spec.fieldData = state.fieldData();
  spec.listDescriptors = state.listDescriptors();
  spec.constants = state.constants();
  spec.workerStack = workerStackBytes(family, kind);
  return spec;
}

const char* codeletTypeName(ElementType type) {
  switch (numerics::deviceType(type)) {
  case ElementType::Float: return "float";
  case ElementType::Half: return "half";
  case ElementType::BFloat16: return "bfloat16";
  case ElementType::Float8E4M3Fnuz:
  case ElementType::Float8E5M2Fnuz: return "quarter";
  case ElementType::Int8: return "signed char";
  case ElementType::UInt8: return "unsigned char";
  case ElementType::Int16: return "short";
  case ElementType::UInt16: return "unsigned short";
  case ElementType::Int32: return "int";
  case ElementType::UInt32: return "unsigned int";
  default: return "bool";
  }
}

} // namespace simcore::codelets
