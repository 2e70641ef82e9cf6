#include "ui/views/program/program_reading.h"

#include "analyser/program/model_layers.h"
#include "analyser/session/in_report.h"
#include "ui/tables/paired.h"

#include <QObject>

#include <algorithm>
#include <map>

namespace ui::program {

using analyser::program::Node;
using analyser::program::Program;

namespace {

// The layers of A, then those that only B has, so that a layer has one colour in both reports.
std::vector<std::string> layersOfBoth(const std::array<Program, 2>& programs) {
  auto layers = analyser::program::layersOf(programs[InA]);
  for (std::string& layer : analyser::program::layersOf(programs[InB]))
    if (std::find(layers.begin(), layers.end(), layer) == layers.end()) layers.push_back(std::move(layer));
  return layers;
}

void align(ProgramAnswer& answer, ColourBy by, const std::vector<std::string>& layers, const std::stop_token& stop) {
  const auto& [a, b] = answer.programs;
  auto steps = std::make_shared<const analyser::compare::ProgramDifference>(analyser::compare::programDifference(a, b, stop));
  std::vector<tables::RowPair> pairs;
  for (const auto& node : steps->nodes) {
    pairs.push_back({node.parent, node.inBase, node.inOther});
    answer.nodes.push_back({node.inBase, node.inOther});
  }
  for (const Report report : {InA, InB}) {
    answer.rows[report].assign(answer.programs[report].nodes.size(), -1);
    for (std::size_t row = 0; row < answer.nodes.size(); ++row)
      if (const int node = answer.nodes[row][report]; node >= 0) answer.rows[report][std::size_t(node)] = int(row);
  }
  auto tree = tables::paired(*programTree(a, by, layers), *programTree(b, by, layers), pairs, {QStringLiteral("step")});
  for (std::size_t row = 0; row < tree->rows.size(); ++row) {
    tree->rows[row].id = int64_t(row);
    auto& name = std::get<QString>(tree->rows[row].cells.front());
    if (pairs[row].inA < 0 || pairs[row].inB < 0)
      name = (pairs[row].inB < 0 ? QObject::tr("%1 (only in A)") : QObject::tr("%1 (only in B)")).arg(name);
  }
  // Pairs the functions as the tree does, so that a function has the same B in both lists.
  const auto rootsInA = rootTable(a), rootsInB = rootTable(b);
  std::map<int64_t, int> rowsInB; // by node
  for (std::size_t row = 0; row < rootsInB->rows.size(); ++row) rowsInB.emplace(rootsInB->rows[row].id, int(row));
  std::vector<tables::RowPair> rootPairs;
  std::vector<int> rootRows; // of the tree, by pair
  for (std::size_t root = 0; root < rootsInA->rows.size(); ++root) {
    const int row = answer.rows[InA][std::size_t(rootsInA->rows[root].id)];
    const auto match = rowsInB.extract(answer.nodes[std::size_t(row)][InB]);
    rootPairs.push_back({-1, int(root), match.empty() ? -1 : match.mapped()}), rootRows.push_back(row);
  }
  for (const auto& [node, root] : rowsInB)
    rootPairs.push_back({-1, -1, root}), rootRows.push_back(answer.rows[InB][std::size_t(node)]);
  auto roots = tables::paired(rootsInA, rootsInB, rootPairs, {});
  for (tables::Row& row : roots->rows) row.id = rootRows[std::size_t(row.id)];
  answer.tree = std::move(tree), answer.roots = std::move(roots), answer.steps = std::move(steps);
  answer.paths = std::make_shared<const analyser::compare::ProgramDifference>(analyser::compare::pathDifference(a, b));
}

} // namespace

const Node* ProgramAnswer::nodeAt(int row, Report report) const {
  const int node = row < 0 || std::size_t(row) >= nodes.size() ? -1 : nodes[std::size_t(row)][report];
  return node < 0 ? nullptr : &programs[report].nodes[std::size_t(node)];
}

int ProgramAnswer::rowOf(reports::ProgramStepId step, Report report) const {
  const int node = step.valid() ? programs[report].indexOf(step) : -1;
  return node < 0 ? -1 : rows[report][std::size_t(node)];
}

ProgramAnswer readProgram(const shell::ReportsOfView& reports, ColourBy by, const std::stop_token& stop) {
  auto both = reports.each([&](analyser::Session& session) {
    return analyser::inReport(session, [&] { return analyser::program::programTree(session, stop); });
  });
  ProgramAnswer answer;
  answer.programs = {std::move(both.base), both.other ? std::move(*both.other) : Program()};
  const auto layers = layersOfBoth(answer.programs);
  if (both.other) {
    align(answer, by, layers, stop);
    return answer;
  }
  const Program& program = answer.programs[InA];
  answer.tree = programTree(program, by, layers), answer.roots = rootTable(program);
  for (std::size_t i = 0; i < program.nodes.size(); ++i) answer.nodes.push_back({int(i), -1}), answer.rows[InA].push_back(int(i));
  return answer;
}

// Nodes are in depth-first order, so the nodes inside one follow it.
std::optional<StepsInside> insideOf(const ProgramAnswer& answer, int row, Report report) {
  const Node* outer = answer.nodeAt(row, report);
  if (!outer || (outer->children == 0 && !outer->callee.valid())) return std::nullopt;
  const Program& program = answer.programs[report];
  StepsInside inside{0, outer->cycles, outer->inclusive, program.total.value() > 0 ? ratio(outer->cycles, program.total) : 0};
  for (const Node* n = outer + 1; n != program.nodes.data() + program.nodes.size() && n->depth > outer->depth; ++n)
    ++inside.steps;
  return inside;
}

StepAnswer readStep(const shell::ReportsOfView& reports, const ProgramAnswer& answer, int row, const std::stop_token& stop) {
  const auto read = [&](analyser::Session& session, Report report) {
    StepAnswer step;
    const Node* node = answer.nodeAt(row, report);
    if (!node) return step; // only the other report has it
    step.details = analyser::program::stepDetails(session, node->id, stop);
    step.layer = node->layer;
    step.tilesPerIpu = session.machine().tilesPerIpu;
    step.inside = insideOf(answer, row, report);
    step.vertices = vertexTable(step.details);
    step.debug = debugTree(step.details);
    if (node->exchange.valid()) {
      step.traffic = std::make_shared<const analyser::program::ExchangeTraffic>(
          analyser::program::exchangeTraffic(session, node->exchange, stop));
      step.partners = exchangeTables(*step.traffic);
    }
    if (step.details.livenessStep)
      step.variables = variableTree(analyser::liveness::liveAt(session, *step.details.livenessStep, stop), step.details);
    return step;
  };
  StepAnswer step = reports.baseWorker()->use([&](analyser::Session& session) { return read(session, InA); });
  if (!reports.areTwo()) return step;
  StepAnswer other = reports.otherWorker()->use([&](analyser::Session& session) { return read(session, InB); });
  step.vertices = tables::paired(step.vertices, other.vertices, {QStringLiteral("type")});
  step.variables = tables::paired(step.variables, other.variables, {QStringLiteral("variable")});
  step.debug = tables::paired(step.debug, other.debug, {QStringLiteral("layer")});
  step.partners = pairedTables(step.partners, other.partners);
  step.other = std::make_shared<const StepAnswer>(std::move(other));
  return step;
}

} // namespace ui::program
