#include "ui/views/host/host_figures.h"

#include "analyser/trace/call_tree.h"
#include "ui/parts/view_fields.h"
#include "ui/tables/described_table.h"
#include "ui/tables/table_view.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/host/label_tab.h"
#include "ui/views/host/slice_tab.h"

#include <QComboBox>
#include <QSignalBlocker>
#include <QTabWidget>

namespace ui::host {

using theme::reportText;

namespace {
constexpr std::size_t kMostCalls = 20'000; // nodes of the call tree
} // namespace

HostFigures::HostFigures(const theme::Theme& theme, jobs::JobBoard& jobs, QTabWidget& tabs, std::function<Query()> query)
    : m_theme(theme), m_tabs(tabs), m_query(std::move(query)), m_statisticsJob(tr("Counting by label"), &jobs),
      m_callsJob(tr("Adding up calls"), &jobs), m_statistics(new LabelTab(theme, jobs)),
      m_calls(new tables::TreeView(theme, tr("Call tree"))), m_values(new QComboBox),
      m_flames(new shell::FlameTab(theme, flameWords())), m_slices(new SliceTab(theme, jobs)),
      m_waits(new tables::FilteredTable(theme, tr("What the host does while the IPU waits"))),
      m_waitsJob(tr("Adding up waits"), &jobs) {
  m_values->setAccessibleName(tr("Value that is shown"));
  m_values->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_values->addItem(QString(), QString());
  m_values->hide();
  m_values->setToolTip(tr("The profile has several values; timeline and tables show this one"));
  connect(m_values, &QComboBox::currentIndexChanged, this, [this] {
    if (m_host) showNote(*m_host);
    emit valueChosen();
    redraw();
  });
  connect(&m_waits->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    const auto waits = m_waitsJob.result();
    if (waits && *waits && id >= 0 && std::size_t(id) < (*waits)->labels.size() &&
        !(*waits)->labels[std::size_t(id)].label.empty())
      emit labelActivated(QString::fromStdString((*waits)->labels[std::size_t(id)].label));
  });
  connect(&tabs, &QTabWidget::currentChanged, this, &HostFigures::read);
  connect(m_statistics, &LabelTab::labelActivated, this, &HostFigures::labelActivated);
  connect(m_slices, &SliceTab::failed, this, &HostFigures::failed);
}

std::vector<jobs::JobBase*> HostFigures::jobs() {
  return {&m_statisticsJob, &m_callsJob, &m_statistics->job(), &m_slices->job(), &m_waitsJob};
}

void HostFigures::addFields(shell::ViewFields& fields) {
  m_statistics->addFields(fields);
  fields.items("flames.value", *m_values, [this](const QString& id) { offerValue(id); });
  m_flames->addFields(fields);
  m_slices->addFields(fields);
  fields.table("waits", *m_waits);
}

void HostFigures::setFormat(const theme::Format& format) {
  m_format = format;
  m_statistics->setFormat(format);
  m_calls->setFormat(format);
  m_slices->setFormat(format);
  m_waits->view().setFormat(format);
  m_flames->draw();
}

void HostFigures::listValues(const OpenHost& host) {
  const QString chosen = m_values->currentData().toString();
  const QSignalBlocker quiet(m_values);
  m_values->clear();
  for (const auto& value : host.values())
    m_values->addItem(reportText(value.name), m_values->count() == 0 ? QString() : QString::fromStdString(value.id));
  m_values->setCurrentIndex(std::max(0, m_values->findData(chosen)));
  m_values->setVisible(m_values->count() > 1);
  showNote(host);
}

void HostFigures::showNote(const OpenHost& host) {
  if (value() >= host.values().size()) return;
  const analyser::host::MeasuredValue& shown = host.values()[value()];
  // The unit of a count is the name of its value; a time needs no name.
  const QString amount = shown.isPlainTime() ? QStringLiteral("%1")
                         : shown.unit == analyser::host::MeasuredValue::Unit::Count
                             ? tr("%1 %2").arg(QStringLiteral("%1"), reportText(shown.name))
                             : tr("%1 of %2").arg(QStringLiteral("%1"), reportText(shown.name));
  m_flames->setNote(shown.isInTime
                        ? tr("%1 of all threads together, in the visible range or in A–B (drag in the ruler)").arg(amount)
                        : tr("%1 in the visible range or in A–B (drag in the ruler)").arg(amount));
}

std::size_t HostFigures::value() const { return std::size_t(std::max(0, m_values->currentIndex())); }

// A link may name a value of another trace.
std::size_t HostFigures::chosenOf(const OpenHost& host) const { return value() < host.values().size() ? value() : 0; }

// Adds a value that is not listed, e.g. one from a link whose trace is not open yet.
void HostFigures::offerValue(const QString& id) {
  if (id.isEmpty() || m_query().host || m_values->findData(id) >= 0) return;
  const QSignalBlocker quiet(m_values);
  m_values->addItem(reportText(id.toStdString()), id);
}

