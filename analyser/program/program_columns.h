// The columns of tables of the program: its tree of steps, the programs and functions in it, the vertices of a step.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/columns/subject.h"
#include "analyser/program/program_tree.h"

namespace analyser::program {

// The program must outlive the columns.
columns::Columns<Node> nodeColumns(const Program& program);
columns::Columns<Root> rootColumns(const Program& program);
const columns::Columns<StepVertices>& stepVertexColumns();

// A variable that is live at a step, or the sum of the live variables without an access.
struct StepVariable {
  reports::VariableId variable; // invalid for a sum
  std::string name, use;
  Bytes bytes;
  std::optional<int64_t> tiles = {};
  std::optional<bool> alwaysLive = {};
  reports::MemoryCategory category = {};
};
const columns::Columns<StepVariable>& stepVariableColumns();
inline columns::Subjects subjectsOf(const StepVariable& v) { return columns::about(columns::Thing::Variable, v.variable); }

// The cost of one execution of a step on the tiles of its details, by vertex type; a step without vertices (an exchange, a sync,
// a transfer) is one row.
struct StepWork {
  std::string name, kind;
  std::optional<int64_t> vertices = {};
  int64_t tiles = 0;
  Cycles cycles = {}; // summed over tiles
  Flops flops = {};
  std::optional<Bytes> state = {}, received = {}, sent = {};
  columns::Subjects about = {};
};
std::vector<StepWork> workOf(const StepDetails& step);
columns::Columns<StepWork> workColumns(const StepDetails& step);
inline columns::Subjects subjectsOf(const StepWork& work) { return work.about; }

inline columns::Subjects subjectsOf(const Node& node) { return columns::about(columns::Thing::Step, node.id); }
inline columns::Subjects subjectsOf(const StepVertices& vertices) { return {{columns::Thing::VertexType, -1, vertices.type}}; }

// "Execute · conv1/matmul": the kind of a step and its label, which may be equal or empty.
std::string stepTitle(const std::string& kind, const std::string& label);

} // namespace analyser::program
