#include "analyser/program/related.h"

#include "analyser/session/debug_contexts.h"
#include "reports/core/error.h"
#include "reports/sqlite/reader.h"

#include <functional>
#include <set>
#include <unordered_map>

namespace analyser::program {

using columns::Subject;
using columns::Thing;

namespace {

using reports::Error;
using reports::ErrorCode;

[[noreturn]] void refuse(const Subject& subject) {
  const std::string which = subject.name.empty() ? std::to_string(subject.id) : subject.name;
  throw Error(ErrorCode::NotFound, "the report has no " + std::string(titleOf(subject.thing)) + " " + which);
}

// Tile-cycles of every step over the run.
std::unordered_map<int64_t, int64_t> cyclesOfSteps(Session& session, const std::stop_token& stop) {
  std::unordered_map<int64_t, int64_t> cycles;
  session.reader().forEach<reports::StepProfileRow>(
      {}, {}, [&](const reports::StepProfileRow& row) { cycles[row.programStepId] += row.busyCycles * row.executions; }, stop);
  return cycles;
}

// The step with most tile-cycles for which isMeant is true; if none of them ran, the first of them.
reports::ProgramStepId costliest(Session& session, const std::function<bool(const reports::ProgramStepRow&)>& isMeant,
                                 const std::stop_token& stop) {
  const auto cycles = cyclesOfSteps(session, stop);
  reports::ProgramStepId found;
  int64_t most = -1;
  session.reader().forEach<reports::ProgramStepRow>(
      "liveness_step IS NOT NULL", {},
      [&](const reports::ProgramStepRow& row) {
        if (!isMeant(row)) return;
        const auto cost = cycles.find(row.id);
        const int64_t own = cost == cycles.end() ? 0 : cost->second;
        if (own > most) most = own, found = reports::ProgramStepId(std::size_t(row.id));
      },
      stop);
  return found;
}

void setOperation(Session& session, std::optional<int64_t> debugContext, Related& related) {
  const auto context = OperationNames(session).contextOf(debugContext);
  if (!context) return;
  const auto row = session.reader().first<reports::OperationRow>("debug_context_id = ?", {*context});
  if (row) related.operation = reports::OperationId(std::size_t(row->id)), related.operationName = row->name;
}

void addVariable(Session& session, const Subject& subject, Related& related) {
  const auto name = subject.id < 0 ? session.findText(subject.name) : std::nullopt; // the first of several equal names
  const auto row = name ? session.reader().first<reports::VariableRow>("name_id = ?", {int64_t(name->value())})
                        : session.reader().first<reports::VariableRow>("id = ?", {subject.id});
  if (!row) refuse(subject);
  related.name = session.text(row->nameId);
  related.variable = reports::VariableId(std::size_t(row->id));
  related.isAlwaysLive = row->alwaysLive != 0;
  if (!row->alwaysLive && row->liveIntervalCount > 0) {
    const auto ends =
        reports::unpackDeltas(row->liveIntervals, std::size_t(row->liveIntervalCount) * 2, "variable.live_intervals");
    if (const auto step = session.reader().first<reports::LivenessStepRow>("ordinal = ?", {ends.front()}))
      related.step = reports::ProgramStepId(std::size_t(step->programStepId));
  }
  setOperation(session, row->debugContextId, related);
}

void addStep(Session& session, const Subject& subject, Related& related) {
  const auto row = session.reader().first<reports::ProgramStepRow>("id = ?", {subject.id});
  if (!row) refuse(subject);
  related.name = session.text(row->nameId);
  related.step = reports::ProgramStepId(std::size_t(row->id));
  setOperation(session, row->debugContextId, related);
}

void addOperation(Session& session, const Subject& subject, Related& related, const std::stop_token& stop) {
  const auto row = subject.id >= 0 ? session.reader().first<reports::OperationRow>("id = ?", {subject.id})
                                   : session.reader().first<reports::OperationRow>("name = ?", {subject.name});
  if (!row) refuse(subject);
  related.name = related.operationName = row->name;
  related.operation = reports::OperationId(std::size_t(row->id));
  const OperationNames names(session, stop);
  related.step = costliest(
      session,
      [&, context = row->debugContextId](const reports::ProgramStepRow& step) {
        return names.contextOf(step.debugContextId) == context;
      },
      stop);
}

// The step of a vertex type is the costliest one whose compute set has vertices of this type.
void addVertexType(Session& session, const Subject& subject, Related& related, const std::stop_token& stop) {
  const auto text = session.findText(subject.name);
  const auto row = subject.id >= 0 ? session.reader().first<reports::VertexTypeRow>("id = ?", {subject.id})
                   : text          ? session.reader().first<reports::VertexTypeRow>("name_id = ?", {int64_t(text->value())})
                                   : std::nullopt;
  if (!row) refuse(subject);
  related.name = session.text(row->nameId);
  related.vertexType = row->id;
  std::set<int64_t> computeSets;
  session.reader().forEach<reports::ComputeSetVerticesRow>(
      "vertex_type_id = ?", {row->id}, [&](const reports::ComputeSetVerticesRow& use) { computeSets.insert(use.computeSetId); },
      stop);
  related.step = costliest(
      session, [&](const reports::ProgramStepRow& step) { return step.computeSetId && computeSets.contains(*step.computeSetId); },
      stop);
}

void addComputeSet(Session& session, const Subject& subject, Related& related, const std::stop_token& stop) {
  const auto row = session.reader().first<reports::ComputeSetRow>("id = ?", {subject.id});
  if (!row) refuse(subject);
  related.name = session.text(row->nameId);
  related.step = costliest(
      session, [&](const reports::ProgramStepRow& step) { return step.computeSetId == subject.id; }, stop);
  setOperation(session, row->debugContextId, related);
}

} // namespace

Related relatedOf(Session& session, const Subject& subject, std::stop_token stop) {
  Related related;
  if (subject.id > INT32_MAX) refuse(subject);
  switch (subject.thing) {
  case Thing::Variable: addVariable(session, subject, related); break;
  case Thing::Step: addStep(session, subject, related); break;
  case Thing::Operation: addOperation(session, subject, related, stop); break;
  case Thing::VertexType: addVertexType(session, subject, related, stop); break;
  case Thing::ComputeSet: addComputeSet(session, subject, related, stop); break;
  case Thing::Category:
  case Thing::Region: related.name = subject.name; break;
  case Thing::Tile:
    if (subject.id < 0 || subject.id >= session.machine().tiles()) refuse(subject);
    related.name = "tile " + std::to_string(subject.id);
    related.tile = TileId(std::size_t(subject.id));
    break;
  }
  return related;
}

} // namespace analyser::program
