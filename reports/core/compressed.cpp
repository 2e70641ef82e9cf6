#include "reports/core/compressed.h"

#include "reports/core/error.h"

#include <zstd.h>

#include <memory>
#include <string>

namespace reports {

namespace {
constexpr int kFastLevel = 1; // 400 MB/s; higher levels save little on JSON of traces
} // namespace

Blob compress(std::string_view text) {
  // One context per thread: making one costs more than compressing a small text.
  thread_local const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  Blob frame(ZSTD_compressBound(text.size()));
  const std::size_t size = ZSTD_compressCCtx(context.get(), frame.data(), frame.size(), text.data(), text.size(), kFastLevel);
  if (ZSTD_isError(size)) throw Error(ErrorCode::Internal, std::string("cannot compress: ") + ZSTD_getErrorName(size));
  frame.resize(size);
  return frame;
}

std::string decompress(std::span<const uint8_t> frame, std::size_t bytes, std::string_view what) {
  const auto fail = [&] { throw Error(ErrorCode::Damaged, "compressed text is cut short or malformed", std::string(what)); };
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != bytes) fail();
  std::string text(bytes, '\0');
  const std::size_t size = ZSTD_decompress(text.data(), text.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) || size != bytes) fail();
  return text;
}

} // namespace reports
