#include "analyser/compare/samples.h"

#include <charconv>

namespace analyser::compare {

namespace {
std::optional<int64_t> positiveNumber(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}
} // namespace

SampleCounts sampleCounts(const Session& session) {
  return {positiveNumber(session.metadata("samples")), positiveNumber(session.metadata("batch_size"))};
}

} // namespace analyser::compare
