// How many samples (images, sequences) a report's run processed. It turns a figure into one "per sample", so that reports with
// different batches can be compared. Only a report that states the number has one; nothing is guessed from names or shapes.
#pragma once

#include "analyser/session/session.h"

namespace analyser::compare {

struct SampleCounts {
  std::optional<int64_t> run;   // samples over all iterations and replicas; cycles, seconds and FLOPs are divided by it
  std::optional<int64_t> batch; // samples of a micro-batch, in memory at the same time; bytes are divided by it
};
// From the metadata keys `samples` and `batch_size`; values that are not positive numbers count as absent.
SampleCounts sampleCounts(const Session& session);

} // namespace analyser::compare
