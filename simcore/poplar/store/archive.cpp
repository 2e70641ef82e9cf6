#include "simcore/poplar/store/archive.h"

#include "simcore/poplar/inner.h"

#include <algorithm>
#include <cstring>

namespace simcore::poplar {

void Archive::raw(void* data, std::size_t size) {
  if (!m_reads) {
    m_out.append(static_cast<const char*>(data), size);
    return;
  }
  if (size > m_in.size() - m_at) refuse("the file is cut short");
  std::memcpy(data, m_in.data() + m_at, size);
  m_at += size;
}

void Archive::whole(uint64_t& number) {
  if (!m_reads) {
    uint64_t rest = number;
    for (; rest >= 0x80; rest >>= 7) m_out.push_back(char(rest | 0x80));
    m_out.push_back(char(rest));
    return;
  }
  number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (m_at >= m_in.size()) refuse("the file is cut short");
    const auto byte = uint64_t(uint8_t(m_in[m_at++]));
    number |= (byte & 0x7F) << shift;
    if (byte < 0x80) return;
  }
  refuse("a number is too long");
}

std::size_t Archive::count(std::size_t now) {
  uint64_t n = now;
  whole(n);
  if (m_reads && n > m_in.size() - m_at) refuse("a list is longer than the file");
  return std::size_t(n);
}

void Archive::value(std::string& v) {
  const std::size_t n = count(v.size());
  v.resize(n);
  raw(v.data(), n);
}

void Archive::value(numerics::HostTensor& v) {
  numerics::ElementType type = v.type();
  graph::Shape shape = v.shape();
  (*this)(type, shape);
  if (m_reads) {
    const auto elements = numerics::elementCount(shape);
    if (uint64_t(elements) * numerics::hostSize(type) > m_in.size() - m_at) refuse("the file is cut short");
    v = numerics::HostTensor(type, shape);
    raw(v.mutableRaw().data(), v.byteCount());
  } else {
    m_out.append(reinterpret_cast<const char*>(v.raw().data()), v.byteCount());
  }
}

void Archive::value(graph::Tensor& v) {
  std::vector<int64_t> numbers = m_reads ? std::vector<int64_t>() : v.toNumbers();
  value(numbers);
  if (!m_reads) return;
  if (!numbers.empty() && !m_graph) refuse("a tensor comes before its variables");
  v = graph::Tensor::ofNumbers(numbers, [&](graph::VariableId id) {
    const auto& all = m_graph->variables();
    return id.value() < all.size() ? all[id.value()].elements() : -1;
  });
  for (const auto id : v.variables())
    if (const auto type = m_graph->variables()[id.value()].type;
        type != v.elementType() && !graph::canReinterpret(type, v.elementType()))
      refuse("a tensor and its variable have different types");
}

void Archive::value(::poplar::Tensor& v) {
  graph::Tensor tensor = m_reads ? graph::Tensor() : inner(v);
  value(tensor);
  if (m_reads) v = outer(std::move(tensor));
}

void Archive::value(::poplar::Type& v) {
  unsigned id = v.id();
  value(id);
  if (id > ::poplar::QUARTER.id()) refuse("a type is out of its range");
  v = ::poplar::Type(id);
}

} // namespace simcore::poplar
