#include "reports/exchange/byte_source.h"

#include "reports/core/text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace reports::exchange {

namespace stored { // named, because a member of ByteSource::State has this type

constexpr std::size_t kReadBytes = 1 << 18;

// The stored bytes, block by block.
class StoredBytes {
public:
  explicit StoredBytes(const std::filesystem::path& file) : m_name(displayText(file.string())) {
    m_fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); // a FIFO without a writer must not hang us
    struct stat st {};
    if (m_fd < 0 || ::fstat(m_fd, &st) != 0) {
      const int error = errno;
      if (m_fd >= 0) ::close(m_fd);
      throw Error(error == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                  error == ENOENT ? "no such file" : std::string("cannot open: ") + std::strerror(error), m_name);
    }
    if (!S_ISREG(st.st_mode)) {
      ::close(m_fd);
      throw Error(ErrorCode::Io, S_ISDIR(st.st_mode) ? "is a directory, not a trace" : "is not a regular file", m_name,
                  "name a trace file");
    }
    m_bytes = st.st_size;
    ::posix_fadvise(m_fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    m_block.resize(kReadBytes);
  }
  explicit StoredBytes(std::string_view bytes) : m_bytes(int64_t(bytes.size())), m_left(bytes) {}
  ~StoredBytes() {
    if (m_fd >= 0) ::close(m_fd);
  }
  StoredBytes(const StoredBytes&) = delete;
  StoredBytes& operator=(const StoredBytes&) = delete;

