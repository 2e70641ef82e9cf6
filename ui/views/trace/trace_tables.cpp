#include "ui/views/trace/trace_tables.h"

#include "analyser/trace/trace_columns.h"
#include "ui/parts/debug_rows.h"
#include "ui/parts/tile_time.h"
#include "ui/parts/track_source.h"
#include "ui/tables/described_table.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QObject>

namespace ui::trace {

using reports::Activity;

namespace {

// The row of the compute tiles has the name of the IPU alone; the row of its I/O tiles adds "I/O".
QString titleOf(const analyser::trace::IpuProportions& ipu) {
  return (ipu.io ? QObject::tr("IPU %1, I/O") : QObject::tr("IPU %1")).arg(ipu.ipu.valid() ? ipu.ipu.value() : 0);
}

} // namespace

std::shared_ptr<const tables::Table> proportionsTable(const analyser::trace::Proportions& proportions) {
  const tables::Look look{.optional = {"inComputeSteps", "internalOut", "globalOut", "toHost", "work"}};
  return tables::tableOf(analyser::trace::proportionColumns(proportions), proportions.ipus, look,
                         [](tables::Row& row, const auto& ipu) { row.id = int64_t(ipu.track.value()); });
}

std::shared_ptr<const tables::Table> wasteTable(const std::vector<analyser::trace::IpuTileCycles>& ipus) {
  std::vector<analyser::trace::IpuTileCycles> rows;
  if (ipus.size() > 1) {
    rows.emplace_back(); // all
    for (const auto& ipu : ipus) rows.front().cost += ipu.cost;
  }
  rows.insert(rows.end(), ipus.begin(), ipus.end());
  return tables::tableOf(analyser::trace::wasteColumns(), rows, {.bars = {"wasted"}},
                         [](tables::Row& row, const auto& ipu) { row.id = tables::idOf(ipu.track); });
}

namespace {
// For a single track there is space to print every share.
std::vector<plot::Bar> activityBars(const analyser::trace::IpuProportions& ipu, const theme::Theme& theme,
                                    const theme::Format& format) {
  std::vector<plot::Bar> bars;
  for (const auto& share : ipu.shares) {
    if (share.fraction <= 0) continue;
    plot::Bar bar;
    bar.title = theme::reportText(reports::activityName(share.activity));
    bar.title[0] = bar.title[0].toUpper();
    bar.text = format.cycles(share.cycles), bar.share = theme::percent(share.fraction);
    bar.tip = format.cyclesExact(share.cycles);
    bar.segments.push_back({share.fraction, [&theme, activity = share.activity] { return theme.activity(activity); }});
    bars.push_back(std::move(bar));
  }
  return bars;
}
} // namespace

std::vector<plot::Bar> proportionBars(const analyser::trace::Proportions& proportions, const theme::Theme& theme,
                                      const theme::Format& format) {
  if (proportions.ipus.size() == 1) return activityBars(proportions.ipus.front(), theme, format);
  std::vector<plot::Bar> bars;
  for (const auto& ipu : proportions.ipus) {
    plot::Bar bar;
    bar.title = titleOf(ipu);
    bar.id = int64_t(ipu.track.value());
    double most = 0; // cycles of the largest useful activity; on compute tiles copies are useful, too
    const auto isPurpose = [io = ipu.io](Activity a) {
      return io ? a == Activity::HostStream : a == Activity::Compute || a == Activity::OnTileCopy;
    };
    QStringList words;
    for (const auto& share : ipu.shares) {
      if (share.fraction <= 0) continue;
      if (isPurpose(share.activity)) most += share.fraction;
      words << QStringLiteral("%1 %2").arg(theme::reportText(reports::activityName(share.activity)),
                                           theme::percent(share.fraction));
      bar.segments.push_back({share.fraction, [&theme, activity = share.activity] { return theme.activity(activity); }});
    }
    const bool copies = std::any_of(ipu.shares.begin(), ipu.shares.end(), [](const auto& share) {
      return share.activity == Activity::OnTileCopy && share.fraction > 0;
    });
    bar.text = (ipu.io   ? QObject::tr("%1 host")
                : copies ? QObject::tr("%1 compute and copies")
                         : QObject::tr("%1 compute"))
                   .arg(theme::percent(most));
    bar.tip = words.join("\n");
    bars.push_back(std::move(bar));
  }
  return bars;
}

std::shared_ptr<const tables::Table>
statisticsTable(const std::vector<analyser::trace::NameStatistics>& statistics, const std::set<int>& hidden,
                const std::function<analyser::columns::Subjects(const analyser::trace::NameStatistics&)>& subjectOf) {
  const tables::Look look{
      .bars = {"total", "self"},
      .optional = {"cut"},
      .widths = {{"count", 80}, {"total", 120}, {"self", 120}, {"mean", 110}, {"shortest", 110}, {"longest", 110}}};
  auto table = tables::tableOf(analyser::trace::statisticsColumns(), statistics, look, [&](tables::Row& row, const auto& s) {
    row.cells.front() = shell::sliceTitle(s.text);
    row.about = subjectOf(s);
    row.swatch = tables::swatchOf([&](bool dark) { return theme::activityColour(Activity(s.category), dark); });
  });
  std::erase_if(table->rows, [&](const tables::Row& row) { return hidden.contains(statistics[std::size_t(row.id)].category); });
  return table;
}

QString activityTitle(reports::Activity activity) {
  QString text = theme::reportText(reports::activityName(activity));
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

namespace {
// The contents of a scope: the time of its track by activity, and its costliest steps.
void addInside(std::vector<shell::Fact>& facts, const analyser::trace::SliceDetails& d, const theme::Format& f) {
  constexpr std::size_t kMostSteps = 5;
  const auto addShare = [&](const QString& name, reports::Cycles cycles, double share, const QString& tip) {
    facts.push_back({name, QObject::tr("%1, %2").arg(theme::percent(share), f.cycles(cycles)),
                     tip.isEmpty() ? f.cyclesExact(cycles) : QObject::tr("%1, %2").arg(tip, f.cyclesExact(cycles)), false});
  };
  int64_t steps = 0;
  for (const auto& n : d.steps) steps += n.count;
  if (steps > 0)
    facts.push_back({QObject::tr("Steps inside"), theme::count(steps),
                     QObject::tr("The steps have %1")
                         .arg(theme::plural(int64_t(d.steps.size()), QObject::tr("name"), QObject::tr("different names"))),
                     false});
  for (const auto& share : d.inside->shares)
    if (share.cycles.value() > 0 && share.activity != reports::Activity::Scope)
      addShare(activityTitle(share.activity), share.cycles, share.fraction, {});
  facts.push_back({QObject::tr("Busy"), theme::percent(d.inside->tileUtilisation),
                   QObject::tr("Tile-cycles in which tiles compute or copy / (tiles × cycles)"), false});
  if (const int64_t flops = d.inside->flops.value())
    facts.push_back({QObject::tr("Work"), theme::flops(double(flops)), theme::count(flops), false});
  const auto duration = double(std::max<int64_t>(1, d.slice.duration()));
  if (!d.steps.empty())
    facts.push_back({QObject::tr("Costliest steps"), QObject::tr("of %1").arg(theme::count(int64_t(d.steps.size()))),
                     QObject::tr("By name; all executions in the scope together"), false});
  for (std::size_t i = 0; i < std::min(kMostSteps, d.steps.size()); ++i) {
    const auto& n = d.steps[i];
    QString name = shell::lastPart(theme::reportText(n.text));
    if (reports::Activity(n.category) == reports::Activity::Sync) name = QObject::tr("Sync, %1").arg(name.toLower());
    addShare(name, reports::Cycles(n.total), double(n.total) / duration,
             QObject::tr("%1, %2 times").arg(theme::reportText(n.text), theme::count(n.count)));
  }
}
// Adds the debug layers, which Program shows as a tree, as one line from the outermost layer inwards, with source lines and
// notes.
void addMakers(std::vector<shell::Fact>& facts, const analyser::trace::SliceDetails& d) {
  QStringList layers;
  std::vector<shell::Fact> notes;
  for (const shell::DebugRow& row : shell::debugRows(d.debug)) {
    if (row.isLayer && !row.text.isEmpty()) layers << row.text;
    if (row.isLayer) continue;
    if (row.what == QLatin1String("source")) notes.push_back({QObject::tr("Source"), row.text, {}, false, true});
    if (row.what == QLatin1String("doc")) notes.push_back({QObject::tr("Note"), row.text, {}, false, true});
  }
  if (!layers.isEmpty()) facts.push_back({QObject::tr("Debug information"), layers.join(QStringLiteral(" › ")), {}, false, true});
  facts.insert(facts.end(), notes.begin(), notes.end());
}
} // namespace

namespace {
// "3.20 M, 61.3 % of its tile-cycles" and its parts, the largest first.
void addWaste(std::vector<shell::Fact>& facts, const analyser::trace::TileCycles& cost) {
  if (cost.total() <= 0) return;
  facts.push_back(
      {QObject::tr("Tile-cycles not computing"),
       QObject::tr("%1, %2 of tiles × cycles")
           .arg(theme::countShort(double(cost.wasted())), theme::percent(double(cost.wasted()) / double(cost.total()))),
       theme::count(cost.wasted()), false});
  std::vector<analyser::trace::TileTime> parts;
  for (int k = 1; k < analyser::trace::kTileTimes; ++k)
    if (const auto kind = analyser::trace::TileTime(k); cost[kind] > 0) parts.push_back(kind);
  std::stable_sort(parts.begin(), parts.end(), [&](auto a, auto b) { return cost[a] > cost[b]; });
  QStringList words;
  for (const auto kind : parts)
    words << QObject::tr("%1 %2").arg(theme::percent(cost.share(kind)), shell::wasteTitle(kind).toLower());
  if (parts.size() > 1) facts.push_back({QObject::tr("Of these"), words.join(QStringLiteral(", ")), {}, false});
}
} // namespace

std::vector<shell::Fact> sliceFacts(const analyser::trace::SliceDetails& d,
                                    const std::optional<analyser::trace::TileCycles>& cost, const theme::Format& f) {
  std::vector<shell::Fact> facts;
  const auto add = [&](const QString& name, const QString& value, const QString& tip = {}) {
    facts.push_back({name, value, tip, false});
  };
  const auto addCycles = [&](const QString& name, reports::Cycles c) { add(name, f.cycles(c), f.cyclesExact(c)); };
  add(QObject::tr("Kind"), d.isStep ? theme::reportText(d.kind) : QObject::tr("scope"));
  if (d.isStep) add(QObject::tr("Activity"), theme::reportText(reports::activityName(d.activity)));
  addCycles(QObject::tr("Duration"), reports::Cycles(d.slice.duration()));
  // Prints a time with enough digits to distinguish the begin from the end, even late in the run.
  const auto addMoment = [&](const QString& name, int64_t tick) {
    const reports::Cycles at(tick), apart(d.slice.duration());
    add(name, f.moment(at, apart), f.cyclesExact(at));
  };
  addMoment(QObject::tr("From"), d.slice.ticks.begin);
  addMoment(QObject::tr("To"), d.slice.ticks.end);
  if (cost) addWaste(facts, *cost);
  if (!d.isStep) {
    if (d.inside) addInside(facts, d, f);
    addMakers(facts, d);
    return facts;
  }
  add(QObject::tr("Executions"), theme::count(d.executions));
  const bool isFolded = d.inSlice > 1;
  if (isFolded)
    add(QObject::tr("In this slice"),
        QObject::tr("%1 executions, %2 each")
            .arg(theme::count(d.inSlice), f.cycles(reports::Cycles(d.slice.duration() / d.inSlice))),
        QObject::tr("Iterations of a loop were simulated once and multiplied: each of their steps is one slice"));
  // In a sync and in a transfer with the host all tiles wait, so they have no balance of work.
  const bool works = d.activity != Activity::Sync && d.activity != Activity::HostStream && d.activity != Activity::Control;
  if (works) add(QObject::tr("Tiles active"), theme::count(d.activeTiles));
  if (works)
    add(QObject::tr("Balance over active tiles"), theme::percent(d.balance),
        QObject::tr("Mean cycles of the active tiles / cycles of the slowest tile"));
  if (works)
    add(QObject::tr("Tile use"), theme::percent(d.utilisation),
        QObject::tr("Tile-cycles of the tiles that take part / (tiles × cycles)"));
  if (d.bytesIn.value())
    add(isFolded ? QObject::tr("Received per execution") : QObject::tr("Received"), f.bytes(d.bytesIn), f.bytesExact(d.bytesIn));
  if (d.bytesOut.value())
    add(isFolded ? QObject::tr("Sent per execution") : QObject::tr("Sent"), f.bytes(d.bytesOut), f.bytesExact(d.bytesOut));
  if (d.flops.value())
    add(isFolded ? QObject::tr("Work per execution") : QObject::tr("Work"), theme::flops(double(d.flops.value())),
        theme::count(d.flops.value()));
  if (!d.operation.empty()) add(QObject::tr("Operation"), theme::reportText(d.operation));
  addMakers(facts, d);
  return facts;
}

} // namespace ui::trace
