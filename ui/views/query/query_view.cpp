#include "ui/views/query/query_view.h"

#include "ui/parts/page.h"
#include "ui/state/settings.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/save_dialog.h"
#include "ui/theme/theme.h"
#include "ui/theme/whole_file.h"
#include "ui/views/query/query_tables.h"
#include "ui/views/query/result_plot.h"
#include "ui/views/query/result_timeline.h"
#include "ui/views/query/sql_edit.h"

#include <QComboBox>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ui::query {

using theme::messageText;
using theme::reportText;

namespace {
constexpr int kIdRole = Qt::UserRole + 1; // id of a saved query, which links contain
constexpr const char* kFirst =
    "SELECT kind, count(*) AS executions, sum(cycles) AS cycles\nFROM execution_step GROUP BY kind ORDER BY cycles DESC";
constexpr std::size_t kMostRows = 100'000;
} // namespace

QueryView::QueryView(const shell::ViewParts& parts)
    : View(parts), m_job(tr("Querying the report"), &parts.jobs), m_tables(analyser::query::schemaTables()) {
  auto* split = new QSplitter(Qt::Horizontal);
  split->setChildrenCollapsible(false);
  auto* left = new QWidget;
  auto* browser = new QVBoxLayout(left);
  browser->setContentsMargins(0, 0, 0, 0);
  browser->setSpacing(theme::kGrid);
  browser->addWidget(m_schema = new tables::TreeView(theme(), tr("Tables of a report")), 1);
  browser->addWidget(m_meaning = theme::plainLabel(tr("Choose a table or a column to read what it means.")));
  m_meaning->setProperty("role", "secondary");
  m_meaning->setAccessibleName(tr("Meaning of the chosen table or column"));
  m_meaning->setWordWrap(true);
  m_meaning->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_meaning->setMinimumHeight(3 * m_meaning->fontMetrics().lineSpacing());
  m_meaning->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  split->addWidget(left);
  left->setMinimumWidth(240);
  auto* right = new QSplitter(Qt::Vertical);
  right->setChildrenCollapsible(false);
  right->addWidget(buildEditor());
  auto* tabs = new QTabWidget;
  tabs->setAccessibleName(tr("Result"));
  tabs->setDocumentMode(true);
  tabs->addTab(m_result = new tables::FilteredTable(theme(), tr("Result of the query")), tr("Table"));
  tabs->addTab(m_plot = new ResultPlot(theme()), tr("Plot"));
  tabs->addTab(m_timeline = new ResultTimeline(theme(), jobs()), tr("Timeline"));
  connect(m_timeline, &ResultTimeline::rowChosen, this, [this](int64_t row) { m_result->view().selectIds({row}); });
  connect(m_timeline, &ResultTimeline::traceAsked, this, [this] {
    const auto answer = m_job.result();
    if (!answer) return;
    state().messages().send(shell::ShowSqlTrack{answer->sql});
    emit viewRequested(QStringLiteral("trace"));
  });
  fields().tabs("result", *tabs, {{m_result, "table"}, {m_plot, "plot"}, {m_timeline, "timeline"}});
  fields().table("result", *m_result);
  fields().folds("timeline.folds", m_timeline->timeline());
  m_plot->addFields(fields());
  right->addWidget(tabs);
  m_result->view().setEmptyText(tr("Run the query to see its rows"));
  right->setStretchFactor(0, 2);
  right->setStretchFactor(1, 5);
  split->addWidget(right);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 5);
  split->setSizes({460, 660});
  page().setBody(split);
  page().setVerdict(tr("Query the report with SQL; a query cannot change it"));
  work().add({&m_job});
  connect(m_schema, &tables::TreeView::idActivated, this, [this](int64_t id) {
    const auto tree = m_schema->rows().tree();
    if (tree && id >= 0 && std::size_t(id) < tree->rows.size())
      if (const auto* name = std::get_if<QString>(&tree->rows[std::size_t(id)].cells[0])) m_sql->insertWord(*name);
  });
  m_schema->installEventFilter(this);
  connect(m_schema, &tables::TreeView::idSelected, this, &QueryView::explain);
  connect(&m_job, &jobs::JobBase::busyChanged, this,
          [this](bool busy) { m_run->setEnabled(!busy && m_worker), m_cancel->setEnabled(busy); });
  connect(&m_job, &jobs::JobBase::cancelled, this, [this] { showNoAnswer(tr("Cancelled")); });
  connect(&state().messages(), &shell::ViewMessages::queryAsked, this, &QueryView::takeQuery);
  listSaved();
}

