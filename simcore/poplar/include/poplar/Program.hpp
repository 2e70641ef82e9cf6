// The programs of an engine, made of smaller programs. A program is a value: a copy is independent, and a sequence keeps a
// program as it was when added.
#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/DataStream.hpp"
#include "poplar/DebugContext.hpp"
#include "poplar/GraphElements.hpp"
#include "poplar/PrintTensor.hpp"
#include "poplar/SyncType.hpp"
#include "poplar/Tensor.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar {

namespace core {
struct ProgramAccess;
}

namespace program {

// Does nothing by itself.
class Program {
public:
  Program();
  Program(const Program& other);
  Program(Program&& other) noexcept;
  Program& operator=(const Program& other);
  Program& operator=(Program&& other) noexcept;
  ~Program();

  bool isEmpty() const;
  bool operator==(const Program& other) const;
  bool operator!=(const Program& other) const { return !(*this == other); }

  struct Inside;

protected:
  friend struct ::poplar::core::ProgramAccess;
  std::shared_ptr<Inside> m_inside;
};

// Runs programs one after the other.
class Sequence : public Program {
public:
  Sequence(const DebugContext& context = {});
  Sequence(std::initializer_list<Program> programs, const DebugContext& context = {});
  Sequence(ArrayRef<Program> programs, const DebugContext& context);
  explicit Sequence(const std::vector<Program>& programs);
  template<class First, class... Rest,
           class = typename std::enable_if<std::is_base_of<Program, First>::value &&
                                           (sizeof...(Rest) > 0 || !std::is_base_of<Sequence, First>::value)>::type>
  Sequence(const First& first, const Rest&... rest) : Sequence() {
    const int order[] = {(add(first), 0), (add(rest), 0)...};
    (void)order;
  }

