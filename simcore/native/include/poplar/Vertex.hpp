// Vertex classes and their fields. The engine writes a vertex into raw memory: a scalar field is a pointer to its element, a vector a
// pointer and a count, a list of vectors a pointer to such pairs and a count. No constructor of a vertex ever runs.
#pragma once

#include <arch/gc_tile_defines.h>
#include <poplar/FieldTypes.hpp>
#include <poplar/HalfFloat.hpp>
#include <ipudef.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#define WORKER_ALIGN __attribute__((aligned(8)))
#define NO_INSTRUMENT __attribute__((no_instrument_function))

namespace poplar {

// `long` has 32 bits on the machine.
template <typename T> struct ElementOf { typedef T Type; };
template <> struct ElementOf<long> { typedef int Type; };
template <> struct ElementOf<unsigned long> { typedef unsigned Type; };

// Assigning to a field writes elements through its pointer: as many as the shorter side has.
template <typename To, typename From> void assignElements(const To& to, const From& from) {
  const unsigned count = to.size() < from.size() ? to.size() : from.size();
  for (unsigned i = 0; i < count; ++i) to[i] = from[i];
}
#define __IPU_ASSIGN__(type)                                                                                                        \
  type() = default;                                                                                                                 \
  type(const type&) = default;                                                                                                      \
  type& operator=(const type& other) {                                                                                              \
    assignElements(*this, other);                                                                                                   \
    return *this;                                                                                                                   \
  }                                                                                                                                 \
  template <typename V, typename = decltype(static_cast<const V*>(nullptr)->size())> type& operator=(const V& other) {              \
    assignElements(*this, other);                                                                                                   \
    return *this;                                                                                                                   \
  }

template <typename T> class Output;
template <typename T> class InOut;
struct NamesElements { static constexpr bool value = false; };
struct WritesElements { static constexpr bool value = true; };
template <typename T> struct IsWritable : NamesElements {};
template <typename T> struct IsWritable<Output<T>> : WritesElements {};
template <typename T> struct IsWritable<InOut<T>> : WritesElements {};

template <typename T, VectorLayout Layout = VectorLayout::SPAN, unsigned MinAlign = 0, bool Interleaved = false> class Vector {
public:
  typedef typename ElementOf<T>::Type value_type;
  typedef value_type* iterator;
  typedef const value_type* const_iterator;
  value_type& operator[](std::size_t i) const { return m_elements[i]; }
  value_type& operator*() const { return *m_elements; }
  const Vector* operator->() const { return this; } // x->size()
  value_type* begin() const { return m_elements; }
  value_type* end() const { return m_elements + m_size; }
  value_type* cbegin() const { return m_elements; }
  value_type* cend() const { return m_elements + m_size; }
  value_type* data() const { return m_elements; }
  value_type& front() const { return *m_elements; }
  value_type& back() const { return m_elements[m_size - 1]; }
  unsigned size() const { return static_cast<unsigned>(m_size); }
  bool empty() const { return m_size == 0; }
  Vector() = default;
  Vector(const Vector&) = default;
  // Assigning to a vector of fields writes their elements. Any other vector is a view and then refers to the elements of `other`.
  Vector& operator=(const Vector& other) {
    assign(other, IsWritable<T>());
    return *this;
  }
  template <typename V, bool AreFields = IsWritable<T>::value, typename = typename std::enable_if<AreFields>::type,
            typename = decltype(static_cast<const V*>(nullptr)->size())>
  Vector& operator=(const V& other) {
    assignElements(*this, other);
    return *this;
  }

private:
  static_assert(sizeof(value_type) > 0, "the type of elements is complete");
  void assign(const Vector& other, WritesElements) { assignElements(*this, other); }
  void assign(const Vector& other, NamesElements) {
    m_elements = other.m_elements;
    m_size = other.m_size;
  }
  value_type* m_elements;
  unsigned long long m_size;
};

// One vector of a list.
template <typename T, VectorLayout Layout, unsigned MinAlign, bool Interleaved>
class Row : public Vector<T, Layout, MinAlign, Interleaved> {
public:
  __IPU_ASSIGN__(Row)
};
template <typename T, VectorLayout L, unsigned A, bool I> struct ElementOf<Vector<T, L, A, I>> { typedef Row<T, L, A, I> Type; };

template <typename T, VectorListLayout Layout = VectorListLayout::DELTAN, unsigned MinAlign = 0, bool Interleaved = false>
class VectorList {
public:
  typedef Row<T, VectorLayout::SPAN, MinAlign, Interleaved> value_type;
  value_type& operator[](std::size_t i) const { return m_vectors[i]; }
  value_type* begin() const { return m_vectors; }
  value_type* end() const { return m_vectors + m_size; }
  unsigned size() const { return static_cast<unsigned>(m_size); }

private:
  value_type* m_vectors;
  unsigned long long m_size;
};

// One element. Read-only fields have the same type: the engine knows which fields a vertex may write.
template <typename T> class ScalarField {
public:
  typedef typename ElementOf<T>::Type value_type;
  value_type& operator*() const { return *m_element; }
  value_type* operator->() const { return m_element; }
  value_type* operator&() const { return m_element; }
  operator value_type&() const { return *m_element; }

private:
  value_type* m_element;
};

template <typename T> class WritableField : public ScalarField<T> {
public:
  typedef typename ElementOf<T>::Type value_type;
  WritableField() = default;
  WritableField& operator=(const WritableField& other) { return *this = *other; }
  WritableField& operator=(const value_type& value) {
    **this = value;
    return *this;
  }
  value_type& operator++() { return ++**this; }
  value_type& operator--() { return --**this; }
  value_type operator++(int) { return (**this)++; }
  value_type operator--(int) { return (**this)--; }
};

template <typename T> class Input : public ScalarField<T> {};
template <typename T> class Output : public WritableField<T> {
public:
  using WritableField<T>::operator=;
};
template <typename T> class InOut : public WritableField<T> {
public:
  using WritableField<T>::operator=;
};

#define __IPU_COMPOUND__(sign)                                                                                                      \
  template <typename T, typename V> typename ElementOf<T>::Type& operator sign(WritableField<T>& field, const V& value) {           \
    return *field sign value;                                                                                                       \
  }
__IPU_COMPOUND__(+=)
__IPU_COMPOUND__(-=)
__IPU_COMPOUND__(*=)
__IPU_COMPOUND__(/=)
__IPU_COMPOUND__(%=)
__IPU_COMPOUND__(|=)
__IPU_COMPOUND__(&=)
__IPU_COMPOUND__(^=)
__IPU_COMPOUND__(<<=)
__IPU_COMPOUND__(>>=)
#undef __IPU_COMPOUND__

#define __IPU_READ_ONLY__(direction)                                                                                                \
  direction() = default;                                                                                                            \
  direction(const direction&) = default;                                                                                            \
  direction& operator=(const direction&) = default;                                                                                 \
  template <typename V>                                                                                                             \
  __attribute__((unavailable("an Input is not written: assign to an Output or InOut"))) direction& operator=(const V&);
#define __IPU_FIELD__(direction, assignment)                                                                                        \
  template <typename T, VectorLayout L, unsigned A, bool I> class direction<Vector<T, L, A, I>> : public Vector<T, L, A, I> {       \
  public:                                                                                                                           \
    assignment(direction)                                                                                                           \
  };                                                                                                                                \
  template <typename T, VectorListLayout L, unsigned A, bool I>                                                                     \
  class direction<VectorList<T, L, A, I>> : public VectorList<T, L, A, I> {                                                         \
  public:                                                                                                                           \
    assignment(direction)                                                                                                           \
  };
__IPU_FIELD__(Input, __IPU_READ_ONLY__)
__IPU_FIELD__(Output, __IPU_ASSIGN__)
__IPU_FIELD__(InOut, __IPU_ASSIGN__)
#undef __IPU_FIELD__
#undef __IPU_READ_ONLY__
#undef __IPU_ASSIGN__

class VertexBase {};
class Vertex : public VertexBase {};
class SupervisorVertex : public VertexBase {};
class MultiVertex : public VertexBase {
public:
  static constexpr unsigned numWorkers() { return 6; }
};
template <bool IsSupervisor> struct VertexKind { typedef Vertex Type; };
template <> struct VertexKind<true> { typedef SupervisorVertex Type; };
template <bool IsSupervisor> using SupervisorVertexIf = typename VertexKind<IsSupervisor>::Type;
template <bool IsMulti> struct MultiVertexKind { typedef Vertex Type; };
template <> struct MultiVertexKind<true> { typedef MultiVertex Type; };
template <bool IsMulti> using MultiVertexIf = typename MultiVertexKind<IsMulti>::Type;

} // namespace poplar
