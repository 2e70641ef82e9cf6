#include "reports/exchange/proto_fields.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <bit>

namespace reports::exchange {

double ProtoField::real() const { return std::bit_cast<double>(value); }

bool forEachProtoField(std::string_view message, void (*f)(void*, const ProtoField&), void* context) {
  using google::protobuf::internal::WireFormatLite;
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(message.data()), int(message.size()));
  for (;;) {
    const uint32_t tag = in.ReadTag();
    if (tag == 0) return in.CurrentPosition() == int(message.size());
    ProtoField field;
    field.number = uint32_t(WireFormatLite::GetTagFieldNumber(tag));
    switch (WireFormatLite::GetTagWireType(tag)) {
    case WireFormatLite::WIRETYPE_VARINT:
      if (!in.ReadVarint64(&field.value)) return false;
      break;
    case WireFormatLite::WIRETYPE_FIXED64:
      if (!in.ReadLittleEndian64(&field.value)) return false;
      break;
    case WireFormatLite::WIRETYPE_FIXED32: {
      uint32_t v = 0;
      if (!in.ReadLittleEndian32(&v)) return false;
      field.value = v;
      break;
    }
    case WireFormatLite::WIRETYPE_LENGTH_DELIMITED: {
      uint32_t size = 0;
      if (!in.ReadVarint32(&size)) return false;
      const auto at = std::size_t(in.CurrentPosition());
      if (size > message.size() - at || !in.Skip(int(size))) return false;
      field.bytes = message.substr(at, size);
      field.isBytes = true;
      break;
    }
    default: return false;
    }
    f(context, field);
  }
}

} // namespace reports::exchange
