#include "ui/views/liveness/liveness_view.h"

#include "ui/parts/debug_tab.h"
#include "ui/parts/elided_label.h"
#include "ui/parts/page.h"
#include "ui/parts/sentence_text.h"
#include "ui/parts/shown_tabs.h"
#include "ui/parts/wrapped_label.h"
#include "ui/plot/legend.h"
#include "ui/plot/overviewed_plot.h"
#include "ui/plot/plot_table.h"
#include "ui/plot/step_plot.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/liveness/lifetime_chart.h"
#include "ui/views/liveness/liveness_tables.h"

#include <QAction>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui::liveness {

using theme::reportText;

namespace {
constexpr double kLimitInView = 0.4; // a scope filled above this share is drawn up to its whole memory
constexpr int kGutter = 72;          // pixels: space for bytes left of the bars below the curve
constexpr QLatin1String kTiles(analyser::liveness::kTilesScope.data(), int(analyser::liveness::kTilesScope.size()));
constexpr int kNameWidth = 60; // characters
} // namespace

LivenessView::LivenessView(const shell::ViewParts& parts)
    : View(parts), m_job(tr("Reading liveness"), &parts.jobs), m_stepJob(tr("Reading variables of the step"), &parts.jobs) {
  buildTools();
  page().addHeaderRow(m_legend = new plot::Legend(theme()));
  m_curve = new plot::StepPlot(theme(), tr("Memory alive per program step"));
  auto* overviewed = new plot::OverviewedPlot(theme(), m_curve);
  auto* curves = new QWidget;
  auto* column = new QVBoxLayout(curves);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(theme::kHalf);
  column->addWidget(overviewed, 1);
  column->addWidget(m_below = new plot::StepPlot(theme(), tr("Memory alive per program step, B")), 1);
  m_below->setGutter(kGutter);
  m_below->QWidget::setVisible(false);
  page().setPlot(curves, 0.5);
  fields().range("steps", *overviewed);
  fields().hidden("hidden", *m_legend);
  buildTabs();
  setMainJob(m_job, [this] { read(); });
  work().add({&m_stepJob});
  connect(m_legend, &plot::Legend::shownChanged, this, [this] {
    if (const auto answer = m_job.result()) showCurve(*answer);
  });
  connect(m_pictures, &QComboBox::currentIndexChanged, this, [this] {
    show();
    showSelection();
  });
  // Both plots show the same positions.
  for (auto [from, to] : {std::pair{m_curve, m_below}, {m_below, m_curve}})
    connect(from, &plot::StepPlot::visibleChanged, this, [this, to = to](reports::Range<int64_t> range) {
      if (m_reports.areTwo() && !isMerged()) to->setVisible(range);
    });
  connect(m_below, &plot::StepPlot::positionClicked, this, [this](int64_t position) { selectStepOfOther(position); });
  m_curve->installEventFilter(this);
  connect(m_curve, &plot::StepPlot::positionClicked, this, [this](int64_t position, Qt::KeyboardModifiers modifiers) {
    if (position < 0 && !m_range.empty()) return selectStep(m_range.begin, true);
    const auto answer = m_job.result();
    if (answer && isMerged() && position >= int64_t(answer->liveness.curve.notAlwaysLive.size()))
      return selectStepOfOther(position); // A is shorter: it has no step at this position
    modifiers& Qt::ShiftModifier ? compareWith(position) : selectStep(position, true);
  });
  connect(m_curve, &plot::StepPlot::rangeDragged, this, [this](int64_t first, int64_t last) {
    m_anchor = first;
    selectRange({first, last + 1}, true);
  });
  fields().selection(
      "selected", *m_curve, [this] { return rangeText(); }, [this](const QString& text) { setRangeText(text); });
  fields().selection(
      "compared", *m_curve, [this] { return m_second < 0 ? QString() : QString::number(m_second); },
      [this](const QString& step) {
        const auto answer = m_job.result();
        if (answer && !step.isEmpty() && step.toULongLong() < answer->liveness.steps.size()) compareWith(step.toLongLong());
      });
  m_curve->setGutter(kGutter);
  m_lifetimes->setAxis([this] { return lifetimeAxis(); });
  connect(m_curve, &plot::StepPlot::painted, m_lifetimes->viewport(), qOverload<>(&QWidget::update));
  connect(&state(), &shell::ViewState::stepChanged, this, [this](reports::ProgramStepId step) {
    const auto answer = m_job.result();
    if (!answer) return;
    const int64_t ordinal = ordinalOf(answer->liveness.steps, step);
    if (ordinal >= 0) selectStep(ordinal, false);
  });
  connect(&state(), &shell::ViewState::tilesChanged, this, [this] {
    listScopes();
    if (m_scope != kTiles) return;
    if (state().tiles().empty()) m_scope.clear();
    read();
  });
  connect(&state(), &shell::ViewState::variableChanged, this, [this](reports::VariableId variable) {
    const std::vector<int64_t> ids{variable.valid() ? int64_t(variable.value()) : -1};
    m_notAlways->view().selectIds(ids), m_always->view().selectIds(ids);
    m_lifetimes->setSelectedVariable(variable);
    showMaker();
    emit selectionTextChanged();
  });
}

