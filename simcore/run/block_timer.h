// Times Blocks as a tile of each IPU would: for every execution, the begin of its first step and the end of its last step on the
// tile, in a buffer of limited size. It sees every step, also those that the trace no longer stores. A program or scope selected
// by profiler.programs.filter counts as a Block around its consecutive steps.
#pragma once

#include "reports/rows/block_records.h"
#include "reports/rows/string_pool.h"
#include "simcore/compile/compiler.h"
#include "simcore/compile/tile_sets.h"
#include "simcore/run/block_filter.h"

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simcore::run {

class BlockTimer {
public:
  // `rowIds`: program_step.id by step. All arguments except the filter must outlive it.
  BlockTimer(const compile::Executable& executable, BlockFilter filter, reports::StringPool& strings, reports::ReportSink& sink,
             const std::vector<int64_t>& rowIds);

  // The Blocks around one step, outermost first.
  struct Wanted {
    int64_t key = 0; // debug context, or ~step
    int64_t nameId = 0, step = -1;
    reports::BlockRecordKind kind = reports::BlockRecordKind::Block;
    bool goesOn = true; // false: every execution of the step begins a new one
    bool isSame(const Wanted& o) const { return key == o.key && nameId == o.nameId; }
  };
  // The Blocks of a step in a frame of calls, computed once. `path`: the debug contexts around the step in this frame.
  const std::vector<Wanted>* known(uint64_t inFrame) const;
  const std::vector<Wanted>& find(uint64_t inFrame, int step, const std::vector<int64_t>& path);

  // A list of steps that run one after the other, each `times` in a row. Order of calls: beginList, then arrive and open for each
  // step, then endList. Steps of a Call or Sequence, which are between join and leave, belong to the list around it, because a
  // layer may begin or end in a shared function.
  struct List {
    std::size_t base = 0;                           // first entry of m_open
    std::vector<const std::vector<Wanted>*> around; // Blocks of the Calls and Sequences that joined the list
    bool isPart = false;                            // part of the list around it
  };
  List beginList();                           // returns the list around it, which endList needs
  void arrive(const std::vector<Wanted>& at); // ends the Blocks that do not contain the next step
  void open(const std::vector<Wanted>& at, int64_t times);
  void endList(List outer);
  bool canJoin(int step) const;
  void join(const std::vector<Wanted>& at);
  void leave();

  void slice(int set, int64_t start, int64_t end);
  // Records the part of a stream copy on `ipu`, if the filter asks for it, on the first tile that the copy reaches.
  void streamCopy(int step, int ipu, int64_t start, int64_t cycles, int64_t times);

  struct Full {
    int ipu = 0;
    int64_t times = 0; // more than one if folded iterations of a loop filled it several times
  };
  bool anyFull() const { return !m_full.empty(); }
  std::vector<Full> takeFull() { return std::exchange(m_full, {}); }
  void beginFlush(const Full& full);
  void endFlush();

  void endRun(); // the host reads the buffers; Blocks that an error left open are dropped
  // Writes the rows, and an issue for lost records and for patterns that never matched.
  void finish() { m_writer.finish(), writeIssues(m_sink); }
  // Writes the same for the runs so far, to a sink that already has the earlier rows.
  void writeSoFar(reports::ReportSink& sink) const {
    reports::BlockRecordWriter(sink, m_writer).finish();
    writeIssues(sink);
  }

private:
  using Kind = reports::BlockRecordKind;
  struct Span {
    int64_t start = -1, end = -1;
  };
  struct Open {
    Wanted of;
    int64_t times = 1;
    std::vector<Span> spans; // by IPU
  };
  struct Buffer {
    int64_t used = 0;                                                 // records
    std::map<std::pair<int64_t, int64_t>, reports::BlockRecord> lost; // by name and step
  };
  bool isOpen(const Wanted& of, std::size_t before) const;
  const std::vector<Wanted>& withAround(const std::vector<Wanted>& at);
  void close(std::size_t at);
  void closeTo(std::size_t keep);
  void record(int ipu, const Open& block, const Span& span);
  void write(int ipu, const reports::BlockRecord& record);
  int64_t tileOfCopy(int step, int ipu);
  bool matches(bool ofBlock, const std::string& name, const std::string& path);
  void writeIssues(reports::ReportSink& sink) const;

  const compile::Executable& m_e;
  BlockFilter m_filter;
  reports::StringPool& m_strings;
  reports::ReportSink& m_sink;
  const std::vector<int64_t>& m_rowIds;
  compile::TileSets m_sets;
  compile::BlockBuffer m_buffer;
  int64_t m_capacity = 0;                              // records of a buffer
  std::vector<int> m_ipuOfSet;                         // by set, the IPU if the set has the timing tile, else -1
  std::vector<Buffer> m_buffers;                       // by IPU
  std::map<std::pair<int, int>, int64_t> m_tileOfCopy; // by step and IPU; -1: none
  std::map<int64_t, int64_t> m_copies;                 // records of copies by tile, for buffers without a flush
  std::vector<Full> m_full;
  std::vector<Open> m_open; // outermost first
  List m_list;              // the running list
  bool m_joins = false;     // the next list is part of m_list
  std::vector<Wanted> m_withAround;
  std::unordered_map<uint64_t, std::vector<Wanted>> m_wanted;
  std::unordered_map<std::string, bool> m_matches[2]; // by path: of programs, of Blocks
  reports::BlockRecordWriter m_writer;
  int64_t m_executions = 0, m_lost = 0;
  bool m_anyBlock = false, m_anyProgram = false;
};

} // namespace simcore::run