QString HostFigures::amountText(int64_t ticks) const {
  if (!m_host || value() >= m_host->values().size()) return {};
  return host::amountText(m_host->values()[value()], ticks, m_format);
}

void HostFigures::showTitles() {
  const bool isMeasured = m_query().isMeasured;
  m_tabs.setTabText(m_tabs.indexOf(m_statistics), isMeasured ? tr("Statistics of A–B") : tr("Statistics"));
}

void HostFigures::forget() {
  m_statistics->setStatistics(nullptr, {}, nullptr, {}, {});
  m_flames->setCalls(nullptr);
  m_calls->setTree(std::make_shared<tables::Tree>(), 0);
  m_slices->read(nullptr, {}, 0);
  m_waits->setTable(std::make_shared<tables::Table>());
  m_host.reset(), m_waitsOf.reset();
}

void HostFigures::timesMoved() {
  m_waitsOf.reset();
  read();
}

void HostFigures::redraw() {
  m_flames->draw();
  m_callsJob.forget();
  read();
}

void HostFigures::read() {
  const Query query = m_query();
  const QWidget* shown = m_tabs.currentWidget();
  if (query.host && shown == m_statistics)
    readStatistics(query);
  else
    m_statisticsJob.cancel();
  if (query.host && (shown == m_calls || shown == m_flames))
    readCalls(query);
  else
    m_callsJob.cancel();
  if (query.host && shown == m_slices)
    m_slices->read(query.host, query.range, value());
  else
    m_slices->job().cancel();
  if (query.host && shown == m_waits)
    readWaits(query);
  else
    m_waitsJob.cancel();
}

// Reads the times in which the host waits between the device's runs, always over the whole trace.
void HostFigures::readWaits(const Query& query) {
  if (m_waitsOf == query.host) return; // the visible range does not matter
  m_waitsJob.start(
      [host = query.host](const std::stop_token& stop, reports::Progress&) {
        return host->reader().use(
            [&](analyser::host::HostTimeline& timeline) { return analyser::host::waitsOf(timeline, stop); });
      },
      [this, host = query.host](const std::optional<analyser::host::Waits>& waits) {
        m_waitsOf = host;
        m_waits->view().setFormat(m_format);
        m_waits->setTable(tables::tableOf(analyser::host::waitColumns(),
                                          waits ? waits->labels : std::vector<analyser::host::WaitLabel>(), {.bars = {"total"}}));
      },
      [this](const reports::Error& error) {
        emit failed(tr("The waits could not be added up: %1").arg(theme::messageText(error.what())));
      });
}

void HostFigures::readStatistics(const Query& query) {
  m_statisticsJob.start(
      [host = query.host, range = query.range, values = query.host->values(),
       chosen = chosenOf(*query.host)](const std::stop_token& stop, reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          Statistics statistics{range, timeline.statistics(range, values, chosen, stop), nullptr, values[chosen]};
          statistics.table = statisticsTable(statistics.rows, values[chosen]);
          return statistics;
        });
      },
      [this, host = query.host](const Statistics& statistics) {
        m_statistics->setStatistics(host, statistics.rows, statistics.table, statistics.range, statistics.value);
      },
      [this](const reports::Error& error) {
        emit failed(tr("Labels could not be counted: %1").arg(theme::messageText(error.what())));
      });
}

void HostFigures::readCalls(const Query& query) {
  const auto& values = query.host->values();
  m_host = query.host;
  m_callsJob.start(
      [host = query.host, range = query.range, hidden = query.hidden,
       value = values[chosenOf(*query.host)]](const std::stop_token& stop, reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          CallTables tables;
          std::function<bool(const analyser::trace::Slice&)> isShown;
          if (!hidden.empty()) isShown = [&](const analyser::trace::Slice& s) { return !hidden.contains(s.category); };
          tables.calls = shell::callsOf(
              analyser::trace::callTree(timeline.slices(), value.tracks, range, kMostCalls, stop, isShown, value.weigh()),
              kMostCalls);
          tables.tree = callTreeTable(tables.calls->down, *host, value);
          return tables;
        });
      },
      [this](const CallTables& tables) {
        if (m_tabs.currentWidget() == m_calls)
          m_calls->setTree(tables.tree, 2);
        else
          m_flames->setCalls(tables.calls);
      },
      [this](const reports::Error& error) {
        emit failed(tr("Calls could not be added up: %1").arg(theme::messageText(error.what())));
      });
}

shell::FlameWords HostFigures::flameWords() {
  return {[this](reports::StringId name) { return m_host ? m_host->nameOf(name) : QString(); },
          [this](int colour) { return m_host ? m_host->channelName(channelOf(colour)) : QString(); },
          [this](int colour) { return hostColour(colour, m_theme.isDark()); },
          [this](int64_t ticks) { return amountText(ticks); },
          {}, // depends on the value
          [this](const analyser::trace::CallNode& node) { return m_host ? m_host->colourOf(node.category, node.name) : 0; }};
}

} // namespace ui::host
