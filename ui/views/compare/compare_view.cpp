#include "ui/views/compare/compare_view.h"

#include "ui/parts/change_tables.h"
#include "ui/parts/copy_text.h"
#include "ui/parts/elided_label.h"
#include "ui/parts/page.h"
#include "ui/parts/vertical_scroll.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/compare/compare_tables.h"
#include "ui/views/compare/pair_plot.h"
#include "ui/views/compare/report_columns.h"
#include "ui/views/compare/trace_pair.h"

#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui::compare {

using theme::reportText;

namespace {
constexpr std::size_t kCopiedRows = 10;

QString nameOf(const analyser::ReportIdentity& identity) {
  const QString title = reportText(identity.title), file = reportText(identity.fileName);
  return title.isEmpty() ? file : QStringLiteral("%1 · %2").arg(title, file);
}

} // namespace

CompareView::CompareView(const shell::ViewParts& parts) : PairView(parts), m_job(tr("Comparing the reports"), &parts.jobs) {
  page().addHeaderRow(buildHeader());
  m_tabs = new QTabWidget;
  m_tabs->setDocumentMode(true);
  m_tabs->addTab(m_findings = new tables::FilteredTable(theme(), tr("Causes of the change")), tr("Causes"));
  m_findings->addNote(m_means = new shell::ElidedLabel(tr("What the causes count")));
  m_means->setWhole(tr("Means over the IPUs; Totals are those of the critical IPU"));
  m_means->setProperty("role", "secondary");
  m_means->hide();
  m_tabs->addTab(m_totals = new tables::TableView(theme(), tr("Totals of both reports")), tr("Totals"));
  m_tabs->addTab(m_memory = new PairPlot(theme(), tr("Memory per tile of both reports")), tr("Memory"));
  m_tabs->addTab(m_liveness = new PairPlot(theme(), tr("Memory alive per step of both reports")), tr("Liveness"));
  m_tabs->addTab(m_variables = new tables::FilteredTable(theme(), tr("Variables that differ")), tr("Variables"));
  m_tabs->addTab(m_categories = new tables::TableView(theme(), tr("Memory by category of both reports")), tr("Categories"));
  m_tabs->addTab(m_settings = new tables::FilteredTable(theme(), tr("Settings that differ")), tr("Settings"));
  auto* trace = shell::verticalScroll(m_trace = new TracePair(theme(), jobs()));
  m_tabs->addTab(trace, tr("Trace"));
  m_columns = new ReportColumns(theme(), jobs(), this);
  m_columns->hide();
  fields().tabs("tab", *m_tabs,
                {{m_columns, "all"},
                 {m_findings, "causes"},
                 {m_totals, "totals"},
                 {m_memory, "memory"},
                 {m_liveness, "liveness"},
                 {m_variables, "variables"},
                 {m_categories, "categories"},
                 {m_settings, "settings"},
                 {trace, "trace"}});
  fields().table("causes", *m_findings);
  fields().order("totals.order", *m_totals);
  m_memory->addFields(fields(), "memory.hidden");
  m_liveness->addFields(fields(), "liveness.hidden");
  fields().table("variables", *m_variables);
  fields().order("categories.order", *m_categories);
  fields().table("settings", *m_settings);
  m_columns->addFields(fields());
  m_trace->addFields(fields());
  work().add({&m_columns->job()});
  connect(m_trace, &TracePair::busyChanged, this, &View::busyChanged);
  connect(m_columns, &ReportColumns::verdictChanged, this, &CompareView::showVerdict);
  connect(m_tabs, &QTabWidget::currentChanged, this, &CompareView::showVerdict);
  page().setBody(m_tabs);
  connectPlots();
  m_copyVerdict = page().addToolAction(QStringLiteral("copy"), tr("Copy verdict"),
                                       tr("Copy the sentence above, with the names of both reports"), [this] { copyVerdict(); });
  m_copyVerdict->setText(tr("Verdict"));
  m_copyVerdict->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_copyAll =
      page().addToolAction(QStringLiteral("copy"), tr("Copy"),
                           tr("Copy the comparison as Markdown, for a message or a pull request"), [this] { copyMarkdown(); });
  setMainJob(m_job, [this] { read(); });
  connect(&state().notes(), &shell::ReportNotes::pairingChanged, this, [this] {
    if (hasBoth()) read();
  });
  m_findings->view().setEmptyText(tr("Time and memory did not change."));
  m_variables->view().setEmptyText(tr("The same variables in both reports."));
  m_settings->view().setEmptyText(tr("Machine and settings are the same."));
}