void LivenessView::showMaker() {
  const auto variable = m_reports ? state().variable() : reports::VariableId();
  shell::setTabShown(*page().tabs(), m_maker, variable.valid());
  m_maker->showVariable(m_reports.baseWorker(), variable);
  placeStepTitle(); // the row of tabs has become longer or shorter
}

LivenessView::~LivenessView() = default;

// The steps of the curve at their pixel positions in the chart below it.
StepAxis LivenessView::lifetimeAxis() const {
  const QRect area = m_curve->axes();
  const int shift = m_curve->mapTo(window(), QPoint()).x() - m_lifetimes->viewport()->mapTo(window(), QPoint()).x();
  const auto [begin, end] = m_curve->shownPositions();
  return {begin + 0.5, end + 0.5, double(area.left() + shift), double(area.left() + area.width() + shift)};
}

void LivenessView::buildTools() {
  m_scopes = new QComboBox;
  m_scopes->setAccessibleName(tr("Scope"));
  m_scopes->setToolTip(tr("Shows the memory of all IPUs, one IPU or one tile"));
  m_scopes->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  fields().items("scope", *m_scopes);
  page().addTool(m_scopes);
  connect(m_scopes, &QComboBox::activated, this, [this](int index) {
    m_scope = m_scopes->itemData(index).toString();
    read();
  });
  m_pictures = new QComboBox;
  m_pictures->setAccessibleName(tr("Picture"));
  fields().choice<LivenessState::Picture>("picture", *m_pictures, m_state.picture,
                                          {{LivenessState::Picture::Merged, "merged", tr("Curves merged")},
                                           {LivenessState::Picture::Apart, "apart", tr("Curves apart")}});
  page().addTool(m_pictures);
  auto* peak = page().addToolAction(QStringLiteral("peak"), tr("Select the peak"),
                                    tr("Select the step with most memory alive (P)"), [this] { selectPeak(); });
  peak->setShortcut(Qt::Key_P);
  QMenu* menu = page().viewMenu();
  m_showLimit = menu->addAction(tr("Scale to the available memory"), this, [this] { show(); });
  fields().flagOfReport("limit", *m_showLimit, m_toLimit);
  menu->addAction(tr("Show all steps (F)"), this, [this] { m_curve->fit(); });
}

