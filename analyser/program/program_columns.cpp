#include "analyser/program/program_columns.h"

#include "analyser/session/format.h"

namespace analyser::program {

using columns::Columns;
using columns::Kind;
using columns::knownIf;
using columns::Sum;
using columns::Thing;

std::string stepTitle(const std::string& kind, const std::string& label) {
  if (label.empty() || label == kind) return kind;
  return kind.empty() ? label : kind + " · " + label;
}

namespace {

constexpr const char *kWithCalls = "Over the run, including called functions",
                     *kWithoutCalls = "Over the run, excluding called functions",
                     *kStepId = "program_step.id, as in Query and on the command line";

std::string kindText(const Node& n) { return n.kind + (n.repeatCount ? " × " + formatCount(*n.repeatCount) : ""); }

std::string stepText(const Node& n) {
  return stepTitle(n.kind, n.title) + (n.repeatCount ? " × " + std::to_string(*n.repeatCount) : "");
}
// A group without own cycles has an empty cell, not 0.
bool counts(const Node& n) { return n.children == 0 || n.inclusive > Cycles(); }

std::optional<Cycles> ownCycles(const Node& n) {
  return knownIf(!n.callee.valid() && (n.children == 0 || n.cycles > Cycles()), n.cycles);
}

// Its executions; unknown if no step inside ran.
std::optional<int64_t> executionsOf(const Node& n) { return knownIf(n.executions > 0, n.executions); }

} // namespace

Columns<Node> nodeColumns(const Program& program) {
  const Cycles total = program.total;
  return {{"step", "Step", Kind::Text, "Kind and label", &stepText},
          {"name", "Step", Kind::Name, "Its label; the kind has its own column",
           [](const Node& n) { return n.title.empty() ? n.kind : n.title; }},
          {"kind", "Kind", Kind::Text, "", &kindText},
          {"cycles", "Cycles", Kind::Cycles, kWithCalls, [](const Node& n) { return knownIf(counts(n), n.inclusive); }},
          {"own", "Own", Kind::Cycles, kWithoutCalls, &ownCycles},
          {"share", "Share", Kind::Percent, "Of the whole program's cycles",
           [total](const Node& n) { return knownIf(counts(n), total > Cycles() ? ratio(n.inclusive, total) : 0.0); }},
          {"executions", "Executions", Kind::Count, "", &executionsOf},
          {"id", "Id", Kind::Count, kStepId, &Node::id},
          {"layer", "Layer", Kind::Text, "Of the model", &Node::layer},
          {"bytes", "Bytes", Kind::Bytes, "Received, with the functions it calls", &Node::inclusiveBytes},
          {"flops", "FLOPs", Kind::Flops, "With the functions it calls", &Node::inclusiveFlops},
          {"code", "Code", Kind::Bytes, "", &Node::codeBytes}};
}

namespace {
// The path of a function's first call, without trailing parts that repeat the function's name: a narrow column shows the end of a
// path, which would be equal for all functions of that name.
std::string firstCallOf(const Program& program, const Root& root) {
  if (root.firstCall < 0) return {};
  const std::string& label = program.nodes[std::size_t(root.node)].label;
  std::string path = program.nodes[std::size_t(root.firstCall)].name;
  while (path.size() > label.size() + 1 && path.ends_with('/' + label))
    path.resize(path.size() - label.size() - 1); // the call and its layer may both have the function's name
  return path;
}
} // namespace

Columns<Root> rootColumns(const Program& program) {
  const auto nodeOf = [&program](const Root& r) -> const Node& { return program.nodes[std::size_t(r.node)]; };
  return {{"name", "Name", Kind::Name, "",
           [nodeOf](const Root& r) { return nodeOf(r).title.empty() ? nodeOf(r).kind : nodeOf(r).title; }},
          {"kind", "Kind", Kind::Text, "", [nodeOf](const Root& r) { return nodeOf(r).kind; }},
          {"cycles", "Cycles", Kind::Cycles, kWithCalls, [nodeOf](const Root& r) { return nodeOf(r).inclusive; }},
          {"own", "Own", Kind::Cycles, kWithoutCalls, [nodeOf](const Root& r) { return nodeOf(r).cycles; }, Sum::Yes},
          {"steps", "Steps", Kind::Count, "Steps inside", &Root::steps, Sum::Yes},
          {"calls", "Calls", Kind::Count, "Steps that call it",
           [nodeOf](const Root& r) { return knownIf(nodeOf(r).kind == "Function", r.calls); }},
          {"firstCalledIn", "First called in", Kind::Name, "The path of the first step that calls it",
           [&program](const Root& r) { return firstCallOf(program, r); }},
          {"executions", "Executions", Kind::Count, "", [nodeOf](const Root& r) { return executionsOf(nodeOf(r)); }},
          {"code", "Code", Kind::Bytes, "Exchange and control code, over all tiles",
           [nodeOf](const Root& r) { return nodeOf(r).codeBytes; }, Sum::Yes},
          {"id", "Id", Kind::Count, kStepId, [nodeOf](const Root& r) { return nodeOf(r).id; }}};
}

const Columns<StepVertices>& stepVertexColumns() {
  using Row = StepVertices;
  static const Columns<Row> columns = {{"type", "Vertex type", Kind::Name, "", &Row::type},
                                       {"vertices", "Vertices", Kind::Count, "", &Row::vertices},
                                       {"tiles", "Tiles", Kind::Count, "", &Row::tiles},
                                       {"cycles", "Cycles", Kind::Cycles, "Of one execution, summed over tiles", &Row::cycles},
                                       {"cyclesFrom", "Cycles are", Kind::Text,
                                        "Where the cycles come from: a formula, the program, or the code of the codelet",
                                        &Row::cyclesFrom},
                                       {"state", "State", Kind::Bytes, "", &Row::stateBytes},
                                       {"source", "Source", Kind::Text, "The file and line of its compute()", &Row::source}};
  return columns;
}

const Columns<StepVariable>& stepVariableColumns() {
  using Row = StepVariable;
  static const Columns<Row> columns = {
      {"variable", "Variable", Kind::Text, "", &Row::name},
      {"here", "Access", Kind::Text,
       "Whether the step reads or writes the variable, and whether the variable's life begins or ends at this step", &Row::use},
      {"bytes", "Bytes", Kind::Bytes, "Over all tiles", &Row::bytes},
      {"tiles", "Tiles", Kind::Count, "", &Row::tiles},
      {"live", "Live", Kind::Text, "",
       [](const Row& v) { return v.alwaysLive ? columns::Cell(*v.alwaysLive ? "always" : "not always") : columns::Cell(); }}};
  return columns;
}

std::vector<StepWork> workOf(const StepDetails& step) {
  std::vector<StepWork> rows;
  for (const StepVertices& v : step.vertices)
    rows.push_back(
        {v.type, v.kind, v.vertices, v.tiles, v.cycles, v.flops, v.stateBytes, {}, {}, {{Thing::VertexType, -1, v.type}}});
  if (rows.empty() && step.executions > 0)
    rows.push_back({step.exchange.empty() ? step.name : step.exchange,
                    step.kind,
                    {},
                    step.activeTiles,
                    step.busyCycles,
                    step.flops,
                    {},
                    step.bytesIn,
                    step.bytesOut,
                    columns::about(Thing::Step, step.id)});
  return rows;
}

Columns<StepWork> workColumns(const StepDetails& step) {
  using Row = StepWork;
  constexpr const char* kBytes = "Bytes of one execution";
  Columns<Row> columns = {
      {"name", step.vertices.empty() ? "Step" : "Vertex type", Kind::Name, "", &Row::name},
      {"vertices", "Vertices", Kind::Count, "", &Row::vertices, Sum::Yes},
      {"tiles", "Tiles", Kind::Count, "", &Row::tiles},
      {"tileCycles", "Tile-cycles", Kind::Count, "Cycles of one execution, summed over the tiles of the chosen scope",
       &Row::cycles, Sum::Yes},
      {"flops", "FLOPs", Kind::Flops, "FLOPs of one execution, summed over the tiles of the chosen scope", &Row::flops, Sum::Yes},
      {"state", "State", Kind::Bytes, "Bytes of vertex state, summed over the tiles of the chosen scope", &Row::state, Sum::Yes}};
  if (step.bytesIn > Bytes()) columns.push_back({"received", "Received", Kind::Bytes, kBytes, &Row::received});
  if (step.bytesOut > Bytes()) columns.push_back({"sent", "Sent", Kind::Bytes, kBytes, &Row::sent});
  columns.push_back({"kind", "Kind", Kind::Text, "", &Row::kind});
  return columns;
}

} // namespace analyser::program