QueryView::~QueryView() = default;

// Shows the full text of a row, which the tree may have shortened.
void QueryView::explain(int64_t id) {
  const auto tree = m_schema->rows().tree();
  if (!tree || id < 0 || std::size_t(id) >= tree->rows.size()) return;
  const auto text = [&](std::size_t cell) {
    const auto* words = std::get_if<QString>(&tree->rows[std::size_t(id)].cells[cell]);
    return words ? *words : QString();
  };
  m_meaning->setText(QStringLiteral("%1: %2").arg(text(0), text(1)));
}

QWidget* QueryView::buildEditor() {
  auto* area = new QWidget;
  auto* column = new QVBoxLayout(area);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(theme::kGrid);
  auto* top = new QHBoxLayout;
  top->setSpacing(theme::kGrid);
  m_saved = new QComboBox;
  m_saved->setAccessibleName(tr("Saved queries"));
  m_saved->setMinimumWidth(220);
  auto* keep = new QPushButton(tr("Save query…"));
  m_remove = new QPushButton(tr("Remove"));
  for (QWidget* widget : std::initializer_list<QWidget*>{m_saved, keep, m_remove}) top->addWidget(widget);
  top->addStretch(1);
  column->addLayout(top);
  column->addWidget(m_sql = new SqlEdit(theme()), 1);
  fields().items("saved", *m_saved, kIdRole);
  fields().text("sql", *m_sql);
  m_sql->setPlainText(QString::fromLatin1(kFirst));
  QStringList names{"text", "activity_name", "memory_category_name", "count", "sum", "max", "min", "avg"};
  for (const auto& table : m_tables) {
    names << reportText(table.name);
    for (const auto& c : table.columns) names << reportText(c.name);
  }
  m_sql->setNames(names);
  auto* actions = new QHBoxLayout;
  actions->setSpacing(theme::kGrid);
  m_run = new QPushButton(theme::icon(theme(), "play", theme::Tint::OnAccent), tr("Run"));
  m_run->setProperty("role", "primary");
  m_run->setToolTip(tr("Run the query (Ctrl+Enter)"));
  m_cancel = new QPushButton(theme::icon(theme(), "stop"), tr("Cancel"));
  m_cancel->setEnabled(false);
  m_csv = new QPushButton(theme::icon(theme(), "save"), tr("Save CSV…"));
  m_csv->setEnabled(false);
  m_note = theme::plainLabel();
  m_note->setProperty("role", "secondary");
  m_note->setWordWrap(true);
  m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_run, m_cancel, m_csv}) actions->addWidget(widget);
  actions->addWidget(m_note, 1);
  column->addLayout(actions);
  connect(m_run, &QPushButton::clicked, this, &QueryView::run);
  connect(m_sql, &SqlEdit::runRequested, this, &QueryView::run);
  // A query from a link or the remembered view state does not run before the user asks.
  connect(m_sql, &QPlainTextEdit::textChanged, this, [this] {
    if (fields().isRestoring()) m_note->setText(tr("The query comes from a link or an earlier visit. Ctrl+Enter runs it."));
  });
  connect(m_cancel, &QPushButton::clicked, &m_job, &jobs::JobBase::cancel);
  connect(m_csv, &QPushButton::clicked, this, &QueryView::saveCsv);
  connect(keep, &QPushButton::clicked, this, &QueryView::save);
  connect(m_remove, &QPushButton::clicked, this, &QueryView::removeSaved);
  connect(m_saved, &QComboBox::activated, this, [this](int index) {
    m_remove->setEnabled(index > int(analyser::query::exampleQueries().size()));
    if (index <= 0) return;
    m_sql->setPlainText(m_saved->itemData(index).toString());
    if (!fields().isRestoring()) run();
  });
  return area;
}

