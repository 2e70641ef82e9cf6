#include "ui/views/liveness/liveness_reading.h"

#include "analyser/compare/liveness_difference.h"
#include "ui/tables/paired.h"
#include "ui/theme/report_text.h"
#include "ui/views/liveness/liveness_tables.h"

#include <algorithm>

namespace ui::liveness {

namespace {

constexpr std::size_t kLifetimes = 200;
const QStringList kOfVariables{QStringLiteral("variable"), QStringLiteral("operation")};

bool hasScope(analyser::Session& session, const std::string& scope) {
  const auto scopes = analyser::liveness::scopes(session);
  return scope == analyser::liveness::kTilesScope || std::find(scopes.begin(), scopes.end(), scope) != scopes.end();
}

// The initial scope is all IPUs. If the program does not fit, it is the tile that is too full, because all tiles together may
// have room.
std::string firstScope(analyser::Session& session) {
  const std::string deciding = analyser::liveness::decidingScope(session);
  return deciding.starts_with("tile.") ? deciding : "all";
}

LivenessAnswer answerOf(analyser::Session& session, const std::string& asked, const std::vector<reports::TileId>& tiles,
                        const std::stop_token& stop) {
  namespace liveness = analyser::liveness;
  const bool ofTiles = asked == liveness::kTilesScope;
  const std::string scope = asked.empty() ? firstScope(session) : asked;
  LivenessAnswer answer;
  const liveness::ScopeBytes bytes =
      ofTiles ? liveness::bytesOnTiles(session, tiles, stop) : liveness::scopeBytes(session, scope, stop);
  answer.liveness =
      ofTiles ? liveness::livenessOfTiles(session, tiles, bytes, stop) : liveness::liveness(session, scope, bytes, stop);
  answer.tiles = ofTiles ? tiles : liveness::tilesOfScope(session.machine(), scope);
  answer.lifetimes = liveness::lifetimes(session, kLifetimes, bytes, stop);
  answer.shrink = liveness::shrinkOf(session, answer.liveness.curve, bytes, stop);
  answer.shrinkRows = shrinkTable(answer.shrink);
  answer.steps = stepTable(answer.liveness);
  answer.lives = std::make_shared<const liveness::LifeIndex>(session, bytes, stop);
  answer.gains = std::make_shared<const liveness::Gains>(answer.lives, answer.liveness.curve);
  const auto& always = answer.lives->alwaysLive();
  answer.always = liveTable(always, answer.lives->alwaysLiveBytes(), answer.gains->of(always));
  return answer;
}

AliveAtStep atStep(analyser::Session& session, const LivenessAnswer& answer, const SelectedSteps& selected,
                   const std::stop_token& stop) {
  namespace liveness = analyser::liveness;
  const auto [step, second, range] = selected;
  AliveAtStep at;
  if (step < 0) return at; // only the other report has the step
  at.live = answer.lives->at(session, step, stop);
  if (!range.empty()) {
    at.range = answer.lives->during(session, range, answer.liveness.curve, stop);
    at.inRange = rangeTable(*at.range);
  }
  if (second >= 0)
    at.difference = differenceTable(liveness::difference(at.live, answer.lives->at(session, second, stop)), step, second);
  const auto& alive = at.live.notAlwaysLive;
  at.notAlways = liveTable(alive, at.live.notAlwaysLiveBytes, answer.gains->of(alive));
  if (std::size_t(step) < answer.liveness.steps.size())
    if (const auto program = answer.liveness.steps[std::size_t(step)].programStep; program.valid()) {
      auto details = analyser::program::stepDetails(session, program, stop);
      if (!answer.tiles.empty()) details = analyser::program::partOnTiles(std::move(details), answer.tiles);
      at.work = workTable(details);
    }
  return at;
}

} // namespace

// Without a requested scope two reports show all their IPUs, because their critical IPUs may differ.
LivenessAnswer readLiveness(const shell::ReportsOfView& reports, const std::string& asked,
                            const std::vector<reports::TileId>& tiles, const std::stop_token& stop) {
  if (!reports.areTwo())
    return reports.baseWorker()->use([&](analyser::Session& session) { return answerOf(session, asked, tiles, stop); });
  const std::string scope = asked.empty() ? "all" : asked;
  auto both = reports.each([&](analyser::Session& session) {
    auto there = tiles;
    std::erase_if(there, [&](reports::TileId tile) { return int64_t(tile.value()) >= session.machine().tiles(); });
    return hasScope(session, scope) ? answerOf(session, scope, there, stop) : LivenessAnswer();
  });
  LivenessAnswer answer = std::move(both.base);
  const LivenessAnswer& other = *both.other;
  if (answer.liveness.curve.scope.empty())
    answer.liveness.curve.scope = scope, answer.liveness.curve.title = other.liveness.curve.title;
  answer.steps = tables::paired(answer.steps, other.steps, {QStringLiteral("kind"), QStringLiteral("name")});
  answer.always = tables::paired(answer.always, other.always, kOfVariables);
  answer.shrinkRows = tables::paired(answer.shrinkRows, other.shrinkRows, {QStringLiteral("category")});
  answer.other = std::make_shared<const LivenessAnswer>(std::move(*both.other));
  return answer;
}

AliveAtStep readStep(const shell::ReportsOfView& reports, const LivenessAnswer& answer, const SelectedSteps& inA,
                     const SelectedSteps& inB, const std::stop_token& stop) {
  AliveAtStep at = reports.baseWorker()->use([&](analyser::Session& session) { return atStep(session, answer, inA, stop); });
  if (!answer.other) return at;
  const AliveAtStep other =
      reports.otherWorker()->use([&](analyser::Session& session) { return atStep(session, *answer.other, inB, stop); });
  at.rangeInOther = other.range;
  at.notAlways = tables::paired(at.notAlways, other.notAlways, kOfVariables);
  at.work = tables::paired(at.work, other.work, {QStringLiteral("name")});
  if (at.difference || other.difference) at.difference = tables::paired(at.difference, other.difference, kOfVariables);
  if (at.inRange || other.inRange) at.inRange = tables::paired(at.inRange, other.inRange, kOfVariables);
  return at;
}

QString stepName(const LivenessAnswer& answer, int64_t step) {
  if (step < 0 || std::size_t(step) >= answer.liveness.steps.size()) return {};
  const auto& s = answer.liveness.steps[std::size_t(step)];
  return theme::reportText(s.name.empty() ? s.kind : s.name);
}

analyser::Sentence changeVerdict(const analyser::liveness::Liveness& a, const analyser::liveness::Liveness& b) {
  using Change = analyser::Sentence::Change<reports::Bytes>;
  const reports::Bytes always = b.curve.alwaysLive - a.curve.alwaysLive, peak = b.curve.peak - a.curve.peak;
  if (a.steps.empty() && b.steps.empty()) return "Neither report has liveness.";
  analyser::Sentence verdict;
  if (always == reports::Bytes() && peak == reports::Bytes())
    return verdict << "Always live " << a.curve.alwaysLive << " and " << a.curve.peak << " more at the peak in both reports.";
  return verdict << "Always live " << Change{always} << " (" << b.curve.alwaysLive << " instead of " << a.curve.alwaysLive
                 << "), at the peak not always live " << Change{peak} << " (" << b.curve.peak << " instead of " << a.curve.peak
                 << ").";
}

} // namespace ui::liveness
