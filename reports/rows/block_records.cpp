#include "reports/rows/block_records.h"

#include "reports/core/error.h"
#include "reports/rows/slice_track.h"

#include <algorithm>

namespace reports {

std::string_view blockRecordKindName(BlockRecordKind kind) {
  static constexpr std::string_view kNames[kBlockRecordKinds] = {"block", "program", "flush", "overflow"};
  return kNames[std::size_t(kind)];
}

void BlockRecordWriter::add(int64_t ipu, int64_t tile, const BlockRecord& record) {
  Tile& of = m_tiles[tile];
  of.ipu = ipu;
  of.records.push_back(record);
  if (int64_t(of.records.size()) == kBlockRecordsPerChunk) write(tile, of);
}

void BlockRecordWriter::finish() {
  for (auto& [tile, of] : m_tiles)
    if (!of.records.empty()) write(tile, of);
}

void BlockRecordWriter::write(int64_t tile, Tile& of) {
  BlockChunkRow row;
  row.chunk = m_nextChunk++;
  row.ipu = of.ipu;
  row.tile = tile;
  row.records = int64_t(of.records.size());
  std::vector<int64_t> names, steps, starts, durations, executions;
  for (const BlockRecord& r : of.records) {
    row.endCycle = std::max(row.endCycle, r.endCycle());
    names.push_back(r.nameId), steps.push_back(r.step);
    row.kinds.push_back(uint8_t(r.kind));
    starts.push_back(r.startCycle), durations.push_back(r.cycles);
    executions.push_back(r.executions);
  }
  row.names = packVarints(names);
  row.steps = packDeltas(steps);
  row.starts = packDeltas(starts);
  row.durations = packVarints(durations);
  row.executions = packVarints(executions);
  m_sink.add(row);
  of.records.clear();
}

std::vector<BlockRecord> decodeBlocks(const BlockChunkRow& row) {
  const auto damaged = [](const char* what) { throw Error(ErrorCode::Damaged, what, "block_chunk"); };
  const std::size_t n = std::size_t(row.records);
  if (row.kinds.size() != n) damaged("a chunk must have one kind per record");
  const auto names = unpackVarints(row.names, n, "block_chunk.names"), steps = unpackDeltas(row.steps, n, "block_chunk.steps"),
             starts = unpackDeltas(row.starts, n, "block_chunk.starts"),
             durations = unpackVarints(row.durations, n, "block_chunk.durations"),
             executions = unpackVarints(row.executions, n, "block_chunk.executions");
  std::vector<BlockRecord> records(n);
  int64_t end = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (row.kinds[i] >= kBlockRecordKinds) damaged("a Block record has an unknown kind");
    if (starts[i] < 0 || starts[i] > kMaxTick || durations[i] < 0 || durations[i] > kMaxTick - starts[i])
      damaged("a Block record has impossible cycles");
    if (executions[i] < 1 || executions[i] > kMaxTick >> 14) damaged("a Block record has an impossible number of executions");
    records[i] = {names[i], steps[i], starts[i], durations[i], executions[i], BlockRecordKind(row.kinds[i])};
    end = std::max(end, records[i].endCycle());
  }
  if (end != row.endCycle) damaged("the last Block record of a chunk does not end at the end of the chunk");
  return records;
}

} // namespace reports
