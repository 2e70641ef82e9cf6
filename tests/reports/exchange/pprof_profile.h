// A profile of pprof written for a test, by the field numbers of profile.proto.
#pragma once

#include "reports/exchange/proto_writer.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tests {

// Writes a profile in the order in which Go writes it: samples before the tables that they use.
class ProfileWriter {
public:
  uint64_t text(const std::string& words) {
    for (std::size_t i = 0; i < m_texts.size(); ++i)
      if (m_texts[i] == words) return i;
    m_texts.push_back(words);
    return m_texts.size() - 1;
  }
  void shownFirst(const std::string& type) { m_head.number(14, text(type)); } // default_sample_type
  void type(const std::string& name, const std::string& unit) { m_head.bytes(1, pair(1, text(name), 2, text(unit))); }
  void sample(std::initializer_list<uint64_t> locations, std::initializer_list<int64_t> values, bool isPacked = true) {
    reports::exchange::ProtoWriter one;
    const auto add = [&](uint32_t field, const auto& numbers) {
      std::string packed;
      for (const auto number : numbers) {
        if (!isPacked) one.number(field, uint64_t(number));
        for (uint64_t v = uint64_t(number);; v >>= 7) {
          packed.push_back(char((v & 0x7f) | (v > 0x7f ? 0x80 : 0)));
          if (v <= 0x7f) break;
        }
      }
      if (isPacked) one.bytes(field, packed);
    };
    add(1, locations), add(2, values);
    m_head.bytes(2, one.message());
  }
  void function(uint64_t id, const std::string& name) { m_tables.bytes(5, pair(1, id, 2, text(name))); }
  void location(uint64_t id, uint64_t address, std::initializer_list<uint64_t> functions, uint64_t mapping = 0) {
    reports::exchange::ProtoWriter one;
    one.number(1, id);
    if (mapping) one.number(2, mapping);
    one.number(3, address);
    for (const uint64_t f : functions) one.bytes(4, pair(1, f, 2, 12));
    m_tables.bytes(4, one.message());
  }
  void mapping(uint64_t id, const std::string& file) { m_tables.bytes(3, pair(1, id, 5, text(file))); }
  std::string bytes() const {
    reports::exchange::ProtoWriter texts;
    for (const auto& words : m_texts) texts.bytes(6, words);
    return m_head.message() + m_tables.message() + texts.message();
  }

  std::string tablesFirst() const {
    reports::exchange::ProtoWriter texts;
    for (const auto& words : m_texts) texts.bytes(6, words);
    return texts.message() + m_tables.message() + m_head.message();
  }

private:
  static std::string pair(uint32_t a, uint64_t x, uint32_t b, uint64_t y) {
    reports::exchange::ProtoWriter one;
    one.number(a, x), one.number(b, y);
    return one.message();
  }
  std::vector<std::string> m_texts{""};
  reports::exchange::ProtoWriter m_head, m_tables;
};

} // namespace tests
