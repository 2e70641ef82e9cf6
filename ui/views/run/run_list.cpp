#include "ui/views/run/run_list.h"

#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/save_dialog.h"
#include "ui/theme/theme.h"
#include "ui/theme/whole_file.h"
#include "ui/views/run/run_table.h"

#include <QAction>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui::run {

namespace {

constexpr int kMostCompared = 8; // the limit of the command line
constexpr int kEmptyList = 120;  // pixels
constexpr int kMostFigures = 40; // of at most this many runs from before this window
constexpr qint64 kOldDays = 30;
constexpr std::size_t kNewest = 20;
constexpr qint64 kLargeReport = 100 * 1024 * 1024; // bytes

bool isOver(const PastRun& run) { return run.outcome != Outcome::Running && run.outcome != Outcome::Queued; }

bool hasReport(const PastRun& run) { return !run.report.isEmpty() && QFileInfo(run.report).isFile(); }

// Only files of the folder of runs are deleted: a report that the user put elsewhere is theirs.
bool isKeptHere(const PastRun& run) {
  return hasReport(run) && QFileInfo(run.report).absolutePath() == QFileInfo(shell::runsFolder()).absoluteFilePath();
}

qint64 bytesOf(const std::vector<const PastRun*>& runs) {
  qint64 bytes = 0;
  for (const PastRun* run : runs)
    if (isKeptHere(*run)) bytes += QFileInfo(run->report).size();
  return bytes;
}

constexpr int kWidthOfWords = 500; // pixels of the title and its buttons

QString sizeText(qint64 bytes) { return theme::Format().bytes(reports::Bytes(bytes)); }

} // namespace

RunList::RunList(const theme::Theme& theme, RunHistory& history, jobs::JobBoard& board)
    : m_theme(theme), m_history(history), m_results(board), m_copy(tr("Copying a report"), &board) {
  setProperty("role", "card");
  auto* runs = new QVBoxLayout(this);
  runs->setContentsMargins(theme::kMargin, theme::kMargin - 4, theme::kMargin, theme::kMargin);
  runs->setSpacing(theme::kGrid);
  auto* bar = new QHBoxLayout;
  auto* title = theme::plainLabel(tr("Runs"));
  title->setProperty("role", "strong");
  bar->addWidget(title, 1);
  const auto button = [&](const QString& icon, const QString& text, const QString& tip) {
    auto* made = new QPushButton(theme::icon(m_theme, icon), text);
    made->setToolTip(theme::tipText(tip.isEmpty() ? text : tip));
    made->setAccessibleName(text);
    bar->addWidget(made);
    m_buttons.push_back(made);
    return made;
  };
  m_again = button("reload", tr("Settings"), tr("Fill the form with the settings of this run"));
  m_open = button("open", tr("Open"), tr("Open the report of this run"));
  m_compare = button("compare", tr("Compare"), {});
  m_clear = button("remove", tr("Clear"), tr("Delete reports of runs to free space"));
  auto* menu = new QMenu(m_clear);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillClearMenu(*menu); });
  m_clear->setMenu(menu);
  m_clear->setProperty("role", "menu");
  m_clear->setObjectName(QStringLiteral("clear"));
  runs->addLayout(bar);
  m_table = new tables::FilteredTable(m_theme, tr("Runs, newest first"));
  m_table->view().setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_table->view().setEmptyText(tr("Runs appear here, to be opened again and compared"));
  runs->addWidget(m_table, 1);
  buildMenu();
  connect(m_again, &QPushButton::clicked, this, [this] {
    if (const PastRun* run = chosen()) emit settingsAsked(run->id);
  });
  connect(m_open, &QPushButton::clicked, this, &RunList::openChosen);
  connect(m_compare, &QPushButton::clicked, this, &RunList::compareChosen);
  connect(&m_table->view(), &tables::TableView::idActivated, this, &RunList::openChosen);
  connect(&m_table->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    if (ids.size() == 1) emit runChosen(ids.front());
  });
  connect(&m_results, &RunResults::read, this, &RunList::keepResult);
}

bool RunList::isOpen(const PastRun& run) const {
  return hasReport(run) && m_openReports.contains(QFileInfo(run.report).absoluteFilePath());
}

void RunList::setFormat(const theme::Format& format) { m_table->view().setFormat(format); }

