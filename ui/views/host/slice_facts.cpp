#include "ui/views/host/slice_facts.h"

#include "ui/parts/track_source.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/views/host/host_source.h"

namespace ui::host {

using tables::Kind;
using theme::reportText;

DeviceRun deviceRun(analyser::host::HostTimeline& timeline, const analyser::host::LinkedRun& link, const std::stop_token& stop) {
  DeviceRun run;
  run.link = link;
  auto& slices = timeline.device().slices();
  for (const auto& track : slices.tracks()) {
    run.ipus += track.isIo() ? 0 : 1;
    for (int depth = 0; depth < track.depths; ++depth) {
      const auto busy = slices.busyTicks(track.id, depth, link.cycles, stop);
      for (int a = 0; a < reports::kActivityCount; ++a)
        if (reports::Activity(a) != reports::Activity::Scope) run.ticks[std::size_t(a)] += busy.ticks[std::size_t(a)];
    }
  }
  return run;
}

namespace {
// A simulated run is drawn over the time of its simulation; the text says how much host time one cycle stands for.
QString stretchText(const analyser::host::LinkedRun& link, const theme::Format& format) {
  return QObject::tr("%1, %2 per cycle")
      .arg(format.nanoseconds(reports::Nanoseconds(link.host.size())), theme::seconds(link.nanosecondsPerCycle() * 1e-9));
}
} // namespace

std::vector<shell::Fact> runFacts(const DeviceRun& run, const theme::Format& format) {
  std::vector<shell::Fact> facts;
  const reports::Cycles cycles(run.link.cycles.size());
  facts.push_back({QObject::tr("Run of the device"), shell::sliceTitle(run.link.name), {}, false});
  facts.push_back({QObject::tr("The run took"), format.cycles(cycles), format.cyclesExact(cycles), false});
  facts.push_back({QObject::tr("Host time of the run"), stretchText(run.link, format), {}, false});
  const double whole = double(run.link.cycles.size()) * std::max(1, run.ipus);
  for (int a = 0; a < reports::kActivityCount; ++a)
    if (run.ticks[std::size_t(a)] > 0)
      facts.push_back({QObject::tr("Device: %1").arg(reportText(reports::activityName(reports::Activity(a)))),
                       theme::percent(double(run.ticks[std::size_t(a)]) / whole),
                       {},
                       false});
  return facts;
}

std::vector<shell::Fact> stepFacts(const DeviceStep& step, reports::TickRange axis, const theme::Format& format) {
  const reports::Cycles cycles(step.slice.duration()), at(step.slice.ticks.begin - step.link.cycles.begin);
  const int64_t from = step.link.hostTick(step.slice.ticks.begin) - axis.begin;
  return {{QObject::tr("Activity"), reportText(reports::activityName(reports::Activity(step.slice.category))), {}, false},
          {QObject::tr("Duration"), format.cycles(cycles), format.cyclesExact(cycles), false},
          {QObject::tr("After the run began"), format.cycles(at), format.cyclesExact(at), false},
          {QObject::tr("Run of the device"), shell::sliceTitle(step.link.name), {}, false},
          {QObject::tr("On the host's axis at"), format.nanoseconds(reports::Nanoseconds(from)),
           theme::count(from) + QStringLiteral(" ns"), false},
          {QObject::tr("Host time of the run"), stretchText(step.link, format), {}, false}};
}

std::shared_ptr<const tables::Table> flowTable(const std::vector<FlowRow>& flows, const OpenHost& host,
                                               const std::function<QString(reports::TrackId)>& threadOf) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {
      {"direction", QObject::tr("Direction"), Kind::Text, {}, 0, false},
      {"flow", QObject::tr("Flow"), Kind::Name, {}, 0, false},
      {"slice", QObject::tr("Slice"), Kind::Name, {}, 0, false},
      {"thread", QObject::tr("Thread"), Kind::Text, {}, 0, false},
      {"after", QObject::tr("After"), Kind::Nanoseconds, QObject::tr("Time from the start of the flow to its end"), 100, false}};
  for (const FlowRow& f : flows) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.cells = {f.leaves ? QObject::tr("to") : QObject::tr("from"), host.nameOf(reports::StringId(std::size_t(f.flow.name))),
                 f.other ? host.nameOf(f.other->name) : QString(), threadOf(f.otherTrack), f.flow.toTick - f.flow.fromTick};
    table->rows.push_back(std::move(row));
  }
  return table;
}

} // namespace ui::host
