// Builds a protobuf message field by field, without a schema.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace reports::exchange {

class ProtoWriter {
public:
  void number(uint32_t field, uint64_t value);
  void real(uint32_t field, double value) { fixed(field, std::bit_cast<uint64_t>(value)); }
  void fixed(uint32_t field, uint64_t value);
  void bytes(uint32_t field, std::string_view value);
  const std::string& message() const { return m_message; }
  void clear() { m_message.clear(); }

private:
  std::string m_message;
};

} // namespace reports::exchange