  void add(const Program& program);
  void add(Program&& program);
};

// A sequence that has a name in reports and lightweight profiles.
class Block : public Program {
public:
  explicit Block(const Program& body, const DebugContext& context = {});
};

// Runs the vertices of a compute set.
class Execute : public Program {
public:
  explicit Execute(ComputeSet computeSet, const DebugContext& context = {});
  // Runs the vertices and stores whether all of their compute() returned true. Not implemented yet: throws poplar_error.
  Execute(ComputeSet computeSet, Tensor result, const DebugContext& context = {});
};

// Copies element by element, in row-major order. Throws poplar_error if types or numbers of elements differ.
class Copy : public Program {
public:
  Copy(Tensor source, Tensor destination, bool dontOutline = false, const DebugContext& context = {});
  Copy(Tensor source, Tensor destination, const char* name);
  Copy(Tensor source, Tensor destination, const DebugContext& context);
  Copy(const DataStream& source, Tensor destination, bool optimiseMemory = false, const DebugContext& context = {});
  Copy(Tensor source, const DataStream& destination, bool optimiseMemory = false, const DebugContext& context = {});
  Copy(const DataStream& source, Tensor destination, const char* name) : Copy(source, std::move(destination), false, name) {}
  Copy(Tensor source, const DataStream& destination, const char* name) : Copy(std::move(source), destination, false, name) {}
  // Copies row 0 of the buffer, or the rows whose numbers are in an integer tensor.
  Copy(const RemoteBuffer& source, Tensor destination, const DebugContext& context = {});
  Copy(const RemoteBuffer& source, Tensor destination, Tensor offset, const DebugContext& context = {});
  Copy(Tensor source, const RemoteBuffer& destination, const DebugContext& context = {});
  Copy(Tensor source, const RemoteBuffer& destination, Tensor offset, const DebugContext& context = {});
  // Copy a function's code to or from a buffer. Throw poplar_error if the buffer belongs to another function.
  Copy(const FunctionBuffer& source, const Function& destination, const DebugContext& context = {});
  Copy(const Function& source, const FunctionBuffer& destination, const DebugContext& context = {});
};

// The tensor's values are not needed any more: until it is written again its memory is free for others.
class WriteUndef : public Program {
public:
  explicit WriteUndef(Tensor tensor, const DebugContext& context = {});
};

class Repeat : public Program {
public:
  Repeat(unsigned count, const Program& body, const DebugContext& context = {});
};

// Runs `condition` and then, while the predicate (one element) is not 0, the body and `condition` again.
class RepeatWhileTrue : public Program {
public:
  RepeatWhileTrue(const Program& condition, Tensor predicate, const Program& body, const DebugContext& context = {});
};
class RepeatWhileFalse : public Program {
public:
  RepeatWhileFalse(const Program& condition, Tensor predicate, const Program& body, const DebugContext& context = {});
};

class If : public Program {
public:
  If(Tensor predicate, const Program& whenTrue, const Program& whenFalse, const DebugContext& context = {});
};

// Runs the case whose number is in the control tensor (one INT or UNSIGNED_INT), else the default, which does nothing if not
// given.
class Switch : public Program {
public:
  explicit Switch(Tensor control, const DebugContext& context = {});
  Switch(Tensor control, const Program& otherwise, const DebugContext& context = {});
  Switch(Tensor control, const std::vector<std::pair<std::int32_t, Program>>& cases, const DebugContext& context = {});
  Switch(Tensor control, const std::vector<std::pair<std::int32_t, Program>>& cases, const Program& otherwise,
         const DebugContext& context = {});
  static Switch switchWithBoundsChecking(Tensor control, const std::vector<std::pair<std::int32_t, Program>>& cases,
                                         const DebugContext& context = {});
  static Switch switchWithUnreachableDefault(Tensor control, const DebugContext& context = {});
  Switch& add(std::int32_t value, const Program& body);
};

class Call : public Program {
public:
  explicit Call(Function function, const DebugContext& context = {});
  // Calls a function of the host.
  Call(HostFunction function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs, const DebugContext& context = {});
};

class Sync : public Program {
public:
  explicit Sync(SyncType type, const DebugContext& context = {});
};

// Prints `title: [ … ]` to standard error, or to the stream of Engine::setPrintTensorStream. Without a format all elements are
// printed, floats with seven decimals.
class PrintTensor : public Program {
public:
  explicit PrintTensor(Tensor tensor, const DebugContext& context = {});
  PrintTensor(StringRef title, Tensor tensor, const DebugContext& context = {});
  PrintTensor(Tensor tensor, const PrintTensorFmt& format, const DebugContext& context = {});
  PrintTensor(StringRef title, Tensor tensor, const PrintTensorFmt& format, const DebugContext& context = {});
};

// Stops the program with an error when the predicate (one element) is not 0.
class AbortOnCondition : public Program {
public:
  explicit AbortOnCondition(Tensor predicate, const DebugContext& context = {});
  AbortOnCondition(Tensor predicate, const std::string& message, const DebugContext& context = {});
  AbortOnCondition(Tensor predicate, const char* message, const DebugContext& context = {});
};

// Stops the program with this message, after printing the tensor.
class ErrorProgram : public Program {
public:
  ErrorProgram(StringRef message, Tensor shown, const DebugContext& context = {});
};
class Abort : public Program {
public:
  explicit Abort(const DebugContext& context = {});
  explicit Abort(const std::string& message, const DebugContext& context = {});
  explicit Abort(const char* message, const DebugContext& context = {});
};

// The program promises that the value is equal on every replica.
class AssumeEqualAcrossReplicas : public Program {
public:
  explicit AssumeEqualAcrossReplicas(Tensor tensor, const DebugContext& context = {});
};

// Each replica sends a tensor to another. Not implemented yet: throws poplar_error.
class CrossReplicaCopy : public Program {
public:
  CrossReplicaCopy(Tensor source, Tensor destination, const std::map<unsigned, unsigned>& toReplica,
                   const DebugContext& context = {});
  CrossReplicaCopy(Tensor source, Tensor destination, const std::vector<unsigned>& toReplica, const DebugContext& context = {});
};

void dumpProgram(const Graph& graph, const Program& program, std::ostream& out);

} // namespace program
} // namespace poplar