void QueryView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  m_job.drop();
  m_worker = base ? std::make_shared<shell::WorkerSession>(base) : nullptr;
  m_run->setEnabled(bool(m_worker)), m_csv->setEnabled(false);
  showNoAnswer({});
  m_schema->setTree(schemaTree(m_tables), 0); // the schema is the same in every report; a change of report has collapsed it
  if (!base) return showNoReport(tr("A query needs a report."));
  page().showContent();
  takeQuery();
}

// Another report starts with the first query: each report's text is stored in its own view state.
void QueryView::forgetReport() {
  View::forgetReport();
  fields().items("saved", *m_saved, kIdRole);
  fields().text("sql", *m_sql);
  m_sql->setPlainText(QString::fromLatin1(kFirst));
}

// Ctrl+Enter also runs the query from the table list, where Enter inserts a name.
bool QueryView::eventFilter(QObject* watched, QEvent* event) {
  if (watched != m_schema || event->type() != QEvent::KeyPress) return View::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
  if (!enter || !(key->modifiers() & Qt::ControlModifier)) return View::eventFilter(watched, event);
  run();
  return true;
}

void QueryView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  takeQuery();
}

// Inserts the query of a row's menu as an edit, so that Undo restores the typed text.
void QueryView::takeQuery() {
  if (!isVisible() || !m_worker) return;
  const auto asked = state().messages().take<shell::RunSql>();
  if (!asked) return;
  m_sql->selectAll();
  m_sql->insertPlainText(asked->sql);
  run();
}

void QueryView::run() {
  const QString sql = m_sql->toPlainText().trimmed();
  if (!m_worker || sql.isEmpty()) return;
  m_sql->document()->setModified(true); // marks it as typed, so that it is stored for the report
  m_note->setText(tr("Running…"));
  m_job.start(
      [worker = m_worker, sql = sql.toStdString()](const std::stop_token& stop, reports::Progress&) {
        analyser::query::Limits limits;
        limits.maxRows = kMostRows;
        limits.maxTime = std::chrono::minutes(10);
        Answer answer;
        answer.sql = QString::fromStdString(sql);
        shell::HostTracks tracks;
        answer.result = std::make_shared<const analyser::query::Result>(worker->use([&](analyser::Session& session) {
          tracks = shell::hostTracks(session);
          return analyser::query::run(session, sql, limits, stop);
        }));
        answer.slices = shell::resultSlices(*answer.result, tracks);
        answer.table = resultTable(*answer.result, sql);
        return answer;
      },
      [this](const Answer& answer) { showAnswer(answer); },
      [this](const reports::Error& error) {
        // Leaves out the report's name, because it is the open report.
        showNoAnswer(tr("The query failed: %1%2")
                         .arg(messageText(error.message()),
                              error.advice().empty() ? QString() : QStringLiteral("; ") + messageText(error.advice())));
      });
}

// Rows of an earlier query must neither appear below another one nor be saved as its result.
void QueryView::showNoAnswer(const QString& why) {
  m_result->view().setEmptyText(why.isEmpty() ? tr("Run the query to see its rows") : why);
  m_result->setTable(std::make_shared<const tables::Table>());
  m_plot->setNone(why);
  m_timeline->setNone();
  m_csv->setEnabled(false);
  m_note->setText(why);
}

