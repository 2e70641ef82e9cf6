// Runs the programs of a graph on a device and moves data between the host and them.
#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/DataStream.hpp"
#include "poplar/Device.hpp"
#include "poplar/Executable.hpp"
#include "poplar/Graph.hpp"
#include "poplar/HostFunctionCallback.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/PrintTensor.hpp"
#include "poplar/ProfileValue.hpp"
#include "poplar/Program.hpp"
#include "poplar/RuntimeOptions.hpp"
#include "poplar/StreamCallback.hpp"
#include "poplar/StringRef.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <unordered_set>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#endif

namespace pva {
class Report;
}

namespace poplar {

// Called during compilation with the number of steps done and of all steps.
using ProgressFunc = std::function<void(int done, int all)>;

class Engine {
public:
  using ProgressFunc = poplar::ProgressFunc;
  // A point of the machine's clock.
  struct TimerTimePoint {
    std::vector<std::uint64_t> count; // cycles, by IPU
  };

  // Compiles: later changes of the graph have no effect here. Throws graph_memory_allocation_error naming the fullest tile,
  // invalid_tile_mapping, control_program_error, … Unknown options are named once and have no effect.
  Engine(const Graph& graph, ArrayRef<program::Program> programs, const OptionFlags& options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext& context = {});
  Engine(const Graph& graph, const program::Program& program, const OptionFlags& options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext& context = {});
  explicit Engine(Executable&& executable, const OptionFlags& options = {});
  // The executable remains the caller's. A second engine at the same time compiles the program again.
  explicit Engine(const Executable& executable, const OptionFlags& options = {});
  Engine(Engine&& other) noexcept;
  Engine& operator=(Engine&& other) noexcept;
  ~Engine();

  // Loads the program onto the device and sets every tensor to its initial value. Throws poplar_error if the device is not
  // attached or of another kind than the graph's target.
  void load(const Device& device);
  void prepare(const Device& device) { load(device); }
  void prepare(const Device& device, const RuntimeOptions& options);
  void deploy() {}
  // Throws stream_connection_error for a stream without a connection, runtime_error for other errors while the program runs.
  void run(unsigned program = 0, const std::string& debugName = "");
  void run(unsigned program, const std::string& debugName, const RuntimeOptions& options);
  // Ends the program that another thread or a callback of it runs: run() returns after the current step, which a line on standard error says.
  // Without a running program the next run is not affected.
  void stop();
  void loadAndRun(const Device& device, unsigned program = 0) {
    load(device);
    run(program);
  }
  std::string getTargetSystemString() const;

  // The memory must outlive the engine. With an end it is a circular buffer of transfers; without one each transfer uses the same
  // bytes. Throws stream_connection_error for an unknown handle or memory that is not a whole number of transfers.
  void connectStream(StringRef handle, void* begin, void* end);
  void connectStream(StringRef handle, void* memory);
  void connectStream(const DataStream& stream, void* begin, void* end) { connectStream(stream.handle(), begin, end); }
  void connectStream(const DataStream& stream, void* memory) { connectStream(stream.handle(), memory); }
  template<class T> void connectStream(StringRef handle, ArrayRef<T> memory) {
    connectStream(handle, const_cast<T*>(memory.data()), const_cast<T*>(memory.data() + memory.size()));
  }
  void connectStreamToCallback(StringRef handle, StreamCallbackHandle callback);
  void connectStreamToCallback(StringRef handle, unsigned replica, StreamCallbackHandle callback);
  void connectStreamToCallback(const DataStream& stream, StreamCallbackHandle callback) {
    connectStreamToCallback(stream.handle(), std::move(callback));
  }
  void connectStreamToCallback(const DataStream& stream, unsigned replica, StreamCallbackHandle callback) {
    connectStreamToCallback(stream.handle(), replica, std::move(callback));
  }
  void connectHostFunction(StringRef handle, unsigned replica, HostFunctionCallbackHandle callback);
  void connectHostFunction(const HostFunction& function, unsigned replica, HostFunctionCallbackHandle callback) {
    connectHostFunction(function.handle(), replica, std::move(callback));
  }

