#include "reports/exchange/perfetto_trace.h"

#include "reports/exchange/perfetto_events.h"
#include "reports/exchange/proto_fields.h"

#include <zlib.h>

#include <array>

namespace reports::exchange {

namespace {

constexpr uint64_t kMostPacketBytes = uint64_t(256) << 20;
constexpr std::size_t kMostUnpackedBytes = std::size_t(512) << 20; // of one packet that contains compressed packets

// A varint at the start of `bytes`, and its size; nothing if it is truncated or too long.
std::optional<uint64_t> varintAt(std::string_view bytes, std::size_t& size) {
  uint64_t v = 0;
  for (size = 0; size < bytes.size() && size < 10; ++size) {
    v |= uint64_t(uint8_t(bytes[size]) & 0x7f) << (7 * size);
    if (uint8_t(bytes[size]) < 0x80) return ++size, v;
  }
  return std::nullopt;
}

std::optional<std::string> inflated(std::string_view packed) {
  std::string out;
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = uInt(packed.size());
  std::array<char, 1 << 16> block;
  int code = Z_OK;
  while (code == Z_OK && out.size() < kMostUnpackedBytes) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = uInt(block.size());
    code = inflate(&stream, Z_NO_FLUSH);
    out.append(block.data(), block.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (code != Z_STREAM_END) return std::nullopt;
  return out;
}

class PerfettoReader {
public:
  PerfettoReader(Window& window, TraceAssembly& assembly) : m_window(window), m_assembly(assembly), m_events(assembly) {}

  void read() {
    while (readTopField()) {
    }
    m_events.finish();
  }

private:
  // One field of Trace; false at the end.
  bool readTopField() {
    while (m_window.size() < 20 && m_window.grow()) {
    }
    const std::string_view rest(m_window.at(), m_window.size());
    if (rest.empty()) return false;
    std::size_t tagSize = 0, lengthSize = 0;
    const auto tag = varintAt(rest, tagSize);
    const auto length = tag ? varintAt(rest.substr(tagSize), lengthSize) : std::nullopt;
    if (!length || (*tag & 7) != 2 || *length > kMostPacketBytes) return torn();
    const std::size_t whole = tagSize + lengthSize + std::size_t(*length);
    while (m_window.size() < whole)
      if (!m_window.grow()) return torn();
    if (*tag >> 3 == 1) addPacket({m_window.at() + tagSize + lengthSize, std::size_t(*length)});
    m_window.advanceTo(m_window.at() + whole);
    return true;
  }
  bool torn() {
    m_assembly.counts().mend(Mend::TornFile);
    return false;
  }

  void addPacket(std::string_view packet) {
    std::string_view compressed;
    const bool whole = forEachField(packet, [&](const ProtoField& f) {
      if (f.number == 50 && f.isBytes) compressed = f.bytes;
    });
    if (!whole) return m_assembly.counts().mend(Mend::UnreadableEvents);
    if (compressed.empty()) return m_events.add(packet);
    const auto text = inflated(compressed);
    if (!text) return m_assembly.counts().mend(Mend::UnreadableEvents);
    forEachField(*text, [&](const ProtoField& f) {
      if (f.number == 1 && f.isBytes) m_events.add(f.bytes);
    });
  }

  Window& m_window;
  TraceAssembly& m_assembly;
  PerfettoEvents m_events;
};

} // namespace

bool looksLikePerfetto(std::string_view head) {
  std::size_t at = 0;
  for (int packets = 0; packets < 3; ++packets) {
    std::size_t size = 0;
    if (at >= head.size()) return packets > 0;
    if (head[at] != '\x0a') return false;
    const auto length = varintAt(head.substr(at + 1), size);
    if (!length || *length > kMostPacketBytes) return false;
    at += 1 + size;
    if (*length > head.size() - at) return packets > 0 || head.size() - at > 64;
    if (!forEachField(head.substr(at, std::size_t(*length)), [](const ProtoField&) {})) return false;
    at += std::size_t(*length);
  }
  return true;
}

void readPerfetto(Window& window, TraceAssembly& assembly) { PerfettoReader(window, assembly).read(); }

} // namespace reports::exchange