void QueryView::showAnswer(const Answer& answer) {
  m_result->view().sortBy({}, Qt::AscendingOrder); // the query's own order
  m_result->view().setFormat(format());
  m_result->view().setEmptyText(tr("The query gave no rows"));
  m_result->setTable(answer.table);
  const analyser::query::Result& result = *answer.result;
  m_plot->setResult(answer.result);
  m_timeline->setFormat(format());
  m_timeline->setSlices(answer.slices);
  m_csv->setEnabled(!result.rows.empty());
  const double seconds = double(result.elapsed.count()) / 1e9;
  const auto rows = int64_t(result.rows.size());
  m_note->setText(result.truncated
                      ? tr("The first %1 rows, in %2; the query gives more").arg(theme::count(rows), theme::seconds(seconds))
                      : tr("%1 in %2").arg(theme::plural(rows, tr("row"), tr("rows")), theme::seconds(seconds)));
}

QList<std::pair<QString, QString>> QueryView::saved() const {
  QList<std::pair<QString, QString>> list;
  const QStringList flat = settings().value("query/saved").toStringList();
  for (qsizetype i = 0; i + 1 < flat.size(); i += 2) list.append({flat[i], flat[i + 1]});
  return list;
}

void QueryView::setSaved(const QList<std::pair<QString, QString>>& queries) {
  QStringList flat;
  for (const auto& [name, sql] : queries) flat << name << sql;
  settings().setValue("query/saved", flat);
  listSaved();
}

void QueryView::listSaved() {
  m_saved->clear();
  m_saved->addItem(tr("Saved queries"));
  const auto add = [this](const QString& name, const QString& sql, const QString& id) {
    m_saved->addItem(name, sql);
    m_saved->setItemData(m_saved->count() - 1, id, kIdRole);
  };
  const auto& examples = analyser::query::exampleQueries();
  for (std::size_t i = 0; i < examples.size(); ++i)
    add(reportText(examples[i].name), QString::fromStdString(examples[i].sql), QStringLiteral("example %1").arg(i));
  const auto own = saved();
  if (!own.isEmpty()) m_saved->insertSeparator(m_saved->count());
  for (const auto& [name, sql] : own) add(name, sql, QStringLiteral("own %1").arg(name));
  m_remove->setEnabled(false);
}

void QueryView::save() {
  bool wanted = false;
  const QString name = QInputDialog::getText(this, tr("Save the query"), tr("Name"), QLineEdit::Normal, {}, &wanted).trimmed();
  if (!wanted || name.isEmpty()) return;
  auto list = saved();
  list.removeIf([&](const auto& query) { return query.first == name; });
  list.append({name, m_sql->toPlainText()});
  setSaved(list);
  m_saved->setCurrentText(name);
  m_remove->setEnabled(true);
}

void QueryView::removeSaved() {
  auto list = saved();
  list.removeIf([&](const auto& query) { return query.first == m_saved->currentText(); });
  setSaved(list);
}

void QueryView::saveCsv() {
  const auto answer = m_job.result();
  if (!answer) return;
  const QString file = theme::saveFileName(this, tr("Save the result"), QStringLiteral("query.csv"), tr("CSV (*.csv)"));
  if (file.isEmpty()) return;
  const QString why = theme::writeWhole(file, QByteArray::fromStdString(analyser::query::formatCsv(*answer->result)));
  m_note->setText(why.isEmpty() ? tr("Saved as %1").arg(file) : tr("%1 could not be written: %2").arg(file, why));
}

bool QueryView::focusFilter() {
  m_result->filter().setFocus(Qt::ShortcutFocusReason);
  return true;
}

std::vector<std::pair<QString, QString>> QueryView::keys() const {
  return {{tr("Ctrl+Enter"), tr("runs the query")},
          {tr("Ctrl+Space"), tr("completes a name")},
          {tr("Enter"), tr("in the tables: puts the name into the query")}};
}

void QueryView::formatChanged() {
  m_result->view().setFormat(format());
  m_timeline->setFormat(format());
}

} // namespace ui::query
