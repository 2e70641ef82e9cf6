#include "analyser/compare/samples.h"

#include "analyser/session/metadata_count.h"

namespace analyser::compare {

namespace {
std::optional<int64_t> positive(std::optional<int64_t> count) { return count == 0 ? std::nullopt : count; }
} // namespace

SampleCounts sampleCounts(const Session& session) {
  return {positive(metadataCount(session, "samples")), positive(metadataCount(session, "batch_size"))};
}

} // namespace analyser::compare
