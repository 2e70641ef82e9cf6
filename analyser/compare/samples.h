// How many samples (images, sequences) a report's run worked through: what turns a figure into one "per sample", so that reports
// with different batches can be compared. Only reports that say so have a count; nothing is guessed from names or shapes.
#pragma once

#include "analyser/session/session.h"

namespace analyser::compare {

struct SampleCounts {
  std::optional<int64_t> run;   // over all iterations and replicas: divides cycles, seconds and FLOPs
  std::optional<int64_t> batch; // of a micro-batch, which is what lies in memory at a time: divides bytes
};
// From the metadata keys `samples` and `batch_size`; values that are no positive number count as absent.
SampleCounts sampleCounts(const Session& session);

} // namespace analyser::compare
