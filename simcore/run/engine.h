// Runs an executable: the numbers of every step on host tensors, and the clock. One walk does both, so that a loop whose
// condition is data runs as often as its data says.
#pragma once

#include "simcore/run/execution_recorder.h"
#include "simcore/run/host_timeline.h"
#include "simcore/run/tensor_store.h"

#include <deque>
#include <iosfwd>
#include <map>
#include <memory>

namespace simcore::run {

struct EngineOptions {
  bool numbers = true;                 // false: time only; loops with constant counts are simulated once and multiplied
  int64_t maxSlices = 4'000'000;       // stored execution slices over all IPUs
  int64_t shownIterations = 64;        // of a loop, when only time is simulated; the rest is folded
  int64_t maxIterations = 10'000'000;  // of one data-dependent loop, then Error: a loop that never ends must not hang
  std::ostream* printStream = nullptr; // where PrintTensor writes; null: standard error
};

class Engine {
public:
  // `recorder` may be null: nothing is recorded. The executable outlives the engine. `timeline` may be null.
  Engine(const Executable& executable, EngineOptions options, ExecutionRecorder* recorder, HostTimeline* timeline = nullptr);

  // Values a host-to-device stream delivers, one per transfer; the last is repeated when they run out.
  void connectInput(const std::string& stream, std::vector<numerics::HostTensor> values);
  // What a device-to-host stream received in the last run, in order.
  const std::vector<numerics::HostTensor>& received(const std::string& stream) const;

  numerics::HostTensor readTensor(const graph::Tensor& tensor) const { return m_tensors.read(tensor); }
  void writeTensor(const graph::Tensor& tensor, const numerics::HostTensor& value) { m_tensors.write(tensor, value); }

  // Runs control program `index`. Throws Error(OutOfMemory) if the executable does not fit (compiling it is allowed,
  // running is not), unless `options.numbers` is off.
  void run(std::size_t index, const std::string& name, std::stop_token stop, reports::Progress& progress);
  // The clock of the IPU that is farthest.
  int64_t cycle() const;

private:
  void steps(const std::vector<int>& children, int64_t times);
  void step(int index, int64_t times);
  void repeat(const Step& s, int64_t times);
  void advance(int index, const Step& s, int64_t times);
  const std::vector<int64_t>& cyclesByIpu(int index, const Step& s);
  void numbersOf(const Step& s);
  void runVertices(const graph::ComputeSet& set);
  void streamNumbers(const graph::ProgramNode& node);
  bool predicate(const graph::Tensor& tensor) const;
  bool dataDependent(const Step& s) const;
  std::shared_ptr<void> span(const std::string& name);

  const Executable& m_e;
  EngineOptions m_options;
  ExecutionRecorder* m_recorder;
  HostTimeline* m_timeline;
  TensorStore m_tensors;
  std::map<std::string, std::deque<numerics::HostTensor>> m_inputs;
  std::map<std::string, std::vector<numerics::HostTensor>> m_outputs;
  // IPUs run on their own until a sync, a link or the host brings them together.
  std::vector<int64_t> m_clocks;
  std::vector<std::vector<int64_t>> m_ipuCycles; // duration of each step on each IPU, filled when first needed
  int64_t m_done = 0, m_total = 1;
  std::stop_token m_stop;
  reports::Progress* m_progress = nullptr;
};

} // namespace simcore::run
