// Records executed steps as slices (the run, the scopes around a step, the step) on one track per IPU, and on one more for its
// I/O tiles if it has any. Also sums up operations and tiles.
#pragma once

#include "reports/rows/report_sink.h"
#include "reports/rows/slice_track.h"
#include "simcore/compile/compiler.h"
#include "simcore/compile/report_rows.h"
#include "simcore/compile/tile_sets.h"
#include "simcore/run/block_timer.h"
#include "simcore/run/call_frames.h"
#include "simcore/run/hidden_transfers.h"
#include "simcore/run/step_way.h"

#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace simcore::run {

using compile::Executable;
using compile::Step;
using reports::Activity;
using reports::Cycles;

class ExecutionRecorder {
public:
  // Slices beyond `maxSlices` are counted but not stored; finish() writes an issue about them. Blocks that match the filter are
  // timed if the executable has a buffer for them.
  ExecutionRecorder(const Executable& executable, reports::StringPool& strings, reports::ReportSink& sink, int64_t maxSlices,
                    const BlockFilter& blocks = {});

  void beginRun(const std::string& name, int rootStep, int64_t startCycle);
  // Until the matching end, steps are in one more scope, named after step `index`, e.g. a phase of the program.
  void beginBlock(int index);
  void endBlock() { m_blocks.pop_back(); }
  // Until the matching end, steps belong to the function that this step calls.
  void beginCall(int index) { m_calls.begin(m_e.program.steps[std::size_t(index)]); }
  void endCall() { m_calls.end(); }
  // Null if no Blocks are timed.
  BlockTimer* blockTimer() { return m_blockTimer.get(); }
  // The timed Blocks around a step in the current frame of calls.
  const std::vector<BlockTimer::Wanted>& timedBlocks(int step);
  // Records an execution of a leaf step. slice() then adds its times.
  void executed(int index, const StepWay& way);
  // Records the time of the execution on one of the participating sets of tiles (compile::TileSets), with `cycles` per execution.
  void slice(int index, int set, int64_t startCycle, int64_t cycles, const StepWay& way);
  int64_t nextRun() const { return m_nextRun; } // run.id that beginRun() gives next
  void foldedIterations(int64_t count) { m_run.foldedIterations += count; }
  void endRun(int64_t endCycle);

  // Writes tracks, step profiles, stream copies, operations and per-tile sums.
  void finish();
  // Writes the same for the runs so far, to a sink that already has the earlier rows.
  void writeSoFar(reports::ReportSink& sink);
  int64_t tracks() const { return int64_t(m_tracks.size()); }

private:
  struct Scope {
    int64_t nameId, start, context;
    int64_t block = -1;
  };
  struct Block {
    int64_t nameId, number;
  };
  struct Track {
    std::unique_ptr<reports::SliceTrackBuilder> slices;
    std::vector<Scope> open;
    int64_t end = 0;
    std::array<int64_t, reports::kActivityCount> cycles{}; // of this run
  };
  void startTracks();
  void sumUpRun();
  int64_t nameOf(int step);
  void closeScopes(Track& track, std::size_t keep, int64_t at);
  void openScopes(Track& track, const std::vector<int64_t>& path, int64_t at);
  const std::vector<int64_t>& pathOf(int step);
  void writeSums(reports::ReportSink& sink);
  compile::CountedSets countedSets() const;
  void writeOmitted(reports::ReportSink& sink);
  void writeOperations(reports::ReportSink& sink);
  void writeProfiles(reports::ReportSink& sink);
  void writeProfile(int index, int64_t id, int64_t executions, const StepWay& way, reports::ReportSink& sink);
  // Cycles of one execution beyond the compiled ones.
  int64_t extraOf(int index, const StepWay& way) const;
  void writeTileSums(reports::ReportSink& sink);

  const Executable& m_e;
  reports::StringPool& m_strings;
  reports::ReportSink& m_sink;
  int64_t m_maxSlices, m_slicesLeft;
  int64_t m_slicesOmitted = 0, m_traceEnd = 0; // number of slices beyond the limit, and the cycle of the first of them
  compile::TileSets m_sets;
  std::vector<Track> m_tracks;              // by set
  std::vector<HiddenTransfers> m_transfers; // transfers of this run by IPU; only with I/O tiles
  reports::RunRow m_run;
  int64_t m_nextRun = 0;
  std::vector<Block> m_blocks; // open ones, outermost first
  int64_t m_nextBlock = 0;
  std::vector<int64_t> m_executions; // by step
  // The executions of a step on behalf of another operation.
  struct Called {
    int64_t executions = 0, extra = 0; // extra: cycles of all executions beyond the compiled ones
  };
  static uint64_t inFrame(int frame, int step) { return uint64_t(frame + 1) << 32 | uint32_t(step); }
  CallFrames m_calls;
  std::unordered_map<uint64_t, Called> m_called; // by frame and step: inFrame()
  std::vector<bool> m_ranItself;                 // by step: executed outside of such calls
  std::vector<std::pair<int, int>> m_order;      // all (frame, step) pairs, in the order of their first execution
  struct OwnProfile {
    int64_t id, executions;
  };
  std::map<int, std::map<StepWay, OwnProfile>> m_ways; // by step; absent if all executions have the compiled cost
  int64_t m_nextProfile = 0;
  std::vector<int64_t> m_nameId;                              // by step; -1: not determined yet
  std::unordered_map<uint64_t, std::vector<int64_t>> m_paths; // by inFrame(): debug contexts around a step, outermost first
  std::vector<int64_t> m_rowId;                               // program_step.id by step
  std::unique_ptr<BlockTimer> m_blockTimer;
};

} // namespace simcore::run
