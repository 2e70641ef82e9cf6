// Runs an executable: computes the numbers of every step on host tensors and advances the clock. One walk does both, because the
// iterations of a loop can depend on data.
#pragma once

#include "simcore/graph/across_replicas.h"
#include "simcore/run/execution_recorder.h"
#include "simcore/run/host_streams.h"
#include "simcore/run/host_timeline.h"
#include "simcore/run/program_length.h"
#include "simcore/run/still_loops.h"
#include "simcore/run/tensor_store.h"
#include "simcore/run/vertex_runner.h"

#include <iosfwd>
#include <map>
#include <memory>

namespace simcore::run {

struct EngineOptions {
  bool numbers = true;                 // false: time only; loops with constant counts are simulated once and multiplied
  int64_t maxSlices = 4'000'000;       // stored execution slices over all IPUs
  int64_t shownIterations = 64;        // of a loop if only time is simulated; the rest is folded
  int64_t maxIterations = 1'000'000;   // of a data-dependent loop (some seconds); more are an error
  int64_t hostCallCycles = 0;          // host cycles before every run (host_call.h)
  int64_t hostSyncTimeout = 0;         // seconds of the machine's clock without the host; more are an error; 0: no limit
  double maxSteps = 2e9;               // steps walked in a run (about ten minutes); more are an error before the run
  std::ostream* printStream = nullptr; // where PrintTensor writes; null: standard error
  bool prefetch = true;                // streams with callbacks are filled in advance
  bool checkReads = false;             // reading an element that nothing wrote is an error
  uint64_t seed = 0;                   // for stochastic rounding and random numbers
  int replicas = 1;        // only if numbers are computed: replicas take a stream's values in turn; the time counts one replica
  bool sameInputs = false; // all replicas get the same inputs; output streams get those of the first
  graph::FloatingPointBehaviour floatingPoint = {}; // until a program changes it
  VertexOptions vertices = {};
};

struct Standstill;

// over 40 methods because it mirrors Poplar's public Engine
class Engine {
public:
  // `recorder` may be null: nothing is recorded. An executable passed by reference must outlive the engine, one that is moved
  // in belongs to the engine. `timeline` may be null.
  Engine(const Executable& executable, EngineOptions options, ExecutionRecorder* recorder, HostTimeline* timeline = nullptr);
  Engine(Executable&& executable, EngineOptions options, ExecutionRecorder* recorder, HostTimeline* timeline = nullptr)
      : Engine(std::make_shared<const Executable>(std::move(executable)), std::move(options), recorder, timeline) {}

  // Sets the values that a host-to-device stream delivers, one per transfer; the last one repeats. An unknown name is ignored,
  // because a model may list unused inputs.
  void connectInput(const std::string& stream, std::vector<numerics::HostTensor> values);
  // The data that an unconnected device-to-host stream received in the last run, in order.
  const std::vector<numerics::HostTensor>& received(const std::string& stream) const;

  // As in Poplar, the memory belongs to the caller, has the stream's type and must outlive the engine. With an end it is a
  // circular buffer of transfers, without one every transfer uses the same bytes. Throws Error(NotFound) for an unknown handle,
  // Error(InvalidInput) for memory that is not a whole number of transfers.
  template<class T> void connectStream(const std::string& handle, T* begin, T* end) {
    m_streams.connectMemory(handle, begin, int64_t(end - begin) * int64_t(sizeof(T)), true);
  }
  void connectStream(const std::string& handle, void* memory) { m_streams.connectMemory(handle, memory, 0, false); }
  void connectStreamToCallback(const std::string& handle, std::unique_ptr<StreamCallback> callback) {
    m_streams.connectCallback(handle, std::move(callback));
  }
  void connectStreamToCallback(const std::string& handle, std::size_t replica, std::unique_ptr<StreamCallback> callback) {
    m_streams.connectCallback(handle, replica, std::move(callback));
  }
  void connectStreamToCallback(const std::string& handle, std::function<void(void*)> fetch);
  // The host function that a program calls. It gets one pointer per argument, to elements of the argument's type.
  using HostFunctionCallback = std::function<void(const std::vector<const void*>& inputs, const std::vector<void*>& outputs)>;
  void connectHostFunction(const std::string& handle, HostFunctionCallback callback);

  // The same for one replica of several (EngineOptions::replicas). Throw Error(NotFound) for an unknown replica.
  void readReplica(const std::string& handle, std::size_t replica, void* memory, int64_t bytes);
  void writeReplica(const std::string& handle, std::size_t replica, const void* memory, int64_t bytes);
  void copyToRemoteBuffer(const void* row, const std::string& buffer, int64_t index, std::size_t replica);
  void copyFromRemoteBuffer(const std::string& buffer, void* row, int64_t index, std::size_t replica);

  numerics::HostTensor readTensor(const graph::Tensor& tensor) const { return m_tensors.read(tensor); }
  void writeTensor(const graph::Tensor& tensor, const numerics::HostTensor& value); // on every replica
  // Read or write the tensor of a createHostRead or createHostWrite handle. Elements have the tensor's type; only their size is
  // checked. Throws Error(NotFound) for an unknown handle.
  template<class T> void readTensor(const std::string& handle, T* begin, T* end) const {
    readBytes(handle, begin, int64_t(end - begin) * int64_t(sizeof(T)));
  }
  template<class T> void writeTensor(const std::string& handle, const T* begin, const T* end) {
    writeBytes(handle, begin, int64_t(end - begin) * int64_t(sizeof(T)));
  }
  numerics::HostTensor readTensor(const std::string& handle) const;
  void writeTensor(const std::string& handle, const numerics::HostTensor& value);

