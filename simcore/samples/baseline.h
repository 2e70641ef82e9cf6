// Key figures of the samples as last saved, with default parameters and in the sample's variant. They are files in
// resources/samples, one per sample, built into the program. A test compares them with fresh runs, and on request writes them
// anew.
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
  Figures standard, variant; // `variant` is empty if the sample has none
};

// Null for a sample without a baseline. Throws reports::Error(Internal) if its built-in file is damaged.
const Baseline* baselineOf(const std::string& sample);
// The text of a baseline's file.
std::string baselineText(const Baseline& baseline);

} // namespace simcore::samples
