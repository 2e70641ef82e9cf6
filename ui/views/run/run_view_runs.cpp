// The list of all runs of the page: opened again, repeated, compared.
#include "ui/tables/table_view.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/views/run/run_settings.h"
#include "ui/views/run/run_table.h"
#include "ui/views/run/run_view.h"

#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>

namespace ui::run {

// Earlier runs, to be opened again, repeated and compared.
QWidget* RunView::buildRuns() {
  auto* list = new QFrame;
  list->setProperty("role", "card");
  auto* runs = new QVBoxLayout(list);
  runs->setContentsMargins(theme::kMargin, theme::kMargin - 4, theme::kMargin, theme::kMargin);
  runs->setSpacing(theme::kGrid);
  auto* bar = new QHBoxLayout;
  auto* title = theme::plainLabel(tr("Runs"));
  title->setProperty("role", "strong");
  bar->addWidget(title, 1);
  const auto button = [&](const QString& icon, const QString& text, const QString& tip) {
    auto* made = new QPushButton(theme::icon(theme(), icon), text);
    made->setToolTip(theme::tipText(tip));
    bar->addWidget(made);
    return made;
  };
  m_again = button("reload", tr("Settings"), tr("Fill the form with the settings of this run"));
  m_openRun = button("open", tr("Open"), tr("Open the report of this run"));
  m_compare = button("compare", tr("Compare"), {});
  runs->addLayout(bar);
  m_table = new tables::FilteredTable(theme(), tr("Runs, newest first"));
  m_table->view().setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_table->view().setEmptyText(tr("Runs appear here, to be opened again and compared"));
  fields().table("runs", *m_table);
  runs->addWidget(m_table, 1);
  connect(m_again, &QPushButton::clicked, this, [this] { useSettingsOf(chosenRun()); });
  connect(m_openRun, &QPushButton::clicked, this, [this] { openRun(chosenRun()); });
  connect(m_compare, &QPushButton::clicked, this, &RunView::compareChosen);
  connect(&m_table->view(), &tables::TableView::idActivated, this, &RunView::openRun);
  connect(&m_table->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    if (ids.size() == 1) m_shown = std::size_t(ids.front()), m_cards->setCurrentIndex(1), showActive();
  });
  return list;
}

void RunView::showRuns() {
  const auto& runs = m_history.runs();
  const auto written = std::count_if(runs.begin(), runs.end(), [](const PastRun& run) { return QFileInfo::exists(run.report); });
  m_table->setTable(runTable(runs));
  // A list of nothing leaves its room to the estimate above.
  constexpr int kEmptyList = 120; // pixels
  m_table->setMaximumHeight(runs.empty() ? kEmptyList : QWIDGETSIZE_MAX);
  m_right->setStretch(1, runs.empty() ? 0 : 3);
  m_openRun->setEnabled(written > 0);
  m_again->setEnabled(!runs.empty());
  m_compare->setEnabled(written > 1);
  m_compare->setToolTip(theme::tipText(written > 1 ? tr("Compare the two selected runs, or the last two; the older is the base")
                                                   : tr("Run twice, for example with two batch sizes")));
}

// The selected run, or the newest that has a report.
int64_t RunView::chosenRun() const {
  const auto ids = m_table->view().selectedIds();
  if (!ids.empty()) return ids.front();
  for (std::size_t i = m_history.runs().size(); i-- > 0;)
    if (QFileInfo::exists(m_history.runs()[i].report)) return int64_t(i);
  return -1;
}

void RunView::openRun(int64_t run) {
  if (run < 0 || run >= int64_t(m_history.runs().size())) return;
  const QString report = m_history.runs()[std::size_t(run)].report;
  if (QFileInfo::exists(report)) emit openRequested({report});
}

void RunView::useSettingsOf(int64_t run) {
  if (run < 0 || run >= int64_t(m_history.runs().size())) return;
  if (const auto request = requestFromCommandLine(m_history.runs()[std::size_t(run)].commandLine, runsFolder()))
    m_form->fill(*request);
}

// The older one is the base.
void RunView::compareChosen() {
  auto ids = m_table->view().selectedIds();
  std::sort(ids.begin(), ids.end(), std::greater<>());
  if (ids.size() != 2) {
    ids.clear();
    for (std::size_t i = m_history.runs().size(); i-- > 0;) ids.push_back(int64_t(i));
  }
  QStringList reports;
  for (const int64_t id : ids)
    if (const QString& report = m_history.runs()[std::size_t(id)].report; reports.size() < 2 && QFileInfo::exists(report))
      reports.prepend(report);
  if (reports.size() == 2) emit compareRequested(reports[0], reports[1]);
}

} // namespace ui::run
