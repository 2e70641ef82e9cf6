#include "simcore/numerics/host_tensor.h"

#include "reports/core/error.h"
#include "simcore/numerics/host_memory.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

namespace simcore::numerics {

namespace {
using Storage = std::shared_ptr<std::byte>;

Storage storageOrError(Storage storage, std::size_t bytes, const Shape& shape) {
  if (storage) return storage;
  throw reports::Error(reports::ErrorCode::OutOfMemory,
                       "no host memory for a tensor of " + toString(shape) + " (" + std::to_string(bytes) +
                           " bytes): the values of a run may take " + std::to_string(hostMemoryLimit()) + " bytes together",
                       {}, "make the model smaller, or compute no numbers");
}
Storage allocate(std::size_t bytes, const Shape& shape) { return storageOrError(countedMemory(bytes), bytes, shape); }
Storage allocateZeros(std::size_t bytes, const Shape& shape) { return storageOrError(zeroedMemory(bytes), bytes, shape); }

template<class T> double widen(T value) {
  if constexpr (kStoresFloat<T>)
    return double(float(value));
  else
    return double(value);
}

// Saturates, so that casts give the same result with every compiler.
template<class To, class From> To narrow(From value) {
  if constexpr (kStoresFloat<From>) {
    return narrow<To>(float(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (kStoresFloat<To>) {
    return To(float(value));
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    if (std::isnan(value)) return To{};
    if (value <= From(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (value >= From(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return To(value);
  } else {
    return To(value);
  }
}
} // namespace

struct HostTensor::Promise {
  std::once_flag made;
  std::function<HostTensor()> make;
  std::shared_ptr<std::byte> storage;
  std::atomic<bool> kept = false;
};

HostTensor::HostTensor() : m_storage(allocate(0, {})) {}

HostTensor::HostTensor(ElementType type, Shape shape) {
  m_type = type;
  m_count = elementCount(shape);
  m_shape = std::move(shape);
  m_storage = allocateZeros(byteCount(), m_shape);
}

HostTensor HostTensor::uninitialised(ElementType type, Shape shape) {
  HostTensor tensor;
  tensor.m_type = type;
  tensor.m_count = elementCount(shape);
  tensor.m_shape = std::move(shape);
  tensor.m_storage = allocate(tensor.byteCount(), tensor.m_shape);
  return tensor;
}

HostTensor HostTensor::full(ElementType type, Shape shape, double value) {
  HostTensor tensor = uninitialised(type, std::move(shape));
  visitAny(type, [&](auto zero) {
    using T = decltype(zero);
    for (T& element : tensor.mutableValues<T>()) element = narrow<T>(value);
  });
  return tensor;
}

HostTensor HostTensor::deferred(ElementType type, Shape shape, std::function<HostTensor()> make) {
  HostTensor tensor;
  tensor.m_type = type;
  tensor.m_count = elementCount(shape);
  tensor.m_shape = std::move(shape);
  tensor.m_storage.reset();
  tensor.m_promise = std::make_shared<Promise>();
  tensor.m_promise->make = std::move(make);
  return tensor;
}

const std::byte* HostTensor::kept() const {
  std::call_once(m_promise->made, [this] {
    const HostTensor value = m_promise->make();
    if (value.type() != m_type || value.count() != m_count)
      throw reports::Error(reports::ErrorCode::Internal, "deferred elements have another type or number than promised",
                           toString(m_shape));
    m_promise->storage = value.m_promise ? (value.kept(), value.m_promise->storage) : value.m_storage;
    m_promise->make = nullptr;
    m_promise->kept = true;
  });
  return m_promise->storage.get();
}

bool HostTensor::waits() const { return m_promise && !m_promise->kept; }

void HostTensor::requireType(ElementType type) const {
  if (type != m_type)
    throw reports::Error(reports::ErrorCode::InvalidInput, std::string("a tensor of ") + elementTypeName(m_type) +
                                                               " is given where " + elementTypeName(type) + " is needed");
}

void HostTensor::detach() {
  if (m_promise) {
    kept();
    m_storage = m_promise->storage; // still shared if the promise has other owners
    m_promise.reset();
  }
  if (m_storage.use_count() == 1) return;
  auto copy = allocate(byteCount(), m_shape);
  std::memcpy(copy.get(), m_storage.get(), byteCount());
  m_storage = std::move(copy);
}

void HostTensor::assign(const void* source, std::size_t count, std::size_t size) {
  if (std::int64_t(count) != m_count)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         std::to_string(count) + " values given for a tensor of " + toString(m_shape));
  if (count) std::memcpy(m_storage.get(), source, count * size);
}

void HostTensor::requireElement(std::int64_t index) const {
  if (index < 0 || index >= m_count)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "a tensor of the shape " + toString(m_shape) + " has no element " + std::to_string(index));
}

double HostTensor::at(std::int64_t index) const {
  requireElement(index);
  return visitAny(m_type, [&](auto zero) { return widen(values<decltype(zero)>()[std::size_t(index)]); });
}

std::int64_t HostTensor::integerAt(std::int64_t index) const {
  requireElement(index);
  return visitAny(m_type, [&](auto zero) { return narrow<std::int64_t>(values<decltype(zero)>()[std::size_t(index)]); });
}

std::vector<double> HostTensor::toDoubles() const {
  std::vector<double> result;
  result.reserve(std::size_t(m_count));
  visitAny(m_type, [&](auto zero) {
    for (const auto value : values<decltype(zero)>()) result.push_back(widen(value));
  });
  return result;
}

std::vector<std::int64_t> HostTensor::toIntegers() const {
  std::vector<std::int64_t> result;
  result.reserve(std::size_t(m_count));
  visitAny(m_type, [&](auto zero) {
    for (const auto value : values<decltype(zero)>()) result.push_back(narrow<std::int64_t>(value));
  });
  return result;
}

HostTensor HostTensor::reshaped(Shape shape) const {
  if (elementCount(shape) != m_count)
    throw reports::Error(reports::ErrorCode::InvalidInput,
                         "a tensor of " + toString(m_shape) + " cannot be reshaped to " + toString(shape));
  HostTensor result = *this;
  result.m_shape = std::move(shape);
  return result;
}

HostTensor HostTensor::cast(ElementType type) const {
  if (type == m_type) return *this;
  if (waits()) return deferred(type, m_shape, [self = *this, type] { return self.bytes() ? self.cast(type) : HostTensor(); });
  HostTensor result = uninitialised(type, m_shape);
  visitAny(m_type, [&](auto from) {
    using From = decltype(from);
    const From* source = values<From>().data();
    visitAny(type, [&](auto to) {
      using To = decltype(to);
      To* target = result.mutableValues<To>().data();
      for (std::int64_t i = 0; i < m_count; ++i) target[i] = narrow<To>(source[i]);
    });
  });
  return result;
}

HostTensor HostTensor::castUnsaturated(ElementType type) const {
  if (!isFloat8(type)) return cast(type);
  const HostTensor source = cast(ElementType::Float);
  HostTensor result = uninitialised(type, m_shape);
  visitAny(type, [&](auto to) {
    using To = decltype(to);
    if constexpr (kStoresFloat<To> && sizeof(To) == 1) {
      To* target = result.mutableValues<To>().data();
      for (const float value : source.values<float>()) *target++ = To::unsaturated(value);
    }
  });
  return result;
}

HostTensor HostTensor::roundedToHalf() const {
  if (m_type != ElementType::Float) return *this;
  if (waits()) return deferred(m_type, m_shape, [self = *this] { return self.bytes() ? self.roundedToHalf() : HostTensor(); });
  HostTensor result = uninitialised(m_type, m_shape);
  const float* source = values<float>().data();
  float* target = result.mutableValues<float>().data();
  for (std::int64_t i = 0; i < m_count; ++i) target[i] = halfValue(halfBits(source[i]));
  return result;
}

bool HostTensor::identicalTo(const HostTensor& other) const {
  return m_type == other.m_type && m_shape == other.m_shape &&
         (bytes() == other.bytes() || !std::memcmp(bytes(), other.bytes(), byteCount()));
}

} // namespace simcore::numerics
