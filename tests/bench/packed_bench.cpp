// The speed of unpacking columns: every number in a view is read in this way.
#include "reports/core/packed.h"

#include <benchmark/benchmark.h>

#include <random>

namespace {

using Values = std::vector<int64_t>;
constexpr std::size_t kCount = 1 << 20;

// Start cycles of slices: they grow, mostly by little, sometimes by much.
Values startCycles() {
  std::mt19937_64 random(1);
  Values values(kCount);
  int64_t at = 0;
  for (int64_t& v : values) v = at += int64_t(random() % 100 ? random() % 200 : random() % 1'000'000);
  return values;
}

// Bytes per tile: neighbours are mostly equal.
Values bytesPerTile() {
  std::mt19937_64 random(2);
  Values values(kCount);
  int64_t bytes = 4096;
  for (int64_t& v : values) {
    if (random() % 64 == 0) bytes = int64_t(random() % 600'000);
    v = bytes;
  }
  return values;
}

template<auto Pack, auto Unpack, auto Make> void unpack(benchmark::State& state) {
  const reports::Blob blob = Pack(Make());
  for (auto _ : state) benchmark::DoNotOptimize(Unpack(blob, kCount, "column"));
  state.SetItemsProcessed(state.iterations() * int64_t(kCount));
  state.counters["bytes_per_value"] = double(blob.size()) / double(kCount);
}

template<auto Pack, auto Make> void pack(benchmark::State& state) {
  const Values values = Make();
  for (auto _ : state) benchmark::DoNotOptimize(Pack(values));
  state.SetItemsProcessed(state.iterations() * int64_t(kCount));
}

BENCHMARK(pack<reports::packDeltas, startCycles>)->Name("pack/deltas");
BENCHMARK(unpack<reports::packDeltas, reports::unpackDeltas, startCycles>)->Name("unpack/deltas");
BENCHMARK(pack<reports::packRuns, bytesPerTile>)->Name("pack/runs");
BENCHMARK(unpack<reports::packRuns, reports::unpackRuns, bytesPerTile>)->Name("unpack/runs");

} // namespace