CompareView::~CompareView() = default;

void CompareView::connectPlots() {
  connect(m_memory, &PairPlot::positionClicked, this, [this](qint64 tile, Qt::KeyboardModifiers modifiers) {
    tile < 0 ? state().setTiles({}) : state().clickTile(reports::TileId(std::size_t(tile)), modifiers);
  });
  connect(m_memory, &PairPlot::positionActivated, this, [this](qint64 tile) {
    state().setTiles({reports::TileId(std::size_t(tile))});
    state().messages().send(shell::ShowTab{QStringLiteral("memory"), QStringLiteral("variables")});
    emit viewRequested(QStringLiteral("memory"));
  });
  connect(m_liveness, &PairPlot::positionActivated, this, [this](qint64 step) {
    const auto answer = m_job.result();
    if (!answer || std::size_t(step) >= answer->curves.baseLiveness.steps.size()) return;
    state().setStep(answer->curves.baseLiveness.steps[std::size_t(step)].programStep);
    emit viewRequested(QStringLiteral("liveness"));
  });
  connect(&state(), &shell::ViewState::tilesChanged, this, &CompareView::showSelectedTiles);
  connect(m_tabs, &QTabWidget::currentChanged, this, &View::selectionTextChanged);
}

void CompareView::showSelectedTiles() {
  std::vector<reports::Range<int64_t>> positions;
  for (const auto tile : state().tiles()) positions.push_back({int64_t(tile.value()), int64_t(tile.value()) + 1});
  m_memory->setSelected(std::move(positions));
  emit selectionTextChanged();
}

bool CompareView::isBusy() const {
  return m_job.isBusy() || m_columns->job().isBusy() || (m_trace->isVisible() && m_trace->isBusy());
}

QWidget* CompareView::buildHeader() {
  auto* header = new QWidget;
  auto* row = new QHBoxLayout(header);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(theme::kGrid);
  const auto side = [&](const QString& role, shell::ElidedLabel*& name) {
    auto* caption = theme::plainLabel(role);
    caption->setProperty("role", "secondary");
    name = new shell::ElidedLabel(role);
    row->addWidget(caption);
    row->addWidget(name, 1);
  };
  side(tr("A, base"), m_source); // the letters of the two names at the top; a change is B − A
  side(tr("B, other"), m_target);
  return header;
}

void CompareView::drop() {
  PairView::drop();
  m_trace->setSessions(nullptr, nullptr);
}

void CompareView::begin() {
  if (hasBoth()) m_trace->setSessions(base(), other());
  showColumns();
  showSides();
}

// Shows the page of all reports if there are more than two.
void CompareView::showColumns() {
  std::vector<shell::SessionPointer> all{base(), other()};
  all.insert(all.end(), m_further.begin(), m_further.end());
  const bool several = hasBoth() && all.size() > 2;
  m_columns->setSessions(several ? all : std::vector<shell::SessionPointer>());
  if (const int at = m_tabs->indexOf(m_columns); several && at < 0)
    m_tabs->insertTab(0, m_columns, tr("All %1 reports").arg(all.size())), m_tabs->setCurrentIndex(0);
  else if (several)
    m_tabs->setTabText(at, tr("All %1 reports").arg(all.size()));
  else if (at >= 0)
    m_tabs->removeTab(at);
}

void CompareView::showSides() {
  for (const auto& [label, session] : {std::pair{m_source, base()}, {m_target, other()}})
    label->setWhole(session ? nameOf(session->identity()) : tr("none"),
                    session ? reportText(session->identity().path) : QString());
}

