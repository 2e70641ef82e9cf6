#include "ui/window/finder.h"

#include "analyser/memory/tile_memory.h"
#include "ui/state/view_state.h"
#include "ui/tables/typed_pattern.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"

#include <QRegularExpression>

namespace ui::shell {

namespace {
constexpr std::size_t kMostOfEach = 30;
constexpr qsizetype kLeastLetters = 2;
} // namespace

Finder::Finder(ViewState& state, jobs::JobBoard& jobs, QObject* parent)
    : QObject(parent), m_state(state), m_job(tr("Reading names for the search"), &jobs) {
  m_job.giveWay();
  connect(&m_job, &jobs::JobBase::busyChanged, this, &Finder::changed);
}

void Finder::setSession(SessionPointer session) {
  m_job.drop();
  m_session = std::move(session);
  m_problem.clear();
}

void Finder::prepare() {
  if (!m_session || m_job.result() || m_job.isBusy()) return;
  m_job.start([base = std::shared_ptr<const analyser::Session>(m_session)](
                  const std::stop_token& stop, reports::Progress&) { return readIndex(*base->reopen(), stop); },
              [this](const ReportIndex&) { emit changed(); },
              [this](const reports::Error& error) {
                m_problem = theme::messageText(error.what());
                emit changed();
              });
}

std::vector<Command> Finder::find(const QString& typed) {
  std::vector<Command> list;
  const QString text = typed.trimmed();
  if (const auto expression = tables::typedExpression(text))
    if (const QString why = tables::TypedPattern(*expression).problem(); !why.isEmpty())
      return {{tr("The regular expression is not valid"), why, "error", {}, {}}};
  addTiles(list, typed);
  addRange(list, typed);
  if (!m_problem.isEmpty()) list.push_back({tr("The names could not be read"), m_problem, "error", {}, {}});
  const auto index = m_job.result();
  if (!index || typed.trimmed().size() < kLeastLetters) return list;
  const NamesFound found = findNames(*index, typed, kMostOfEach);
  for (const NamedThing* thing : found.shown) list.push_back(commandOf(*thing));
  const auto all = int64_t(found.shown.size() + found.left);
  if (all > 1)
    list.push_back(
        {tr("%1 found").arg(theme::count(all)),
         found.left > 0 ? tr("%1 not listed; type more of the name").arg(theme::count(int64_t(found.left))) : QString(),
         "search",
         {},
         {}});
  return list;
}

Command Finder::commandOf(const NamedThing& thing) {
  const auto go = [this](const QString& view, auto select) {
    return [this, view, select] {
      m_state.messages().send(ShowAll{view});
      select(m_state);
      emit viewRequested(view);
    };
  };
  const QString cycles = m_state.format().cycles(reports::Cycles(thing.cost));
  switch (thing.kind) {
  case NamedThing::Kind::Operation:
    return {thing.name, tr("operation · %1").arg(thing.what), "operations", cycles,
            go("operations", [id = thing.operation, step = thing.step](ViewState& state) { state.setOperation(id, step); })};
  case NamedThing::Kind::Step:
    return {thing.name, tr("step · %1").arg(thing.what), "program", cycles,
            go("program", [id = thing.step](ViewState& state) { state.setStep(id); })};
  case NamedThing::Kind::Variable: break;
  }
  return {thing.name, tr("variable · %1").arg(thing.what), "memory", m_state.format().bytes(reports::Bytes(thing.cost)),
          go("memory", [id = thing.variable](ViewState& state) { state.setVariable(id); })};
}

// "cycles 120,000-250,000"; the word is optional if the numbers are not tiles.
void Finder::addRange(std::vector<Command>& list, const QString& typed) {
  static const QRegularExpression kRange(
      QStringLiteral("^\\s*(cycles?\\s+)?(\\d[\\d,_]*)\\s*(?:-|–|\\.\\.|to)\\s*(\\d[\\d,_]*)\\s*$"),
      QRegularExpression::CaseInsensitiveOption);
  const auto match = kRange.match(typed);
  if (!m_session || m_session->machine().tiles() == 0 || !match.hasMatch() || (!match.hasCaptured(1) && !list.empty())) return;
  const auto number = [&](int group) { return match.captured(group).remove(',').remove('_').toLongLong(); };
  const reports::TickRange range{number(2), number(3)};
  if (range.begin >= range.end) return; // the second number is not complete yet
  list.push_back({tr("Cycles %1 to %2").arg(theme::count(range.begin), theme::count(range.end)),
                  tr("show in Trace"),
                  "trace",
                  {},
                  [this, range] {
                    m_state.setRange(range);
                    emit viewRequested(QStringLiteral("trace"));
                  }});
}

// "12", "tile 12", "tiles 0, 5-8".
void Finder::addTiles(std::vector<Command>& list, const QString& typed) {
  static const QRegularExpression kTiles(QStringLiteral("^\\s*(?:tiles?\\s+)?(\\d[\\d,\\s-]*)$"),
                                         QRegularExpression::CaseInsensitiveOption);
  const auto match = kTiles.match(typed);
  if (!m_session || !match.hasMatch()) return;
  try {
    auto tiles = analyser::memory::parseTileSelection(m_session->machine(), match.captured(1).toStdString());
    if (tiles.empty()) return;
    list.push_back({tiles.size() == 1 ? tr("Tile %1").arg(tiles.front().value()) : tr("%1 tiles").arg(tiles.size()),
                    tr("select in Memory"),
                    "memory",
                    {},
                    [this, tiles] {
                      m_state.messages().send(ShowAll{QStringLiteral("memory")});
                      m_state.setTiles(tiles);
                      emit viewRequested(QStringLiteral("memory"));
                    }});
  } catch (const reports::Error&) {
    // An incomplete number, or a tile that this machine does not have.
    static const QRegularExpression kWhole(QStringLiteral("tiles?\\s+\\d+(-\\d+)?\\s*$"),
                                           QRegularExpression::CaseInsensitiveOption);
    if (m_session->machine().tiles() > 0 && kWhole.match(typed).hasMatch())
      list.push_back({tr("This tile does not exist"),
                      tr("tiles 0 to %1").arg(theme::count(m_session->machine().tiles() - 1)),
                      "error",
                      {},
                      {}});
  }
}

} // namespace ui::shell