void LivenessView::buildTabs() {
  QTabWidget* tabs = page().tabs();
  tabs->addTab(m_notAlways = new tables::FilteredTable(theme(), tr("Variables alive at the step")), tr("Not always live"));
  m_notAlways->addAbove(m_rangeWords = new shell::WrappedLabel);
  m_rangeWords->hide();
  tabs->addTab(m_always = new tables::FilteredTable(theme(), tr("Always-live variables")), tr("Always live"));
  tabs->addTab(m_difference = new tables::FilteredTable(theme(), tr("Variables alive at only one of two steps")),
               tr("Difference"));
  shell::setTabShown(*tabs, m_difference, false);
  tabs->addTab(m_lifetimes = new LifetimeChart(theme()), tr("Lifetimes"));
  m_lifetimes->setProperty(plot::kTwin, tr("Variables alive at the step"));
  tabs->addTab(m_work = new tables::FilteredTable(theme(), tr("Vertices of the step")), tr("Vertices, cycles, FLOPs"));
  m_work->view().setEmptyText(tr("The report has no cycles of this step."));
  tabs->addTab(m_shrink = new tables::FilteredTable(theme(), tr("The peak by category")), tr("Headroom"));
  m_shrink->addAbove(m_shrinkWords = new shell::WrappedLabel);
  tabs->addTab(m_steps = new tables::FilteredTable(theme(), tr("Program steps")), tr("Steps"));
  tabs->addTab(m_maker = new shell::DebugTab(theme(), jobs(), tr("Debug information of the variable")), tr("Debug"));
  work().add({&m_maker->job()});
  fields().tabs("tab", *tabs,
                {{m_notAlways, "notAlways"},
                 {m_always, "always"},
                 {m_difference, "difference"},
                 {m_lifetimes, "lifetimes"},
                 {m_work, "work"},
                 {m_shrink, "shrink"},
                 {m_steps, "steps"},
                 {m_maker, "debug"}});
  fields().table("notAlways", *m_notAlways);
  // Links of earlier versions name the tables for two reports.
  fields().formerTable("alive", "notAlways", {{"a", "bytesA"}, {"b", "bytesB"}, {"difference", "bytesChange"}});
  fields().table("always", *m_always);
  fields().table("difference", *m_difference);
  fields().table("work", *m_work);
  fields().table("shrink", *m_shrink);
  fields().table("stepRows", *m_steps);
  m_stepTitle = new shell::ElidedLabel(tr("Selected step"));
  m_stepTitle->setProperty("role", "secondary");
  m_stepTitle->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  m_stepTitle->setParent(tabs); // placed by hand: a corner widget squeezes the tabs and is drawn with a line
  for (tables::FilteredTable* table : {m_notAlways, m_always, m_difference}) {
    connect(&table->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
      if (!ids.empty() && ids.front() >= 0) state().setVariable(reports::VariableId(std::size_t(ids.front())));
    });
    connect(&table->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
      if (id < 0) return;
      tellStep(); // the address map shows the tile at this step, even if the page itself has chosen the peak
      state().setVariable(reports::VariableId(std::size_t(id)));
      state().messages().send(shell::ShowTab{QStringLiteral("memory"), QStringLiteral("variables")});
      emit viewRequested(QStringLiteral("memory"));
    });
  }
  connect(&m_steps->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    if (!ids.empty()) selectStep(ids.front(), true);
  });
  connect(m_lifetimes, &LifetimeChart::variableClicked, this,
          [this](reports::VariableId variable) { state().setVariable(variable); });
  connect(m_lifetimes, &LifetimeChart::stepClicked, this, [this](int64_t step) { selectStep(step, true); });
}

void LivenessView::setSessions(shell::SessionPointer base, shell::SessionPointer other) {
  work().drop();
  m_reports = {base, other};
  m_pictures->setVisible(other != nullptr);
  showMaker();
  m_scope.clear(), m_step = m_stepInOther = m_second = m_anchor = -1, m_range = {}, m_fresh = true;
  page().clearVerdict();
  if (!base) return showNoReport(tr("Liveness needs a report."));
  read();
}

// Lists the scopes of the report, and the tiles selected in any view.
void LivenessView::listScopes() {
  const auto answer = m_job.result();
  m_scopes->clear();
  if (!answer) return;
  std::vector<std::string> scopes = answer->liveness.scopes;
  if (answer->other)
    for (const std::string& scope : answer->other->liveness.scopes)
      if (std::find(scopes.begin(), scopes.end(), scope) == scopes.end()) scopes.push_back(scope);
  for (const std::string& scope : scopes) m_scopes->addItem(scopeTitle(scope), QString::fromStdString(scope));
  if (!state().tiles().empty()) m_scopes->addItem(tr("Selected tiles"), QString(kTiles));
  m_scopes->setCurrentIndex(m_scopes->findData(m_scope));
}

void LivenessView::widen() {
  for (tables::FilteredTable* table : page().tabs()->findChildren<tables::FilteredTable*>()) table->filter().clear();
  if (m_scope.isEmpty() || m_scopes->count() == 0 || m_scope == m_firstScope) return;
  m_scope.clear(); // the initial scope of a report
  read();
}