void CompareView::read() {
  fill(
      m_job,
      [rules = state().notes().pairing()](analyser::Session& source, analyser::Session& target, const std::stop_token& stop) {
        Answer answer{analyser::compare::compare(source, target, stop, rules),
                      analyser::compare::curves(source, target, stop),
                      {},
                      {},
                      {},
                      {}};
        const QString from = nameOf(answer.comparison.base), to = nameOf(answer.comparison.other);
        answer.totals = figureTable(answer.comparison.totals, from, to);
        answer.categories = figureTable(answer.comparison.memoryByCategory, from, to);
        answer.variables = shell::variableTable(answer.comparison.variables);
        answer.settings = textTable(answer.comparison, from, to);
        return answer;
      },
      [this](const Answer&) { show(); });
}

void CompareView::show() {
  const auto answer = m_job.result();
  if (!answer) return;
  showVerdict();
  QStringList notCompared;
  for (const std::string& words : answer->comparison.notCompared) { // "values: the other does not fit"
    const QString all = reportText(words);
    const auto colon = all.indexOf(QStringLiteral(": "));
    notCompared.append(colon < 0 ? all : QStringLiteral("%1 (%2)").arg(all.left(colon), all.mid(colon + 2)));
  }
  notCompared.isEmpty() ? page().clearBanner()
                        : page().setBanner(tr("Not compared: %1.").arg(notCompared.join("; ")), shell::Tone::Neutral);
  for (tables::TableView* view : {m_totals, m_categories, &m_findings->view(), &m_variables->view(), &m_settings->view()})
    view->setFormat(format());
  m_trace->setFormat(format());
  m_columns->setFormat(format());
  m_means->setVisible(answer->comparison.meansOfIpus);
  m_findings->setTable(findingTable(answer->comparison, format()));
  m_variables->setTable(answer->variables);
  m_totals->setTable(answer->totals);
  m_categories->setTable(answer->categories);
  m_settings->setTable(answer->settings);
  m_tabs->setTabText(m_tabs->indexOf(m_variables),
                     tr("Variables (%1)").arg(theme::count(int64_t(answer->variables->rows.size()))));
  m_tabs->setTabText(m_tabs->indexOf(m_settings), tr("Settings (%1)").arg(theme::count(int64_t(answer->settings->rows.size()))));
  const auto& c = answer->curves;
  m_memory->show(PairPlot::ofMemory(c.baseMemory, c.otherMemory, format()));
  m_liveness->show(PairPlot::ofLiveness(c.baseLiveness, c.otherLiveness, format()));
  showSelectedTiles();
}

// Shows the verdict on all reports on the page of columns, else on two.
void CompareView::showVerdict() {
  const auto answer = m_job.result();
  if (!answer) return;
  const analyser::Sentence all = isOfAll() ? m_columns->verdict() : analyser::Sentence();
  const auto& c = answer->comparison;
  page().setVerdict(!all.empty() ? all : c.headline.empty() ? c.verdict : c.headline);
}

bool CompareView::isOfAll() const { return m_tabs->currentWidget() == m_columns; }

void CompareView::copyMarkdown() {
  if (const auto answer = m_job.result())
    shell::copyText(*m_copyAll, QString::fromStdString(analyser::compare::comparisonText(
                                    answer->comparison, analyser::compare::TextFormat::Markdown, kCopiedRows)));
}

void CompareView::copyVerdict() {
  const auto answer = m_job.result();
  if (!answer) return;
  const auto& c = answer->comparison;
  if (isOfAll() && !m_columns->verdict().empty()) return shell::copyText(*m_copyVerdict, verdict());
  shell::copyText(*m_copyVerdict, tr("%1 against %2: %3")
                                      .arg(reportText(c.other.fileName), reportText(c.base.fileName),
                                           verdict().replace('\n', QStringLiteral(". "))));
}

QString CompareView::selectionText() const {
  if (m_tabs->currentWidget() == m_memory && state().tiles().size() == 1)
    return m_memory->words(int64_t(state().tiles().front().value()));
  return {};
}

bool CompareView::focusFilter() {
  m_tabs->setCurrentWidget(m_findings);
  m_findings->filter().setFocus(Qt::ShortcutFocusReason);
  return true;
}

} // namespace ui::compare