// Adds the first entries of a row's menu; the entries that copy rows follow.
void RunList::buildMenu() {
  QWidget& view = m_table->view();
  const QList<QAction*> copying = view.actions();
  QAction* before = copying.isEmpty() ? nullptr : copying.front();
  const auto add = [&](const QString& text, const QKeySequence& key, auto&& act) {
    auto* action = new QAction(text, &view);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetShortcut);
    connect(action, &QAction::triggered, this, act);
    view.insertAction(before, action);
  };
  add(tr("Open"), {}, [this] { openChosen(); });
  add(tr("Compare"), {}, [this] { compareChosen(); });
  add(tr("Use the settings"), {}, [this] {
    if (const PastRun* run = chosen()) emit settingsAsked(run->id);
  });
  add(tr("Rename…"), QKeySequence(Qt::Key_F2),
      [this] { edit(&PastRun::name, tr("Rename the run"), tr("Name (if empty: the graph and its settings)")); });
  add(tr("Note…"), {}, [this] {
    if (const PastRun* run = chosen()) edit(&PastRun::note, tr("Note on the run"), run->shownName());
  });
  add(tr("Tags…"), {}, [this] { edit(&PastRun::tags, tr("Tags of the run"), tr("Words, separated by commas")); });
  add(tr("Save a copy…"), {}, [this] { saveCopy(); });
  add(tr("Delete"), QKeySequence::Delete, [this] { askRemoval(m_table->view().selectedIds()); });
  auto* line = new QAction(&view);
  line->setSeparator(true);
  view.insertAction(before, line);
}

void RunList::showRuns() {
  const auto& runs = m_history.runs();
  const auto written = std::count_if(runs.begin(), runs.end(), hasReport);
  m_table->setTable(runTable(runs, m_progress));
  m_table->setMaximumHeight(runs.empty() ? kEmptyList : QWIDGETSIZE_MAX);
  m_open->setEnabled(written > 0);
  m_again->setEnabled(!runs.empty());
  m_compare->setEnabled(written > 1);
  m_compare->setToolTip(theme::tipText(written > 1 ? tr("Compare the selected runs, or the last two; the oldest is the base")
                                                   : tr("Run twice, for example with two batch sizes")));
  m_clear->setEnabled(std::any_of(runs.begin(), runs.end(), isOver));
  showSize();
  if (std::exchange(m_asked, true)) return;
  int left = kMostFigures;
  for (auto run = runs.rbegin(); run != runs.rend() && left > 0; ++run)
    if (!run->result && isOver(*run) && hasReport(*run)) --left, readResult(run->id);
}

// Changes only cells whose text has changed: a new table each second would move rows under an open menu.
void RunList::showProgress(const std::map<int64_t, QString>& progress) {
  const auto before = std::exchange(m_progress, progress);
  for (const auto& [id, text] : m_progress)
    if (const auto same = before.find(id); same == before.end() || same->second != text)
      m_table->view().setCell(id, QStringLiteral("outcome"), text);
}

void RunList::showSize() {
  std::vector<const PastRun*> all;
  for (const PastRun& run : m_history.runs()) all.push_back(&run);
  const qint64 bytes = bytesOf(all);
  m_table->setOf(bytes > 0 ? tr("(%1 of reports)").arg(sizeText(bytes)) : QString());
}

void RunList::readResult(int64_t id) {
  if (const PastRun* run = m_history.find(id); run && hasReport(*run)) m_results.ask(id, run->report);
}

void RunList::keepResult(int64_t id, const RunResult& result) {
  const PastRun* run = m_history.find(id);
  if (!run) return; // removed meanwhile
  PastRun changed = *run;
  changed.result = result;
  m_history.change(changed);
  showRuns();
}

const PastRun* RunList::chosen() const {
  const auto ids = m_table->view().selectedIds();
  if (!ids.empty()) return m_history.find(ids.front());
  const auto& runs = m_history.runs();
  const auto newest = std::find_if(runs.rbegin(), runs.rend(), hasReport);
  return newest == runs.rend() ? nullptr : &*newest;
}

void RunList::openChosen() {
  if (const PastRun* run = chosen(); run && hasReport(*run)) emit openAsked({run->report});
}

// The base of the comparison is the oldest run.
void RunList::compareChosen() {
  auto ids = m_table->view().selectedIds();
  const bool takesLastTwo = ids.size() < 2;
  QStringList reports;
  const auto& runs = m_history.runs();
  for (auto run = runs.rbegin(); run != runs.rend() && reports.size() < (takesLastTwo ? 2 : kMostCompared); ++run)
    if (hasReport(*run) && (takesLastTwo || std::find(ids.begin(), ids.end(), run->id) != ids.end()))
      reports.prepend(run->report);
  if (reports.size() > 1) emit openAsked(reports);
}

void RunList::edit(QString PastRun::*text, const QString& title, const QString& label) {
  const auto ids = m_table->view().selectedIds();
  const PastRun* run = ids.size() == 1 ? m_history.find(ids.front()) : nullptr;
  if (!run) return;
  PastRun changed = *run;
  bool wanted = false;
  const bool isName = text == &PastRun::name;
  changed.*text =
      QInputDialog::getText(this, title, label, QLineEdit::Normal, isName ? run->shownName() : run->*text, &wanted).trimmed();
  if (!wanted) return;
  if (isName && changed.name == run->title) changed.name.clear(); // it follows its settings, as before
  m_history.change(changed);
  showRuns();
}