  // A row of a remote buffer, in the buffer's type.
  void copyToRemoteBuffer(const void* row, const std::string& handle, int64_t index);
  void copyFromRemoteBuffer(const std::string& handle, void* row, int64_t index) const;

  void setPrintTensorStream(std::ostream& stream) { m_options.printStream = &stream; }
  // Switches the recording of the following runs on or off, if the engine has a recorder.
  void enableExecutionProfiling() { m_recorder = m_given; }
  void disableExecutionProfiling() { m_recorder = nullptr; }

  // Runs control program `index`. Throws Error(OutOfMemory) if the executable does not fit (compiling it is allowed,
  // running is not), unless `options.numbers` is off.
  void run(std::size_t index, const std::string& name, std::stop_token stop, reports::Progress& progress);
  void run(std::size_t index = 0, const std::string& name = "run") {
    reports::NoProgress none;
    run(index, name, {}, none);
  }
  // The latest of the clocks of all tiles.
  int64_t cycle() const;
  // Inputs that codelets wrote in the runs so far.
  const VertexRunner::WrittenInputs& writtenInputs() const { return m_vertices.writtenInputs(); }
  // Fields beside which codelets read or wrote in the runs so far, with VertexOptions::zerosBeside.
  const VertexRunner::FieldsBeside& readsBeside() const { return m_vertices.readsBeside(); }
  const VertexRunner::FieldsBeside& writesBeside() const { return m_vertices.writesBeside(); }

private:
  Engine(std::shared_ptr<const Executable> own, EngineOptions options, ExecutionRecorder* recorder, HostTimeline* timeline)
      : Engine(*own, std::move(options), recorder, timeline) {
    m_own = std::move(own);
  }
  void steps(const std::vector<int>& children, int64_t times);
  void stepsInBlocks(const std::vector<int>& children, int64_t times, BlockTimer& blocks);
  void flushBlocks(BlockTimer& blocks);
  void step(int index, int64_t times);
  void repeat(int index, int64_t times);
  const StillLoops::Still* comparedIteration(int index, int64_t times);
  void knownIteration(const StillLoops::Still& still, int64_t times);
  bool mayStandStill(int index);
  void repeatWhile(int index, int64_t times);
  void requireProgress(const Step& loop, int64_t round, Standstill& seen) const;
  void requireHostInTime(const Step& loop) const;
  void requireEnd(int root, const std::string& name) const; // refuses a run that would take too long
  void progressed();                                        // by one step
  void advance(int index, const Step& s, const StepWay& way);
  int64_t hostWait(int index, const Step& s);
  const std::vector<int64_t>& cyclesBySet(int index, const Step& s);
  std::vector<int64_t> bySet(const graph::PerTile& cycles) const;
  // The participating sets in [first, end) begin and end the step together; `cycles` has one value per set.
  void advanceTogether(int index, const Step& s, int first, int end, const StepWay& way, const std::vector<int64_t>& cycles);
  int64_t startOf(const Step& s, int first, int end, const std::vector<int64_t>& cycles) const;
  void numbersOf(const Step& s);
  void numbersOnReplica(const Step& s);
  void runAcrossReplicas(const graph::ProgramNode& node, const graph::AcrossReplicas& together);
  class OnReplica;
  void requireReplica(std::size_t replica) const;
  void runKernel(const graph::ProgramNode& node, const std::string& step);
  void store(const graph::Tensor& tensor, const numerics::HostTensor& result, const std::string& step);
  void remoteNumbers(const graph::ProgramNode& node);
  void cycleStamp(const graph::ProgramNode& node, int64_t ownCycles);
  int64_t clockOf(int64_t tile) const;
  std::ostream& printStream() const;
  void print(const graph::ProgramNode& node);
  bool predicate(const graph::Tensor& tensor) const;
  const graph::HostHandle& handle(const std::string& name) const;
  void readBytes(const std::string& handle, void* memory, int64_t bytes) const;
  void writeBytes(const std::string& handle, const void* memory, int64_t bytes);
  std::shared_ptr<void> span(const std::string& name);

  std::shared_ptr<const Executable> m_own; // null if the caller owns it
  const Executable& m_e;
  EngineOptions m_options;
  ExecutionRecorder *m_recorder, *m_given; // null while profiling is off; the caller's recorder
  HostTimeline* m_timeline;
  TensorStore m_tensors;
  std::vector<TensorStore> m_others; // values of the replicas except the first
  HostStreams m_streams;
  VertexRunner m_vertices;
  std::shared_ptr<const StepCost> m_cost; // cost of the vertices that ran last; null: the compiled cost
  // Sets of tiles run independently until a sync, an exchange, a link or the host synchronises them.
  compile::TileSets m_sets;
  std::vector<int64_t> m_clocks;                 // by set
  std::vector<int64_t> m_hostFree;               // by IPU: end of the last transfer over its link to the host
  std::vector<std::vector<int64_t>> m_setCycles; // duration of each step on each set, filled when first needed
  int64_t m_hostSeen = 0, m_hostCalls = 0;       // cycle of the last contact with the host, and contacts so far
  std::map<graph::VariableId, int64_t> m_stamps; // start of the program that a cycleCount measures
  ProgramLength m_length;
  StillLoops m_stillLoops;
  std::vector<StillLoops::Costs*> m_kept;     // costs of the iterations that are being compared, outermost first
  const StillLoops::Costs* m_known = nullptr; // costs of the current iteration if it is known; null: numbers are computed
  std::size_t m_nextKnown = 0;
  double m_done = 0, m_total = 1, m_nextUpdate = 0; // in steps of m_length
  std::stop_token m_stop;
  reports::Progress* m_progress = nullptr;
};

} // namespace simcore::run
