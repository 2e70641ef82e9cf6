// Executions of Blocks timed by tiles, to and from the packed rows of block_chunk. A record of several executions means that they
// were lost or equal.
#pragma once

#include "reports/rows/report_sink.h"

#include <map>
#include <string_view>
#include <vector>

namespace reports {

inline constexpr int64_t kBlockRecordsPerChunk = 16384;

enum class BlockRecordKind : uint8_t {
  Block,    // of the program
  Program,  // a program in an implicit Block
  Flush,    // transfer of the full buffer to the host
  Overflow, // lost, because the buffer was full
};
inline constexpr int kBlockRecordKinds = 4;
std::string_view blockRecordKindName(BlockRecordKind kind); // "block", "program", "flush", "overflow"

struct BlockRecord {
  int64_t nameId = 0;
  int64_t step = -1; // program_step.id; -1: a scope of debug contexts
  int64_t startCycle = 0, cycles = 0;
  int64_t executions = 1;
  BlockRecordKind kind = BlockRecordKind::Block;

  int64_t endCycle() const { return startCycle + cycles; }
  bool operator==(const BlockRecord&) const = default;
};

// Collects the records of each tile and writes a row per 16,384 records of a tile.
class BlockRecordWriter {
public:
  explicit BlockRecordWriter(ReportSink& sink) : m_sink(sink) {}
  // A copy of `other` that writes its unwritten records to another sink.
  BlockRecordWriter(ReportSink& sink, const BlockRecordWriter& other)
      : m_sink(sink), m_tiles(other.m_tiles), m_nextChunk(other.m_nextChunk) {}
  void add(int64_t ipu, int64_t tile, const BlockRecord& record);
  void finish(); // writes the remaining records

private:
  struct Tile {
    int64_t ipu = 0;
    std::vector<BlockRecord> records;
  };
  void write(int64_t tile, Tile& of);

  ReportSink& m_sink;
  std::map<int64_t, Tile> m_tiles;
  int64_t m_nextChunk = 0;
};

// Throws Error(Damaged) if the row's data contradict its fields.
std::vector<BlockRecord> decodeBlocks(const BlockChunkRow& row);

} // namespace reports