void RunList::saveCopy() {
  const PastRun* run = chosen();
  if (!run || !hasReport(*run)) return;
  const QString report = run->report;
  const QString file =
      theme::saveFileName(this, tr("Save a copy of the report"), QFileInfo(report).fileName(), tr("Reports (*.tsr)"));
  if (file.isEmpty() || QFileInfo(file) == QFileInfo(report)) return;
  if (m_copy.isBusy()) return emit failed(tr("Another copy is still being written; save %1 when it is done.").arg(file));
  m_copy.start([report, file](const std::stop_token& stop, reports::Progress&) { return theme::copyWhole(report, file, stop); },
               [this, report, file](const QString& why) {
                 if (!why.isEmpty()) emit failed(tr("%1 could not be copied to %2: %3.").arg(report, file, why));
               });
}

// Icons alone where the words do not fit.
void RunList::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  for (QPushButton* button : m_buttons) button->setText(width() < kWidthOfWords ? QString() : button->accessibleName());
}

void RunList::fillClearMenu(QMenu& menu) {
  menu.clear();
  std::vector<const PastRun*> over;
  for (const PastRun& run : m_history.runs())
    if (isOver(run)) over.push_back(&run);
  const QDateTime old = QDateTime::currentDateTimeUtc().addDays(-kOldDays);
  const auto offer = [&](const QString& what, auto&& isMeant) {
    std::vector<const PastRun*> meant;
    for (std::size_t i = 0; i < over.size(); ++i)
      if (isMeant(*over[i], over.size() - i)) meant.push_back(over[i]);
    std::vector<int64_t> ids;
    for (const PastRun* run : meant) ids.push_back(run->id);
    auto* action = menu.addAction(
        tr("%1 (%2, %3)").arg(what, theme::plural(int64_t(ids.size()), tr("run"), tr("runs")), sizeText(bytesOf(meant))));
    action->setEnabled(!ids.empty());
    connect(action, &QAction::triggered, this, [this, ids] { askRemoval(ids); });
  };
  offer(tr("Runs without a report"), [](const PastRun& run, std::size_t) { return !hasReport(run); });
  offer(tr("Reports over %1").arg(sizeText(kLargeReport)),
        [](const PastRun& run, std::size_t) { return bytesOf({&run}) > kLargeReport; });
  offer(tr("Older than %1 days").arg(kOldDays),
        [&](const PastRun& run, std::size_t) { return QDateTime::fromString(run.startedUtc, Qt::ISODate) < old; });
  offer(tr("All but the newest %1").arg(kNewest), [](const PastRun&, std::size_t place) { return place > kNewest; });
  offer(tr("All"), [](const PastRun&, std::size_t) { return true; });
}

void RunList::askRemoval(const std::vector<int64_t>& ids) {
  std::vector<const PastRun*> runs;
  std::vector<int64_t> over;
  QStringList open;
  for (const int64_t id : ids)
    if (const PastRun* run = m_history.find(id); run && isOver(*run)) {
      if (isOpen(*run))
        open.append(run->shownName());
      else
        runs.push_back(run), over.push_back(id);
    }
  if (runs.empty() && !open.isEmpty()) emit failed(tr("The report of %1 is open: close it first.").arg(open.front()));
  if (runs.empty()) return;
  const QString what = runs.size() == 1 ? runs.front()->shownName() : theme::plural(int64_t(runs.size()), tr("run"), tr("runs"));
  const qint64 bytes = bytesOf(runs);
  emit confirmationAsked(bytes > 0 ? tr("Delete %1 and the reports (%2)? This cannot be undone.").arg(what, sizeText(bytes))
                                   : tr("Remove %1 from the list?").arg(what),
                         bytes > 0 ? tr("Delete") : tr("Remove"), [this, over] { remove(over); });
}

void RunList::remove(const std::vector<int64_t>& ids) {
  QStringList left;
  std::vector<int64_t> gone;
  for (const int64_t id : ids) {
    const PastRun* run = m_history.find(id);
    if (!run || !isOver(*run) || isOpen(*run)) continue;
    if (isKeptHere(*run) && !QFile::remove(run->report))
      left.append(run->report);
    else
      gone.push_back(id);
  }
  m_history.remove(gone);
  showRuns();
  if (!left.isEmpty()) emit failed(tr("Could not be deleted: %1").arg(left.join(QStringLiteral(", "))));
}

} // namespace ui::run
