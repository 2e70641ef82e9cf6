// Programs as a Poplar user writes them. A Program is a cheap value (shared, immutable once built); a Sequence can be appended
// to. Two kinds are only for library ops: Rearrange moves data whose traffic a planner computed with box arithmetic, and
// HostCompute computes the numbers of an op on whole tensors (numbers and cycles are independent).
#pragma once

#include "simcore/graph/distribution.h"
#include "simcore/graph/tensor.h"
#include "simcore/numerics/host_tensor.h"

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace simcore::graph {

using reports::ComputeSetId;
using reports::DebugContextId;

enum class SyncType { Internal, External, Global };
struct StreamId {
  uint32_t value = UINT32_MAX;
  bool operator==(const StreamId&) const = default;
};
struct FunctionId {
  uint32_t value = UINT32_MAX;
};

// A function shared by several layers is lowered for the first layer. Each call lists pairs of outermost contexts, which reports
// show as operations: one in the function, and the one of the caller for which it runs.
struct CalledFor {
  DebugContextId inFunction, caller;
};

// Rows of tensors in the host's memory that programs read and write: streaming memory.
struct RemoteBuffer {
  uint32_t id = UINT32_MAX; // index of Graph::remoteBuffers()
  std::string handle;
  ElementType type = ElementType::Float;
  int64_t elements = 0; // of one row
  int64_t repeats = 1;  // rows
  bool rearrangeOnHost = false, optimiseMemory = false;
  bool valid() const { return id != UINT32_MAX; }
  int64_t rowBytes() const { return elements * int64_t(numerics::deviceSize(type)); }
};

// A host function that a program calls with tensors: the arguments are sent to the host, the function computes, and the results
// are sent back.
struct HostFunctionArgument {
  ElementType type = ElementType::Float;
  int64_t elements = 0;
};
struct HostFunction {
  std::string handle; // empty: belongs to no graph
  std::vector<HostFunctionArgument> inputs, outputs;
  std::vector<StreamId> inputStreams, outputStreams; // one per argument, "handle.in0" and so on
};

// Floating-point behaviour from here on (FP control register): exceptions stop the program with an error, `esr` rounds results to
// fp16 stochastically, `nanoo` makes fp16 overflow a NaN instead of the largest number.
struct FloatingPointBehaviour {
  bool inv = false, div0 = false, oflo = false, esr = false, nanoo = false;
};

// The numbers of a library op: inputs and outputs in the row-major order of their views.
using HostKernel = std::function<std::vector<numerics::HostTensor>(const std::vector<numerics::HostTensor>& inputs)>;

// A variable whose elements are moved to another one.
struct VariableMove {
  VariableId from, to;
  auto operator<=>(const VariableMove&) const = default;
};

struct ProgramNode;
using Program = std::shared_ptr<const ProgramNode>;

struct ProgramNode {
  enum class Kind {
    Sequence,
    Execute,
    Copy,
    Rearrange,
    HostCompute,
    StreamToTensor,
    TensorToStream,
    RemoteToTensor,
    TensorToRemote,
    Repeat,
    RepeatWhileTrue,
    RepeatWhileFalse,
    If,
    Switch,
    Call,
    WriteUndef,
    Sync,
    PrintTensor,
    AbortOnCondition,
    ErrorProgram,
    Block,
    SetFloatingPoint,
    CycleStamp,
  };
  Kind kind = Kind::Sequence;
  std::string name;
  DebugContextId context;
  std::vector<Program> children; // Repeat: body; RepeatWhile: condition, body; If: true, false; Switch: cases then default
  std::vector<int64_t> cases;    // Switch
  ComputeSetId computeSet;       // Execute
  Tensor source, destination;    // Copy; the tensor of streams, WriteUndef, PrintTensor; the predicate of control programs
  int64_t count = 0;             // Repeat: iterations; CycleStamp: 0 begin, 1 end with result in the destination, 2 clock to it
  StreamId stream;
  RemoteBuffer remoteBuffer;
  Tensor offset; // rows of the remote buffer, one or more; invalid: row 0
  FunctionId function;
  std::vector<CalledFor> calledFor; // Call
  FloatingPointBehaviour floatingPoint;
  SyncType sync = SyncType::Internal;
  // For Rearrange and HostCompute.
  std::vector<VariableId> reads, writes;
  std::vector<VariableMove> moves; // Rearrange: the source in `reads` of each of `writes`; empty: unknown
  Traffic traffic;
  PerTile copyCycles;   // Rearrange: on-tile part after the exchange
  int64_t copyRuns = 1; // Rearrange: contiguous pieces copied per tile
  std::vector<Tensor> inputs, outputs;
  HostKernel kernel;
};

class Sequence {
public:
  Sequence() = default;
  explicit Sequence(std::string name, DebugContextId context = {}) : m_name(std::move(name)), m_context(context) {}
  Sequence(Program only) { add(std::move(only)); } // so that a program can be passed as a body
  Sequence(std::initializer_list<Program> programs, std::string name = {}, DebugContextId context = {})
      : m_name(std::move(name)), m_context(context) {
    for (const Program& p : programs) add(p);
  }
  // A Program without a definition does nothing.
  void add(Program program) {
    if (program) m_children.push_back(std::move(program));
  }
  void add(const Sequence& other) { add(other.program()); }
  bool empty() const { return m_children.empty(); }
  const std::vector<Program>& children() const { return m_children; }
  Program program() const;

private:
  std::string m_name;
  DebugContextId m_context;
  std::vector<Program> m_children;
};

namespace program {
Program execute(ComputeSetId computeSet, DebugContextId context = {});
// Copies element i of `source` to element i of `destination`, in row-major order; shapes and types must be equal.
Program copy(const Tensor& source, const Tensor& destination, std::string name = {}, DebugContextId context = {});
Program copy(StreamId stream, const Tensor& destination, std::string name = {}, DebugContextId context = {});
Program copy(const Tensor& source, StreamId stream, std::string name = {}, DebugContextId context = {});
// Copies row 0, or the rows whose numbers are in `offset` (an integer tensor): n rows move a tensor of n x elements. Rows outside
// the buffer stop the program with an error.
Program copy(const RemoteBuffer& source, const Tensor& destination, std::string name = {}, DebugContextId context = {});
Program copy(const RemoteBuffer& source, const Tensor& destination, const Tensor& offset, std::string name = {},
             DebugContextId context = {});
Program copy(const Tensor& source, const RemoteBuffer& destination, std::string name = {}, DebugContextId context = {});
Program copy(const Tensor& source, const RemoteBuffer& destination, const Tensor& offset, std::string name = {},
             DebugContextId context = {});
Program repeat(int64_t count, const Sequence& body, std::string name = {}, DebugContextId context = {});
// Repeats: runs `condition`, tests `predicate` (one element), runs the body.
Program repeatWhile(bool value, const Sequence& condition, const Tensor& predicate, const Sequence& body, std::string name = {},
                    DebugContextId context = {});
inline Program repeatWhileTrue(const Sequence& condition, const Tensor& predicate, const Sequence& body, std::string name = {},
                               DebugContextId context = {}) {
  return repeatWhile(true, condition, predicate, body, std::move(name), context);
}
inline Program repeatWhileFalse(const Sequence& condition, const Tensor& predicate, const Sequence& body, std::string name = {},
                                DebugContextId context = {}) {
  return repeatWhile(false, condition, predicate, body, std::move(name), context);
}
Program ifElse(const Tensor& predicate, const Sequence& whenTrue, const Sequence& whenFalse, std::string name = {},
               DebugContextId context = {});
Program switchOn(const Tensor& selector, const std::vector<std::pair<int64_t, Sequence>>& cases, const Sequence& otherwise,
                 std::string name = {}, DebugContextId context = {});
Program call(FunctionId function, std::string name = {}, DebugContextId context = {}, std::vector<CalledFor> calledFor = {});
// Throws Error(InvalidInput) naming the function and the argument if number, types or sizes do not match.
Program call(const HostFunction& function, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs,
             std::string name = {}, DebugContextId context = {});
Program writeUndef(const Tensor& tensor);
// The user promises that the value is equal on all replicas. Simulated replicas are always equal, so it takes no time.
Program assumeEqualAcrossReplicas(const Tensor& tensor, std::string name = {});
Program sync(SyncType type);
// Sends the tensor to the host, which prints it as `title: [ … ]`; without a title, with the name of its first variable.
Program printTensor(std::string title, const Tensor& tensor);
inline Program printTensor(const Tensor& tensor) { return printTensor({}, tensor); }
Program abortOnCondition(const Tensor& predicate, std::string message);
// Stops the program with this message when it is reached, after printing the tensor (if given).
Program errorProgram(std::string message, const Tensor& shown = {});
Program setFloatingPointBehaviour(FloatingPointBehaviour behaviour, std::string name = {}, DebugContextId context = {});
Program block(const Sequence& body, std::string name);
Program rearrange(std::string name, DebugContextId context, std::vector<VariableId> reads, std::vector<VariableId> writes,
                  Traffic traffic, PerTile copyCycles = {}, int64_t copyRuns = 1, std::vector<VariableMove> moves = {});
Program hostCompute(std::string name, DebugContextId context, std::vector<Tensor> inputs, std::vector<Tensor> outputs,
                    HostKernel kernel);
} // namespace program

} // namespace simcore::graph
