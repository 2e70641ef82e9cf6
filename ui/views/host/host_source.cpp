#include "ui/views/host/host_source.h"

#include "ui/shell/report_text.h"
#include "ui/theme/format.h"
#include "ui/theme/tokens.h"

#include <cmath>
#include <set>

namespace ui::host {

using shell::reportText;
using tables::Kind;

OpenHost::OpenHost(std::shared_ptr<const analyser::Session> base, const std::stop_token& stop) : m_reader(std::move(base)) {
  m_reader.use([&](analyser::host::HostTimeline& timeline) { readTracks(timeline, stop); });
}

void OpenHost::readTracks(analyser::host::HostTimeline& timeline, const std::stop_token& stop) {
  m_range = timeline.range();
  m_verdict = timeline.verdict(stop);
  for (const auto& process : timeline.processes()) {
    QString title = reportText(process.name);
    if (process.pid) title += QStringLiteral(" · %1").arg(*process.pid);
    m_entries.push_back({{}, {title, reportText(process.provenance), 0, true}});
    for (const auto& thread : process.threads)
      if (thread.depths > 0)
        m_entries.push_back({thread.track,
                             {reportText(thread.name), theme::plural(thread.slices, QObject::tr("slice"), QObject::tr("slices")),
                              thread.depths, false}});
  }
  std::set<int> used;
  for (const auto& s : analyser::trace::statisticsByName(timeline.slices(), {}, m_range, {}, stop)) used.insert(s.category);
  for (const int id : used) m_channels.push_back({id, reportText(timeline.channel(uint8_t(id)))});
}

void OpenHost::use(const std::function<void(analyser::trace::Slices&)>& f) {
  m_reader.use([&](analyser::host::HostTimeline& timeline) { f(timeline.slices()); });
}

QString OpenHost::channelName(int id) const {
  for (const Channel& channel : m_channels)
    if (channel.id == id) return channel.name;
  return QObject::tr("no channel");
}

QColor channelColour(int channel, bool dark) { return theme::seriesColour(channel, dark); }

std::vector<QColor> channelPalette(bool dark) {
  std::vector<QColor> colours;
  for (int channel = 0; channel < 256; ++channel) colours.push_back(channelColour(channel, dark));
  return colours;
}

std::shared_ptr<const tables::Table> statisticsTable(const std::vector<analyser::host::LabelStatistics>& statistics) {
  auto table = std::make_shared<tables::Table>();
  table->columns = {{QObject::tr("Label"), Kind::Name, {}, 0, false},
                    {QObject::tr("Channel"), Kind::Text, {}, 0, false},
                    {QObject::tr("Count"), Kind::Count, {}, 80, false},
                    {QObject::tr("Total"), Kind::Nanoseconds, {}, 100, true},
                    {QObject::tr("Self"), Kind::Nanoseconds, QObject::tr("Total less what slices inside it cover"), 100, true},
                    {QObject::tr("Mean"), Kind::Nanoseconds, {}, 100, false},
                    {QObject::tr("Shortest"), Kind::Nanoseconds, {}, 100, false},
                    {QObject::tr("Longest"), Kind::Nanoseconds, {}, 100, false}};
  for (const auto& s : statistics) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    row.cells = {reportText(s.label), reportText(s.channel),           s.count,       s.total.value(),
                 s.self.value(),      int64_t(std::llround(s.mean())), s.min.value(), s.max.value()};
    table->rows.push_back(std::move(row));
  }
  return table;
}

} // namespace ui::host
