// The menu of the host view: colours, charts, and the order of threads. Its legend.
#include "ui/parts/page.h"
#include "ui/plot/legend.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_model.h"
#include "ui/tables/table_view.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/theme/tokens.h"
#include "ui/views/host/counter_lanes.h"
#include "ui/views/host/host_view.h"
#include "ui/views/host/label_tab.h"
#include "ui/views/host/slice_tab.h"

#include <QActionGroup>
#include <QMenu>
#include <QTabWidget>

namespace ui::host {

using theme::reportText;

void HostView::buildMenu() {
  QMenu* menu = page().viewMenu();
  const auto toggle = [&](const QString& text, const char* id, bool& on, auto changed) {
    QAction* action = menu->addAction(text);
    action->setCheckable(true);
    action->setChecked(on);
    fields().flagOfReport(id, *action, on);
    connect(action, &QAction::toggled, this, changed);
  };
  toggle(tr("Busiest threads first"), "busiestFirst", m_busiestFirst, [this](bool on) {
    m_order.byActivity = on;
    m_order.threads.clear(), m_order.processes.clear();
    showRows();
  });
  auto* colours = new QActionGroup(this);
  for (const auto& [text, id] : {std::pair{tr("Colours by channel, or by name if there is only one channel"), "automatic"},
                                 {tr("Colours by channel"), "channel"},
                                 {tr("Colours by name"), "name"}}) {
    QAction* action = colours->addAction(menu->addAction(text));
    action->setCheckable(true);
    action->setData(QString::fromLatin1(id));
    action->setChecked(colours->actions().size() == 1);
  }
  fields().actions("colours", *colours);
  for (QAction* action : colours->actions())
    connect(action, &QAction::toggled, this, [this, colour = Colours(colours->actions().indexOf(action))](bool on) {
      if (on) setColours(colour);
    });
  menu->addSeparator();
  toggle(tr("Counters as areas"), "areas", m_areas, [this](bool on) { m_counters->setFilled(on); });
  toggle(tr("Busy threads and IPU activity"), "derived", m_derived, [this](bool on) {
    m_counters->setDerivedShown(on);
    fitCounters();
  });
  menu->addSeparator();
  const auto withThread = [this](auto change) {
    if (!m_host || !m_picked) return page().setBanner(tr("Select a slice of the thread first."), shell::Tone::Neutral);
    change(m_picked->track.value());
    showRows();
  };
  menu->addAction(tr("Pin the thread of the selection to the top"), this,
                  [this, withThread] { withThread([this](uint32_t track) { m_order.pinned.insert(track); }); });
  menu->addAction(tr("Hide the thread of the selection"), this,
                  [this, withThread] { withThread([this](uint32_t track) { m_order.hidden.insert(track); }); });
  const auto addMove = [&](const QString& text, const QKeySequence& keys, auto change, int by) {
    QAction* action = menu->addAction(text, this, [this, withThread, change, by] {
      withThread([this, change, by](uint32_t track) { change(m_host->entries(), m_order, track, by); });
    });
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(action);
  };
  addMove(tr("Move the thread of the selection up"), Qt::ALT | Qt::Key_Up, moveThread, -1);
  addMove(tr("Move the thread of the selection down"), Qt::ALT | Qt::Key_Down, moveThread, 1);
  addMove(tr("Move its process up"), Qt::ALT | Qt::SHIFT | Qt::Key_Up, moveProcessOf, -1);
  addMove(tr("Move its process down"), Qt::ALT | Qt::SHIFT | Qt::Key_Down, moveProcessOf, 1);
  menu->addAction(tr("Show all threads in their order"), this, [this] {
    m_order.pinned.clear(), m_order.hidden.clear(), m_order.threads.clear(), m_order.processes.clear();
    showRows();
  });
  menu->addSeparator();
  menu->addAction(tr("Remove the time shift of every process"), this, [this] { setOffsets({}, true); });
}

std::vector<std::pair<QString, QString>> HostView::keys() const {
  auto keys = shell::SliceBrowser::keys();
  keys.emplace_back(tr("Alt+drag"), tr("move a process in time"));
  keys.emplace_back(tr("Drag a name"), tr("move its row"));
  keys.emplace_back(tr("Alt+Up, Alt+Down"), tr("move the thread of the selection"));
  return keys;
}

void HostView::setColours(Colours colours) {
  m_colours = colours;
  if (!m_host) return;
  m_host->setColours(colours);
  showLegend();
  m_browser->timeline().recolour();
  m_figures->redraw();
}

namespace {
// The name of the slices that the current row is about; empty: none.
QString nameInRow(const QAbstractItemView& table) {
  const QModelIndex row = table.currentIndex();
  for (int column = 0; row.isValid() && column < table.model()->columnCount(row.parent()); ++column) {
    const QString id = table.model()->headerData(column, Qt::Horizontal, tables::IdRole).toString();
    if (id == QLatin1String("label") || id == QLatin1String("slice") || id == QLatin1String("name"))
      return row.siblingAtColumn(column).data(tables::PlainRole).toString();
  }
  return {};
}
} // namespace

// Rows about slices of one name have the same menu in every table of the view.
void HostView::addWays(QAbstractItemView& table) {
  const auto add = [&](const QString& text, const QKeySequence& key, std::function<void(const QString&)> go) {
    auto* action = new QAction(text, &table);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    connect(action, &QAction::triggered, this, [this, &table, go = std::move(go)] {
      const QString name = nameInRow(table);
      if (!name.isEmpty()) return go(name);
      page().setBanner(tr("The row is not about slices of one name."), shell::Tone::Neutral);
    });
    table.insertAction(table.actions().value(0), action);
  };
  add(tr("Show its slices in Query"), Qt::CTRL | Qt::Key_9, [this](const QString& name) {
    const QStringList ids = m_host ? m_host->idsOf(name) : QStringList();
    if (ids.isEmpty()) return page().setBanner(tr("No slice has the name “%1”.").arg(name), shell::Tone::Neutral);
    // Queries by id, because the displayed name may differ from the stored one.
    state().messages().send(shell::RunSql{
        QStringLiteral("SELECT t.name AS thread, s.track_id, s.start_tick, s.duration_ticks, s.category, d.json AS arguments\n"
                       "FROM slice s JOIN host_thread t ON t.track_id = s.track_id LEFT JOIN details d ON d.id = s.ref\n"
                       "WHERE s.name IN (SELECT text FROM string WHERE id IN (%1)) -- %2\n"
                       "ORDER BY s.duration_ticks DESC LIMIT 1000")
            .arg(ids.join(QStringLiteral(", ")), name.simplified())});
    emit viewRequested(QStringLiteral("query"));
  });
  add(tr("List its slices"), QKeySequence(QStringLiteral("Ctrl+Alt+L")), [this](const QString& name) {
    page().tabs()->setCurrentWidget(m_figures->slices());
    m_figures->slices()->showOnly(name);
  });
  add(tr("Find its next slice"), QKeySequence(QStringLiteral("Ctrl+Alt+N")),
      [this](const QString& name) { m_browser->find(name, true); });
}

void HostView::addRowWays() {
  for (auto* table : std::initializer_list<QAbstractItemView*>{&m_figures->statistics()->table(), m_figures->calls(), m_flowTable,
                                                               &m_figures->slices()->table(), &m_figures->waits()->view()})
    addWays(*table);
}

// A channel whose slices have colours by name has a neutral mark.
void HostView::showLegend() {
  std::vector<plot::LegendEntry> legend;
  m_channels.clear();
  for (const auto& channel : m_host->channels()) {
    const auto* value = m_host->valueOf(uint8_t(channel.id));
    const auto& shown = m_host->values()[m_figures->chosenOf(*m_host)];
    if (shown.isInTime ? !value || value->isInTime : value && value->id == shown.id) m_channels.push_back(channel);
  }
  for (const auto& channel : m_channels)
    legend.push_back({channel.name, m_host->isByName(channel.id) ? tr("by name") : QString(),
                      [this, id = channel.id] {
                        return m_host && m_host->isByName(id) ? theme().tokens().disabled : channelColour(id, theme().isDark());
                      },
                      plot::Mark::Area, false});
  for (const auto activity : m_host->activities()) {
    QString name = reportText(reports::activityName(activity));
    name = activity == reports::Activity::Scope ? tr("device scopes") : tr("device %1").arg(name);
    legend.push_back(
        {name,
         {},
         [this, activity] { return channelPalette(theme().isDark())[std::size_t(kFirstActivity) + std::size_t(activity)]; },
         plot::Mark::Area,
         false});
  }
  m_legend->setEntries(std::move(legend));
}

} // namespace ui::host
