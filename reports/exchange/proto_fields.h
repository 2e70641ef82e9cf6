// The fields of a protobuf message in byte order, without a schema. A thin layer over libprotobuf's reader of the wire format.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace reports::exchange {

struct ProtoField {
  uint32_t number = 0;
  uint64_t value = 0;     // varint, fixed64 or fixed32
  std::string_view bytes; // string, bytes or message
  bool isBytes = false;

  int64_t sint() const { return int64_t(value); }
  double real() const;
};

// Calls f(field) for each field; false if the bytes are not a message. Groups are skipped.
bool forEachProtoField(std::string_view message, void (*f)(void*, const ProtoField&), void* context);
template<class F> bool forEachField(std::string_view message, F&& f) {
  return forEachProtoField(
      message, [](void* context, const ProtoField& field) { (*static_cast<std::remove_reference_t<F>*>(context))(field); }, &f);
}
// The varints of a packed field.
template<class F> void forEachPacked(std::string_view bytes, F&& f) {
  uint64_t v = 0;
  int shift = 0;
  for (const char c : bytes) {
    if (shift < 64) v |= uint64_t(uint8_t(c) & 0x7f) << shift;
    shift += 7;
    if (uint8_t(c) < 0x80) {
      f(v);
      v = 0;
      shift = 0;
    }
  }
}

} // namespace reports::exchange
