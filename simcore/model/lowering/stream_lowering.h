// The inputs and outputs of a model on the machine: variables, their streams and the copies from and to the host. With I/O tiles,
// a stream fills or empties a buffer on them, in the load or store program, and the value is copied from or to this buffer.
#pragma once

#include "simcore/model/lowering/lowering_scope.h"

namespace simcore::model {

class StreamLowering {
public:
  explicit StreamLowering(LoweringScope& scope) : m_scope(scope) {}

  using ProgramOfStage = std::function<graph::Sequence&(int stage)>;
  // Makes for each input a variable on the IPU that reads it first, and the copy from its stream in the program for that stage.
  void lowerInputs(const Model& model, graph::Workload& load, const ProgramOfStage& toDevice, const ProgramOfStage& loadFrom);
  void lowerOutputs(graph::Workload& load, const ProgramOfStage& toHost, const ProgramOfStage& store);
  // Sends a value to the host; `name` is the stream's.
  void send(const graph::Tensor& value, graph::StreamId stream, const std::string& name, graph::Sequence& toHost,
            graph::Sequence& store);

private:
  LoweringScope& m_scope;
};

} // namespace simcore::model