  // Reads until `left` is non-empty or the file is at its end.
  void fill() {
    if (!m_left.empty() || m_fd < 0) return;
    const ssize_t n = ::read(m_fd, m_block.data(), m_block.size());
    if (n < 0) throw Error(ErrorCode::Io, std::string("cannot read: ") + std::strerror(errno), m_name);
    m_left = {m_block.data(), std::size_t(n)};
    m_read += n;
  }
  std::string_view left() const { return m_left; }
  void take(std::size_t n) { m_left.remove_prefix(n); }
  int64_t bytes() const { return m_bytes; }
  int64_t taken() const { return m_fd < 0 ? m_bytes - int64_t(m_left.size()) : m_read - int64_t(m_left.size()); }

private:
  std::string m_name;
  int m_fd = -1;
  int64_t m_bytes = 0, m_read = 0;
  std::vector<char> m_block;
  std::string_view m_left;
};

// Unpacks its input into `out`; returns the number of bytes written, 0 if more input is needed or at the end.
class Unpacker {
public:
  virtual ~Unpacker() = default;
  virtual std::size_t unpack(StoredBytes& stored, std::span<char> out) = 0;
  virtual bool isWhole() const = 0; // the packed data ended as its format requires
};

class GzipUnpacker final : public Unpacker {
public:
  GzipUnpacker() {
    if (inflateInit2(&m_stream, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipUnpacker() override { inflateEnd(&m_stream); }
  std::size_t unpack(StoredBytes& stored, std::span<char> out) override {
    if (m_memberEnded && !startsMember(stored)) return 0;
    m_stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.left().data()));
    m_stream.avail_in = uInt(stored.left().size());
    m_stream.next_out = reinterpret_cast<Bytef*>(out.data());
    m_stream.avail_out = uInt(std::min<std::size_t>(out.size(), 1u << 30));
    const uInt before = m_stream.avail_out;
    if (m_memberEnded && m_stream.avail_in > 0) {
      inflateReset(&m_stream);
      m_memberEnded = false;
    }
    const int code = inflate(&m_stream, Z_NO_FLUSH);
    stored.take(stored.left().size() - m_stream.avail_in);
    if (code == Z_STREAM_END)
      m_memberEnded = true;
    else if (code != Z_OK && code != Z_BUF_ERROR && before == m_stream.avail_out)
      throw Error(ErrorCode::Damaged, m_stream.msg && std::string_view(m_stream.msg) == "incorrect data check"
                                          ? "its checksum does not match its content"
                                          : "the compressed data is damaged");
    return before - m_stream.avail_out;
  }
  bool isWhole() const override { return m_memberEnded; }

private:
  // Whether another member follows. Tapes and block devices pad with zeros, which are ignored.
  static bool startsMember(StoredBytes& stored) {
    const std::size_t zeros = std::min(stored.left().find_first_not_of('\0'), stored.left().size());
    stored.take(zeros);
    if (stored.left().empty()) return false;
    if (stored.left().front() != '\x1f')
      throw Error(ErrorCode::InvalidInput, "the gzip data is followed by bytes that are not gzip");
    return true;
  }
  z_stream m_stream{};
  bool m_memberEnded = false;
};

class ZstdUnpacker final : public Unpacker {
public:
  ZstdUnpacker() : m_stream(ZSTD_createDStream()) {
    if (!m_stream) throw std::bad_alloc();
  }
  ~ZstdUnpacker() override { ZSTD_freeDStream(m_stream); }
  std::size_t unpack(StoredBytes& stored, std::span<char> out) override {
    ZSTD_inBuffer in{stored.left().data(), stored.left().size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t code = ZSTD_decompressStream(m_stream, &to, &in);
    stored.take(in.pos);
    if (!ZSTD_isError(code) && (in.pos > 0 || to.pos > 0)) m_isWhole = code == 0;
    if (ZSTD_isError(code)) throw Error(ErrorCode::Damaged, "the compressed data is damaged");
    return to.pos;
  }
  bool isWhole() const override { return m_isWhole; }

private:
  ZSTD_DStream* m_stream;
  bool m_isWhole = false; // the last frame ended
};

std::unique_ptr<Unpacker> unpackerFor(std::string_view head) {
  if (head.starts_with("\x1f\x8b")) return std::make_unique<GzipUnpacker>();
  if (head.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<ZstdUnpacker>();
  return nullptr;
}

// Converts UTF-16 to UTF-8: text written by PowerShell.
class Utf16 {
public:
  // Whether the text starts with a byte order mark, or has zero bytes between its first letters.
  static bool isThere(std::string_view head) {
    if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) return true;
    return head.size() >= 16 && (alternates(head, 0) || alternates(head, 1));
  }
  explicit Utf16(std::string_view head)
      : m_isBigEndian(head.starts_with("\xfe\xff") || (!head.starts_with("\xff\xfe") && alternates(head, 0))) {}
  void add(std::string_view bytes) {
    for (const char c : bytes) {
      if (!std::exchange(m_hasHalf, !m_hasHalf)) {
        m_half = uint8_t(c);
        continue;
      }
      addUnit(m_isBigEndian ? m_half << 8 | uint8_t(c) : uint32_t(uint8_t(c)) << 8 | m_half);
    }
  }
  std::size_t take(std::span<char> out) {
    const std::size_t n = std::min(out.size(), m_text.size() - m_taken);
    std::memcpy(out.data(), m_text.data() + m_taken, n);
    m_taken += n;
    if (m_taken == m_text.size()) m_text.clear(), m_taken = 0;
    return n;
  }

private:
  static bool alternates(std::string_view head, std::size_t zeros) {
    for (std::size_t i = 0; i < 16; ++i)
      if ((head[i] == '\0') != (i % 2 == zeros) || (i % 2 != zeros && uint8_t(head[i]) >= 0x80)) return false;
    return true;
  }
  void addUnit(uint32_t unit) {
    if (unit >= 0xd800 && unit < 0xdc00) {
      m_high = unit;
      return;
    }
    const bool isLow = unit >= 0xdc00 && unit < 0xe000;
    const uint32_t character = isLow && m_high ? 0x10000 + ((m_high - 0xd800) << 10) + (unit - 0xdc00) : unit;
    m_high = 0;
    if (character != 0xfeff) appendCharacter(m_text, char32_t(character));
  }
  bool m_isBigEndian, m_hasHalf = false;
  uint32_t m_half = 0, m_high = 0;
  std::string m_text;
  std::size_t m_taken = 0;
};

} // namespace stored

using namespace stored;

struct ByteSource::State {
  template<class From> explicit State(const From& from) : stored(from) {
    stored.fill();
    unpacker = unpackerFor(stored.left());
  }
  StoredBytes stored;
  std::unique_ptr<Unpacker> unpacker;
  std::optional<Utf16> utf16;
  int64_t given = 0;
  bool ended = false, isFollowed = false, isLooked = false;
  std::string reason;
  std::string head; // unpacked bytes that were examined but not returned yet