  // Copy a row of a remote buffer to or from memory.
  void copyFromRemoteBuffer(StringRef handle, void* memory, std::uint64_t row, unsigned replica = 0);
  void copyToRemoteBuffer(const void* memory, StringRef handle, std::uint64_t row, unsigned replica = 0);
  void copyFromRemoteBuffer(const RemoteBuffer& buffer, void* memory, std::uint64_t row, unsigned replica = 0) {
    copyFromRemoteBuffer(buffer.handle(), memory, row, replica);
  }
  void copyToRemoteBuffer(const void* memory, const RemoteBuffer& buffer, std::uint64_t row, unsigned replica = 0) {
    copyToRemoteBuffer(memory, buffer.handle(), row, replica);
  }
  template<class T> void copyFromRemoteBuffer(StringRef handle, ArrayRef<T> row, std::uint64_t index, unsigned replica = 0) {
    copyFromRemoteBuffer(handle, const_cast<T*>(row.data()), index, replica);
  }
  template<class T> void copyToRemoteBuffer(ArrayRef<T> row, StringRef handle, std::uint64_t index, unsigned replica = 0) {
    copyToRemoteBuffer(static_cast<const void*>(row.data()), handle, index, replica);
  }

  // Read or write the tensor of this createHostRead() or createHostWrite() handle. In a replicated graph, memory for all replicas
  // holds their values one after the other; memory for one replica is read from the first and written to all. Throw
  // tensor_io_state_error for an unknown handle or a wrong size.
  void readTensor(StringRef handle, void* memory);
  void readTensor(StringRef handle, void* begin, void* end);
  void writeTensor(StringRef handle, const void* memory);
  void writeTensor(StringRef handle, const void* begin, const void* end);
  template<class T> void readTensor(StringRef handle, ArrayRef<T> values) {
    readTensor(handle, const_cast<T*>(values.data()), const_cast<T*>(values.data() + values.size()));
  }
  template<class T> void writeTensor(StringRef handle, ArrayRef<T> values) {
    writeTensor(handle, values.data(), values.data() + values.size());
  }
  void readTensor(StringRef handle, unsigned replica, void* begin, void* end);
  void writeTensor(StringRef handle, unsigned replica, const void* begin, const void* end);
  std::vector<std::string> listTensors() const;
  std::vector<std::string> listStreams() const;
  OptionFlags getEngineOptions() const; // the options that the program gave

  void setPrintStream(std::ostream& out);
  void setPrintTensorStream(std::ostream& out);

  // Profiles: switch recording of later runs on and off, and read the profile so far.
  void enableExecutionProfiling();
  void disableExecutionProfiling();
  void resetExecutionProfile();
  pva::Report getReport(bool reportExecution = true);
  void printProfileSummary(std::ostream& out, const OptionFlags& options = {});
  ProfileValue getGraphProfile();
  ProfileValue getExecutionProfile();
  ProfileValue getProfile();
  std::string getExecutableName() const { return "engine"; }
  void serializeExecutable(std::ostream& out) const; // as Executable::serialize
  void reportIntervals(std::ostream& out);
  std::string reportTiming(const TimerTimePoint& from, const TimerTimePoint& to);
  // The machine's clock, which counts from load().
  TimerTimePoint getTimeStamp();

private:
  struct Inside;
  std::unique_ptr<Inside> m_inside;
};

// Compiles without a device. Throws the same exceptions as Engine.
Executable compileGraph(const Graph& graph, ArrayRef<program::Program> programs, const OptionFlags& options = {},
                        ProgressFunc progress = ProgressFunc(), const DebugContext& context = {});
Executable compileGraph(const Graph& graph, const program::Program& program, const OptionFlags& options = {},
                        ProgressFunc progress = ProgressFunc(), const DebugContext& context = {});

} // namespace poplar
