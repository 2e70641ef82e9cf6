// Programs as a Poplar user writes them. A Program is a cheap value (shared, immutable once built); Sequence is the one you
// append to. Two kinds are for library ops only: Rearrange moves data whose traffic a planner worked out as box arithmetic,
// and HostCompute carries the numbers of an op, which are computed on whole tensors (numbers and cycles are two questions).
#pragma once

#include "simcore/graph/distribution.h"
#include "simcore/graph/tensor.h"
#include "simcore/numerics/host_tensor.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace simcore::graph {

using reports::ComputeSetId;
using reports::DebugContextId;

enum class SyncType { Internal, External };
struct StreamId {
  uint32_t value = UINT32_MAX;
  bool operator==(const StreamId&) const = default;
};
struct FunctionId {
  uint32_t value = UINT32_MAX;
};

// The numbers of a library op: inputs in the row-major order of their views, outputs likewise.
using HostKernel = std::function<std::vector<numerics::HostTensor>(const std::vector<numerics::HostTensor>& inputs)>;

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
    Block,
  };
  Kind kind = Kind::Sequence;
  std::string name;
  DebugContextId context;
  std::vector<Program> children; // Repeat: body; RepeatWhile: condition, body; If: true, false; Switch: cases then default
  std::vector<int64_t> cases;    // Switch
  ComputeSetId computeSet;       // Execute
  Tensor source, destination;    // Copy; the tensor of streams, WriteUndef, PrintTensor; the predicate of control programs
  int64_t count = 0;             // Repeat
  StreamId stream;
  FunctionId function;
  SyncType sync = SyncType::Internal;
  // Rearrange and HostCompute
  std::vector<VariableId> reads, writes;
  Traffic traffic;
  PerTile copyCycles; // Rearrange: on-tile part after the exchange
  std::vector<Tensor> inputs, outputs;
  HostKernel kernel;
};

class Sequence {
public:
  Sequence() = default;
  explicit Sequence(std::string name, DebugContextId context = {}) : m_name(std::move(name)), m_context(context) {}
  void add(Program program) { m_children.push_back(std::move(program)); }
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
// Element i of `source` to element i of `destination`, in row-major order; equal shapes and types.
Program copy(const Tensor& source, const Tensor& destination, std::string name = {}, DebugContextId context = {});
Program copy(StreamId stream, const Tensor& destination, std::string name = {}, DebugContextId context = {});
Program copy(const Tensor& source, StreamId stream, std::string name = {}, DebugContextId context = {});
Program repeat(int64_t count, const Sequence& body, std::string name = {}, DebugContextId context = {});
// Runs `condition`, then tests `predicate` (one element), then the body.
Program repeatWhile(bool value, const Sequence& condition, const Tensor& predicate, const Sequence& body, std::string name = {},
                    DebugContextId context = {});
Program ifElse(const Tensor& predicate, const Sequence& whenTrue, const Sequence& whenFalse, std::string name = {},
               DebugContextId context = {});
Program switchOn(const Tensor& selector, const std::vector<std::pair<int64_t, Sequence>>& cases, const Sequence& otherwise,
                 std::string name = {}, DebugContextId context = {});
Program call(FunctionId function, std::string name = {}, DebugContextId context = {});
Program writeUndef(const Tensor& tensor);
Program sync(SyncType type);
// The tensor goes to the host and is printed as `title: [ … ]`.
Program printTensor(std::string title, const Tensor& tensor);
Program abortOnCondition(const Tensor& predicate, std::string message);
Program block(const Sequence& body, std::string name);
Program rearrange(std::string name, DebugContextId context, std::vector<VariableId> reads, std::vector<VariableId> writes,
                  Traffic traffic, PerTile copyCycles = {});
Program hostCompute(std::string name, DebugContextId context, std::vector<Tensor> inputs, std::vector<Tensor> outputs,
                    HostKernel kernel);
} // namespace program

} // namespace simcore::graph
