// Saved key figures of the samples: those of the defaults and of the variant of each, as last saved. They are files of
// resources/samples, one per sample, built into the program; a test compares them with fresh runs, and writes them anew
// on request.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace simcore::samples {

// cycles, compute_cycles, exchange_cycles, sync_cycles, host_cycles, idle_cycles, flops, total_bytes, max_tile_bytes,
// always_live_bytes.
using Figures = std::map<std::string, int64_t>;

struct Baseline {
  std::string sample, machine;
  Figures standard, variant; // `variant` is empty where the sample has none
};

// Null for a sample without a baseline. Throws reports::Error(Internal) if a file that was built in is damaged.
const Baseline* baselineOf(const std::string& sample);
// The text of a file.
std::string baselineText(const Baseline& baseline);

} // namespace simcore::samples
