#include "reports/exchange/proto_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

namespace reports::exchange {

namespace {
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

void appendVarint(std::string& out, uint64_t value) {
  uint8_t buffer[10];
  uint8_t* const end = CodedOutputStream::WriteVarint64ToArray(value, buffer);
  out.append(reinterpret_cast<const char*>(buffer), std::size_t(end - buffer));
}
} // namespace

void ProtoWriter::number(uint32_t field, uint64_t value) {
  appendVarint(m_message, WireFormatLite::MakeTag(int(field), WireFormatLite::WIRETYPE_VARINT));
  appendVarint(m_message, value);
}

void ProtoWriter::fixed(uint32_t field, uint64_t value) {
  appendVarint(m_message, WireFormatLite::MakeTag(int(field), WireFormatLite::WIRETYPE_FIXED64));
  uint8_t buffer[8];
  CodedOutputStream::WriteLittleEndian64ToArray(value, buffer);
  m_message.append(reinterpret_cast<const char*>(buffer), sizeof buffer);
}

void ProtoWriter::bytes(uint32_t field, std::string_view value) {
  appendVarint(m_message, WireFormatLite::MakeTag(int(field), WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
  appendVarint(m_message, value.size());
  m_message += value;
}

} // namespace reports::exchange
