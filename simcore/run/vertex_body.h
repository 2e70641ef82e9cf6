// Runs one vertex at a time, all on one thread: gathers its fields, calls its body, and scatters its results.
#pragma once

#include "simcore/graph/vertex_fields.h"
#include "simcore/run/guarded_fields.h"
#include "simcore/run/tensor_store.h"
#include "simcore/run/vertex_faults.h"
#include "simcore/run/vertex_machine.h"
#include "simcore/run/vertex_plan.h"

#include <functional>

namespace simcore::run {

// How to run a vertex.
struct VertexWay {
  bool guarded = false, atEnd = true; // guarded: on copies between protected pages
  bool counted = false;
  bool bothEnds = false;    // guarded: also runs once with the other end guarded, to find errors
  bool zerosBeside = false; // guarded: a read beside a field gets zeros, and a write is lost; else they are errors
};

class VertexBody {
public:
  // Receives the elements of an Input that was written. `memory`: the field within its tensor.
  using InputWritten =
      std::function<void(const VertexPlan::Vertex&, uint32_t edge, std::byte* memory, const std::byte* elements)>;

  VertexBody(const VertexPlan& plan, std::size_t set, TensorStore& tensors, int workers, int64_t maxInstructions,
             const InputWritten& inputWritten)
      : m_plan(plan), m_set(set), m_tensors(tensors), m_workers(unsigned(workers)), m_maxInstructions(maxInstructions),
        m_inputWritten(inputWritten) {}

  // Returns the cycles if they are counted: worker cycles, or tile cycles for MultiVertices and supervisors. `machine`: null if
  // no vertex of the compute set uses it.
  int64_t run(const VertexPlan::Vertex& vertex, VertexWay way, uint64_t firstResult, VertexMachine* machine);
  // Inputs of the last vertex whose elements changed. Known only for guarded vertices, and for the form's `writtenInputs`.
  const std::vector<uint32_t>& writtenInputs() const { return m_writtenInputs; }
  // After `bothEnds`: the Inputs to which the code stores or may store, even if the values stay equal.
  const std::vector<uint32_t>& storedInputs() const { return m_storedInputs; }
  // Names of the fields (empty: the object) beside which the last vertex read or wrote, with `zerosBeside`.
  const std::vector<std::string>& readsOutside() const { return m_readsOutside; }
  const std::vector<std::string>& writesOutside() const { return m_writesOutside; }
  // Explains the fault that ended the last vertex: message, advice, and the field if it is known.
  struct Explained {
    std::string message, field, advice;
  };
  Explained explain(const VertexFault& fault, int64_t stackBytes) const;

private:
  void gather(const VertexPlan::Vertex& vertex);
  void guard(bool atEnd);
  void* buildObject(const VertexPlan::Vertex& vertex, VertexWay way);
  int64_t call(uint32_t vertex, void* object, bool counted);
  void findStoredInputs(const VertexPlan::Vertex& vertex, VertexWay way, bool runsAgain);
  void tryOtherEnd(const VertexPlan::Vertex& vertex, VertexWay way);
  void findOutside(const std::vector<GuardedFields::Escape>& escapes, std::vector<std::string>& names) const;
  void moveKept(bool toCopies);
  void checkOutside(bool zerosBeside);
  void findWrittenInputs(const VertexPlan::Vertex& vertex);
  void putBackInputs(const VertexPlan::Vertex& vertex);
  bool isCopied(const VertexPlan::Vertex& vertex, uint32_t edge) const;
  std::size_t neighbours(const VertexPlan::Vertex& vertex, std::size_t edge) const;
  void putBack(const VertexPlan::Vertex& vertex, uint64_t firstResult);
  void scatter(const VertexPlan::Edge& edge, std::byte* from, int64_t gathered, uint64_t result);
  void requireNumbers() const;
  bool keepState(const VertexPlan::Vertex& vertex, const std::byte* object);
  std::string fieldOf(std::size_t edge) const;
  Explained escaped(const GuardedFields::Escape& escape, const char* does) const;

  const VertexPlan& m_plan;
  std::size_t m_set;
  TensorStore& m_tensors;
  unsigned m_workers;
  int64_t m_maxInstructions;
  const InputWritten& m_inputWritten;
  std::vector<uint32_t> m_writtenInputs, m_storedInputs;
  std::vector<std::string> m_readsOutside, m_writesOutside;
  const VertexPlan::Form* m_form = nullptr; // the form of the running vertex
  bool m_guarded = false;
  VertexMachine* m_machine = nullptr;
  graph::Counters* (*m_countersOf)() = nullptr; // library whose counters the next member returns
  graph::Counters* m_counters = nullptr;
};

} // namespace simcore::run