void LivenessView::read() {
  if (!m_reports) return;
  if (!m_job.result()) page().showLoading(tr("Reading liveness"));
  m_job.start(
      [reports = m_reports, scope = m_scope.toStdString(), tiles = state().tiles()](
          const std::stop_token& stop, reports::Progress&) { return readLiveness(reports, scope, tiles, stop); },
      [this](const Answer& answer) {
        const auto& curve = answer.liveness.curve;
        const bool isFirst = m_scope.isEmpty();
        if (isFirst) m_scope = m_firstScope = QString::fromStdString(answer.other && curve.scope.empty() ? "all" : curve.scope);
        const bool isFresh = std::exchange(m_fresh, false); // once per report: later the user's choices in menu and legend stay
        if (isFresh)
          m_showLimit->setChecked(curve.capacity.value() > 0 &&
                                  ratio(curve.peak + curve.alwaysLive, curve.capacity) > kLimitInView);
        show();
        if (isFresh && !m_toLimit) setAlwaysShown(true); // always-live memory is most of it; the legend can hide it
        const int64_t shared = ordinalOf(answer.liveness.steps, state().step());
        const int64_t steps = int64_t(curve.notAlwaysLive.size());
        m_stepJob.forget(); // the job reads another scope
        if (const auto range = m_range; !range.empty()) return selectRange(range, false);
        if (answer.other && isFresh && !state().step().valid()) return selectPeak();
        selectStep(m_step >= 0 && m_step < steps ? m_step : shared >= 0 && shared < steps ? shared : curve.peakStep, false);
      },
      [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { read(); }); });
}

void LivenessView::show() {
  const auto answer = m_job.result();
  if (!answer) return;
  const auto& liveness = answer->liveness;
  page().setVerdict(answer->other ? changeVerdict(liveness, answer->other->liveness) : liveness.verdict);
  listScopes();
  if (liveness.curve.notAlwaysLive.empty() && (!answer->other || answer->other->liveness.curve.notAlwaysLive.empty()))
    return page().showEmpty(tr("This report holds no liveness"),
                            tr("The report was written without liveness, or comes from a tool that does not record it."));
  showLegend(*answer);
  showCurve(*answer);
  m_lifetimes->setFormat(format());
  m_lifetimes->setLifetimes(answer->lifetimes);
  for (tables::FilteredTable* table : {m_shrink, m_steps}) table->view().setFormat(format());
  m_shrink->setTable(answer->shrinkRows);
  const bool fits =
      answer->shrink.excess <= reports::Bytes() && (!answer->other || answer->other->shrink.excess <= reports::Bytes());
  page().tabs()->setTabText(page().tabs()->indexOf(m_shrink), fits ? tr("Headroom") : tr("What must shrink"));
  const QString words = shell::sentenceText(answer->shrink.verdict, format(), kNameWidth);
  m_shrinkWords->setWords(
      !answer->other ? words
                     : tr("A: %1 B: %2").arg(words, shell::sentenceText(answer->other->shrink.verdict, format(), kNameWidth)));
  page().tabs()->setTabText(page().tabs()->indexOf(m_lifetimes), answer->other ? tr("Lifetimes in A") : tr("Lifetimes"));
  m_steps->setTable(answer->steps);
  m_always->view().setFormat(format());
  m_always->setTable(answer->always);
  page().showContent();
}

// Places the title right of the tabs, in the remaining width.
void LivenessView::placeStepTitle() {
  const QTabWidget* tabs = page().tabs();
  const QSize bar = tabs->tabBar()->sizeHint();
  const int left = bar.width() + theme::kMargin;
  const int right = tabs->width() - tabs->cornerWidget()->sizeHint().width() - theme::kGrid;
  m_stepTitle->setGeometry(left, 0, std::max(0, right - left), bar.height());
}

void LivenessView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  placeStepTitle();
}

bool LivenessView::focusFilter() {
  QTabWidget* tabs = page().tabs();
  for (tables::FilteredTable* table : {m_notAlways, m_always, m_difference, m_work, m_shrink, m_steps})
    if (tabs->currentWidget() == table) return table->filter().setFocus(Qt::ShortcutFocusReason), true;
  tabs->setCurrentWidget(m_steps);
  m_steps->filter().setFocus(Qt::ShortcutFocusReason);
  return true;
}

std::vector<std::pair<QString, QString>> LivenessView::keys() const {
  return {{tr("Left, Right"), tr("previous or next step; with Ctrl ten")},
          {tr("Shift+drag, Shift+Left, Shift+Right"), tr("select a range of steps; with Ctrl ten at a time")},
          {tr("Esc"), tr("back from a range to its first step")},
          {tr("Shift+click"), tr("compare with the selected step")},
          {tr("Enter"), tr("in a table of variables: show the variable in Memory")},
          {tr("P"), tr("select the peak")},
          {tr("F"), tr("show all steps")}};
}

void LivenessView::formatChanged() {
  show();
  if (const auto at = m_stepJob.result()) showStep(*at);
  showSelection();
}

} // namespace ui::liveness
