// The contract of every importer: any bytes give rows that keep the rules of the report, or one Error. The rows are decoded again.
#pragma once

#include "reports/exchange/byte_source.h"
#include "reports/exchange/trace_writer.h"
#include "reports/rows/slice_decode.h"
#include "tests/support/row_collector.h"

#include <cstdlib>

namespace fuzz {

inline void requireGood(bool good) {
  if (!good) std::abort();
}

// `read` is the importer.
template<class Read> void importBytes(const uint8_t* bytes, std::size_t size, Read&& read) {
  using namespace reports;
  tests::RowCollector rows;
  exchange::TraceAssembly assembly(rows);
  NoProgress progress;
  exchange::ByteSource source(std::string_view(reinterpret_cast<const char*>(bytes), size));
  exchange::Window window(source, progress, {});
  assembly.addSource("fuzz");
  try {
    window.grow();
    read(window, assembly);
    exchange::writeTrace(assembly, {}, progress, {});
  } catch (const Error& error) {
    return requireGood(error.code() != ErrorCode::Internal && error.code() != ErrorCode::Damaged);
  }
  for (const auto& chunk : rows.rows<SliceChunkRow>()) decodeChunk(chunk);
  for (const auto& chunk : rows.rows<InstantChunkRow>()) decodeInstants(chunk);
  for (const auto& chunk : rows.rows<CounterChunkRow>()) decodeCounter(chunk);
  for (const auto& level : rows.rows<CounterLevelRow>()) decodeLevel(level);
  for (const auto& chunk : rows.rows<DetailsChunkRow>()) decodeDetails(chunk);
  int64_t flows = 0;
  for (const auto& chunk : rows.rows<FlowChunkRow>()) flows += int64_t(decodeFlows(chunk).size());
  requireGood(flows == assembly.sources()[0].counts.flowArrows);
}

} // namespace fuzz
