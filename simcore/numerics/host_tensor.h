// A dense row-major tensor in host memory. Copies and reshapes share the storage; the first write through a shared tensor copies
// it. So tensors behave as values, and weights are stored once for any number of graphs. A tensor can be deferred: its elements
// are computed at the first read, which never happens for the weights of a run without numbers.
#pragma once

#include "simcore/numerics/element_type.h"
#include "simcore/numerics/shape.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace simcore::numerics {

class HostTensor {
public:
  // An empty float tensor of shape {0}.
  HostTensor();
  // A tensor of zeros. Throws reports::Error(InvalidInput) for a shape that elementCount() rejects, OutOfMemory if memory is
  // exhausted.
  HostTensor(ElementType type, Shape shape);
  // A tensor with unspecified contents, for kernels that write every element. Throws the same errors.
  static HostTensor uninitialised(ElementType type, Shape shape);

  // Copies `values`; throws if their number does not match the shape.
  template<class T> static HostTensor of(Shape shape, std::span<const T> values) {
    HostTensor tensor = uninitialised(ElementTypeOf<T>::kType, std::move(shape));
    tensor.assign(values.data(), values.size(), sizeof(T));
    return tensor;
  }
  template<class T> static HostTensor of(Shape shape, const std::vector<T>& values) {
    return of(std::move(shape), std::span<const T>(values));
  }
  // A rank 1 tensor.
  template<class T> static HostTensor vector(const std::vector<T>& values) {
    return of(Shape{std::int64_t(values.size())}, std::span<const T>(values));
  }
  template<class T> static HostTensor scalar(T value) { return of(Shape{}, std::span<const T>(&value, 1)); }
  // Every element = `value` converted to `type`.
  static HostTensor full(ElementType type, Shape shape, double value);
  // A tensor whose elements `make` computes at the first read, once for all copies; `make` must return this type and shape.
  // Reshapes and casts of such a tensor are deferred too.
  static HostTensor deferred(ElementType type, Shape shape, std::function<HostTensor()> make);

  ElementType type() const { return m_type; }
  const Shape& shape() const { return m_shape; }
  std::size_t rank() const { return m_shape.size(); }
  std::int64_t dim(std::size_t axis) const { return m_shape[axis]; }
  std::int64_t count() const { return m_count; }
  std::size_t byteCount() const { return std::size_t(m_count) * hostSize(m_type); }

  // Views of the elements; T must be the type's C++ type (throws reports::Error(Internal) otherwise). The mutable view
  // first copies storage that is shared.
  template<class T> std::span<const T> values() const {
    requireType(ElementTypeOf<T>::kType);
    return {reinterpret_cast<const T*>(bytes()), std::size_t(m_count)};
  }
  template<class T> std::span<T> mutableValues() {
    requireType(ElementTypeOf<T>::kType);
    detach();
    return {reinterpret_cast<T*>(m_storage.get()), std::size_t(m_count)};
  }
  std::span<const std::byte> raw() const { return {bytes(), byteCount()}; }
  std::span<std::byte> mutableRaw() {
    detach();
    return {m_storage.get(), byteCount()};
  }

  // One element by its row-major index, as double or int64 for every type; for small tensors and tests. Throws
  // Error(InvalidInput) for an index out of range.
  double at(std::int64_t index) const;
  std::int64_t integerAt(std::int64_t index) const;
  // All elements converted (floats to integers truncate and saturate, NaN to 0).
  std::vector<double> toDoubles() const;
  std::vector<std::int64_t> toIntegers() const;

  // Same elements, other shape of equal count (throws InvalidInput otherwise); shares the storage.
  HostTensor reshaped(Shape shape) const;
  // Elements converted: to Bool as "not zero", from float to integer by truncation with saturation (NaN gives 0), to Half and to
  // 8-bit floats by rounding to nearest even (8-bit floats also saturate). Shares the storage if the type is already right.
  HostTensor cast(ElementType type) const;
  // Converts to an 8-bit float without saturation: values that are too large become infinity, or NaN for types without infinity.
  HostTensor castUnsaturated(ElementType type) const;
  // For a float tensor, a float tensor with every value rounded to the nearest half (the evaluator's fp16 mode). Other types are
  // returned unchanged.
  HostTensor roundedToHalf() const;

  // Whether type, shape and every byte are equal.
  bool identicalTo(const HostTensor& other) const;
  bool sharesStorageWith(const HostTensor& other) const { return bytes() == other.bytes(); }
  // Whether the elements are deferred and not computed yet.
  bool waits() const;

private:
  void requireElement(std::int64_t index) const;
  struct Promise;
  const std::byte* bytes() const { return m_promise ? kept() : m_storage.get(); }
  const std::byte* kept() const; // the elements of a deferred tensor, computed if necessary
  void requireType(ElementType type) const;
  void detach();
  void assign(const void* values, std::size_t count, std::size_t size);

  ElementType m_type = ElementType::Float;
  Shape m_shape{0};
  std::int64_t m_count = 0;
  std::shared_ptr<std::byte> m_storage; // 64-byte aligned; null for a deferred tensor
  std::shared_ptr<Promise> m_promise;
};

} // namespace simcore::numerics
