#include "analyser/session/metadata_count.h"

#include "analyser/session/session.h"

#include <charconv>

namespace analyser {

std::optional<int64_t> metadataCount(const Session& session, const std::string& key) {
  const std::string text = session.metadata(key);
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 0) return std::nullopt;
  return count;
}

} // namespace analyser
