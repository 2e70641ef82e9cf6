// Location of the values of a pipeline in each of its stages. In training, a model cut into P parts has 2 P - 1 stages: forward
// through part 0 to P - 1, then backward to part 0; the last part does both in one stage. In inference it has P stages. A part
// runs on one IPU; an IPU may run several parts, but not two neighbours. A micro-batch reaches each stage one cycle after the
// previous stage. So a value that a later stage reads either waits on its IPU in a stash, a ring of (later - earlier + 1)
// entries, or moves to the neighbour IPU with the exchange at the end of each cycle (programming-model 3.4).
#pragma once

#include "simcore/ops/collective/inter_ipu.h"

#include <algorithm>
#include <functional>
#include <map>

namespace simcore::ops {

class StageRoutes {
public:
  // `startOf` returns the program at the begin of a stage.
  using ProgramOfStage = std::function<Sequence&(int stage)>;
  StageRoutes(Graph& graph, DebugContextId context, std::vector<int> ipuOfPart, ProgramOfStage startOf, bool goesBack = true);

  // Stashes are remote buffers, one row per entry.
  void stashRemotely() { m_remote = true; }
  int stages() const { return m_goesBack ? 2 * parts() - 1 : parts(); }
  // The backward stage for a forward stage's part, and vice versa; the last part's stage is its own mirror. Only in training.
  int mirrorOf(int stage) const { return stages() - 1 - stage; }
  int partOf(int stage) const { return m_goesBack ? std::min(stage, mirrorOf(stage)) : stage; }
  int ipuOf(int stage) const { return m_ipuOfPart[std::size_t(partOf(stage))]; }

  // Further nodes belong to this stage; their values are stashed by steps appended to `made`, or at the stage's start if that is
  // null (inputs).
  void enter(int stage, Sequence* made);
  int stage() const { return m_stage; }

  // Registers a value made in the current stage. `call` distinguishes calls of one function that write to the same variables.
  void made(const std::string& name, const Tensor& value, int call = 0);
  bool knows(const std::string& name) const { return m_values.count(name) != 0; }
  int stageOf(const std::string& name) const { return m_values.at(name).stage; }
  const Tensor& original(const std::string& name) const { return m_values.at(name).tensor; }
  // The value in the current stage; steps that restore it are appended to `program`.
  Tensor here(const std::string& name, Sequence& program);
  // The value in the current stage if it is already there, else invalid.
  Tensor known(const std::string& name) const;

  // Values that the exchange at the end of a cycle moves.
  const std::vector<IpuCopy>& crossings() const { return m_crossings; }
  // Appends to each stage with a stash the step that advances its ring by one; call once, at the end.
  void finish(const ProgramOfStage& endOf);

private:
  struct Value {
    Tensor tensor;
    int stage = 0, call = 0;
    Sequence* made = nullptr; // null: not made by a node of the stage (an input)
  };
  struct Copy {
    Tensor tensor;
    Sequence* restored = nullptr; // program that reads the value from a stash; null: the value is there when the stage starts
  };
  using Copies = std::map<int, Copy>; // by stage
  struct Arrival {
    int stage = 0;
    Sequence* made = nullptr;
  };
  Tensor copyIn(Copies& copies, const std::string& name, int stage, const Arrival& arrival, Sequence& program);
  Tensor stashed(const Tensor& value, const std::string& name, int from, int to, Sequence& made, Sequence& program);
  Tensor stashedRemotely(const Tensor& value, const std::string& name, int from, int to, Sequence& made, Sequence& program);
  Tensor crossed(const Tensor& value, const std::string& name, int stage);
  // The counter of all rings of a stage with `entries` entries.
  Tensor counter(int stage, int64_t entries);
  int parts() const { return int(m_ipuOfPart.size()); }

  Graph& m_graph;
  DebugContextId m_context;
  std::vector<int> m_ipuOfPart;
  ProgramOfStage m_startOf;
  int m_stage = 0, m_stashes = 0;
  bool m_remote = false, m_goesBack;
  Sequence* m_made = nullptr;
  std::map<std::string, Value> m_values;
  std::map<std::pair<uint32_t, int>, Copies> m_copies; // copies of whole variables, by variable and call
  // values whose view has more than kMostRegions pieces, copied as a whole; by name
  std::map<std::string, Copies> m_copiesOfViews;
  std::map<std::pair<std::string, int>, Tensor> m_views; // other values that are parts of variables, by stage
  std::map<std::pair<int, int64_t>, Tensor> m_counters;  // by stage and entries of a ring
  std::vector<IpuCopy> m_crossings;
};

} // namespace simcore::ops