  std::size_t readBytes(std::span<char> out);
};

ByteSource::ByteSource(const std::filesystem::path& file) : m_state(std::make_unique<State>(file)) {}
ByteSource::ByteSource(std::string_view bytes) : m_state(std::make_unique<State>(bytes)) {}
ByteSource::~ByteSource() = default;

std::size_t ByteSource::read(std::span<char> out) {
  State& s = *m_state;
  constexpr std::size_t kLooked = 64, kPiece = 1 << 16;
  if (!s.isLooked) {
    s.isLooked = true;
    s.head.resize(kLooked);
    s.head.resize(s.readBytes({s.head.data(), kLooked}));
    if (Utf16::isThere(s.head)) s.utf16.emplace(s.head);
  }
  std::size_t filled = 0;
  const auto takeHead = [&](std::span<char> to) {
    const std::size_t n = std::min(to.size(), s.head.size());
    std::memcpy(to.data(), s.head.data(), n);
    s.head.erase(0, n);
    return n;
  };
  if (!s.utf16) {
    if (!s.head.empty()) filled = takeHead(out);
    return filled + s.readBytes(out.subspan(filled));
  }
  std::string piece(kPiece, '\0');
  while (filled < out.size()) {
    if (const std::size_t n = s.utf16->take(out.subspan(filled)); n > 0) {
      filled += n;
      continue;
    }
    std::size_t n = takeHead({piece.data(), piece.size()});
    n += s.readBytes({piece.data() + n, piece.size() - n});
    if (n == 0) break;
    s.utf16->add({piece.data(), n});
  }
  return filled;
}

std::size_t ByteSource::State::readBytes(std::span<char> out) {
  State& s = *this;
  std::size_t filled = 0;
  while (filled < out.size() && !s.ended) {
    s.stored.fill();
    const bool fileEnded = s.stored.left().empty();
    if (!s.unpacker) {
      const std::size_t n = std::min(out.size() - filled, s.stored.left().size());
      std::memcpy(out.data() + filled, s.stored.left().data(), n);
      s.stored.take(n);
      filled += n;
      s.ended = fileEnded;
      continue;
    }
    std::size_t n = 0;
    try {
      n = s.unpacker->unpack(s.stored, out.subspan(filled));
    } catch (const Error& error) {
      s.reason = error.message();
      s.isFollowed = error.code() == ErrorCode::InvalidInput;
      s.ended = true;
    }
    filled += n;
    s.given += int64_t(n);
    if (n == 0 && fileEnded && !s.ended) {
      s.ended = true;
      if (!s.unpacker->isWhole()) s.reason = "the compressed data is cut short";
    }
    if (s.given > kTrustedBytes && s.given / kMostUnpacking > s.stored.taken()) {
      s.reason = "it unpacks to more than " + std::to_string(kMostUnpacking) + " times its size";
      s.ended = true;
    }
  }
  return filled;
}

int64_t ByteSource::fileBytes() const { return m_state->stored.bytes(); }
double ByteSource::fraction() const {
  return m_state->stored.bytes() > 0 ? double(m_state->stored.taken()) / double(m_state->stored.bytes()) : 1;
}
bool ByteSource::isPacked() const { return m_state->unpacker != nullptr; }
const std::string& ByteSource::endReason() const { return m_state->reason; }
bool ByteSource::isFollowed() const { return m_state->isFollowed; }

Window::Window(ByteSource& source, Progress& progress, std::stop_token stop)
    : m_source(source), m_progress(progress), m_stop(std::move(stop)) {}

bool Window::grow() {
  throwIfStopped(m_stop);
  if (m_finished) return false;
  m_progress.update(m_source.fraction());
  const std::size_t kept = size();
  std::memmove(m_buffer.data(), m_buffer.data() + m_at, kept);
  m_dropped += int64_t(m_at);
  m_at = 0;
  m_size = kept;
  constexpr std::size_t kLeastRoom = 1 << 20;
  if (m_buffer.size() - kept < kLeastRoom) m_buffer.resize(std::max(2 * m_buffer.size(), kept + kLeastRoom));
  const std::size_t n = m_source.read({m_buffer.data() + kept, m_buffer.size() - kept});
  m_size += n;
  m_finished = n == 0;
  return n > 0;
}

} // namespace reports::exchange
