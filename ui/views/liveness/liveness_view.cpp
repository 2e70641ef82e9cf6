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

#include <utility>

namespace ui::liveness {

using theme::reportText;

namespace {
constexpr std::size_t kLifetimes = 200;
constexpr double kLimitInView = 0.4; // a scope filled above this share is drawn up to its whole memory
constexpr int64_t kDrowns = 3;       // hides always-live memory above this multiple of the rest's peak, which would be too thin
constexpr int kGutter = 72;          // pixels: space for bytes left of the bars below the curve
constexpr QLatin1String kTiles(analyser::liveness::kTilesScope.data(), int(analyser::liveness::kTilesScope.size()));
constexpr int kNameWidth = 60; // characters
enum Series { Always, NotAlways };
} // namespace

LivenessView::LivenessView(const shell::ViewParts& parts)
    : View(parts), m_job(tr("Reading liveness"), &parts.jobs), m_stepJob(tr("Reading variables of the step"), &parts.jobs) {
  buildTools();
  page().addHeaderRow(m_legend = new plot::Legend(theme()));
  m_curve = new plot::StepPlot(theme(), tr("Memory alive per program step"));
  auto* overviewed = new plot::OverviewedPlot(theme(), m_curve);
  page().setPlot(overviewed, 0.5);
  fields().range("steps", *overviewed);
  fields().hidden("hidden", *m_legend);
  buildTabs();
  setMainJob(m_job, [this] { read(); });
  work().add({&m_stepJob});
  connect(m_legend, &plot::Legend::shownChanged, this, [this] {
    if (const auto answer = m_job.result()) showCurve(*answer);
  });
  m_curve->installEventFilter(this);
  connect(m_curve, &plot::StepPlot::positionClicked, this, [this](int64_t position, Qt::KeyboardModifiers modifiers) {
    if (position < 0 && !m_range.empty()) return selectStep(m_range.begin, true);
    modifiers& Qt::ShiftModifier ? compareWith(position) : selectStep(position, true);
  });
  connect(m_curve, &plot::StepPlot::rangeDragged, this, [this](int64_t first, int64_t last) {
    m_anchor = first;
    selectRange({first, last + 1}, true);
  });
  fields().selection(
      "selected", *m_curve, [this] { return rangeText(); }, [this](const QString& text) { setRangeText(text); });
  m_curve->setGutter(kGutter);
  m_lifetimes->setAxis([this] { return lifetimeAxis(); });
  connect(m_curve, &QCustomPlot::afterReplot, m_lifetimes->viewport(), qOverload<>(&QWidget::update));
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
  const auto variable = m_worker ? state().variable() : reports::VariableId();
  shell::setTabShown(*page().tabs(), m_maker, variable.valid());
  m_maker->showVariable(m_worker, variable);
  placeStepTitle(); // the row of tabs has become longer or shorter
}

LivenessView::~LivenessView() = default;

// The steps of the curve at their pixel positions in the chart below it.
StepAxis LivenessView::lifetimeAxis() const {
  const QRect area = m_curve->axisRect()->rect();
  const int shift = m_curve->mapTo(window(), QPoint()).x() - m_lifetimes->viewport()->mapTo(window(), QPoint()).x();
  const QCPRange shown = m_curve->xAxis->range();
  return {shown.lower + 0.5, shown.upper + 0.5, double(area.left() + shift), double(area.left() + area.width() + shift)};
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
  auto* peak = page().addToolAction(QStringLiteral("peak"), tr("Select the peak"),
                                    tr("Select the step with most memory alive (P)"), [this] {
                                      if (const auto answer = m_job.result()) selectStep(answer->liveness.curve.peakStep, true);
                                    });
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
  tabs->addTab(m_shrink = new tables::FilteredTable(theme(), tr("The peak by category")), tr("What must shrink"));
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

void LivenessView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  work().drop();
  m_worker = base ? std::make_shared<shell::WorkerSession>(base) : nullptr;
  showMaker();
  m_scope.clear(), m_step = m_second = m_anchor = -1, m_range = {}, m_fresh = true;
  page().clearVerdict();
  if (!base) return showNoReport(tr("Liveness needs a report."));
  read();
}

LivenessView::Answer LivenessView::answerOf(analyser::Session& session, const std::string& asked,
                                            const std::vector<reports::TileId>& tiles, const std::stop_token& stop) {
  namespace liveness = analyser::liveness;
  const bool ofTiles = asked == liveness::kTilesScope;
  const std::string scope = asked.empty() ? liveness::decidingScope(session) : asked;
  Answer answer;
  const liveness::ScopeBytes bytes =
      ofTiles ? liveness::bytesOnTiles(session, tiles, stop) : liveness::scopeBytes(session, scope, stop);
  answer.liveness =
      ofTiles ? liveness::livenessOfTiles(session, tiles, bytes, stop) : liveness::liveness(session, scope, bytes, stop);
  answer.tiles = ofTiles ? tiles : liveness::tilesOfScope(session.machine(), scope);
  answer.lifetimes = liveness::lifetimes(session, kLifetimes, bytes, stop);
  answer.shrink = liveness::shrinkOf(session, answer.liveness.curve, bytes, stop);
  answer.shrinkRows = shrinkTable(answer.shrink);
  answer.steps = stepTable(answer.liveness);
  answer.lives = std::make_shared<const liveness::LifeIndex>(session, bytes, stop);
  answer.gains = std::make_shared<const liveness::Gains>(answer.lives, answer.liveness.curve);
  const auto& always = answer.lives->alwaysLive();
  answer.always = liveTable(always, answer.lives->alwaysLiveBytes(), answer.gains->of(always));
  return answer;
}

LivenessView::AtStep LivenessView::atStep(analyser::Session& session, const Answer& answer, int64_t step, int64_t second,
                                          reports::Range<int64_t> selected, const std::stop_token& stop) {
  namespace liveness = analyser::liveness;
  AtStep at;
  at.live = answer.lives->at(session, step, stop);
  if (!selected.empty()) {
    at.range = answer.lives->during(session, selected, answer.liveness.curve, stop);
    at.inRange = rangeTable(*at.range);
  }
  if (second >= 0)
    at.difference = differenceTable(liveness::difference(at.live, answer.lives->at(session, second, stop)), step, second);
  const auto& alive = at.live.notAlwaysLive;
  at.notAlways = liveTable(alive, at.live.notAlwaysLiveBytes, answer.gains->of(alive));
  if (std::size_t(step) < answer.liveness.steps.size())
    if (const auto program = answer.liveness.steps[std::size_t(step)].programStep; program.valid()) {
      auto details = analyser::program::stepDetails(session, program, stop);
      if (!answer.tiles.empty()) details = analyser::program::partOnTiles(std::move(details), answer.tiles);
      at.work = workTable(details);
    }
  return at;
}

// Lists the scopes of the report, and the tiles selected in any view.
void LivenessView::listScopes() {
  const auto answer = m_job.result();
  m_scopes->clear();
  if (!answer) return;
  for (const std::string& scope : answer->liveness.scopes) m_scopes->addItem(scopeTitle(scope), QString::fromStdString(scope));
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
  if (!m_worker) return;
  if (!m_job.result()) page().showLoading(tr("Reading liveness"));
  m_job.start(
      [worker = m_worker, scope = m_scope.toStdString(), tiles = state().tiles()](const std::stop_token& stop,
                                                                                  reports::Progress&) {
        return worker->use([&](analyser::Session& session) { return answerOf(session, scope, tiles, stop); });
      },
      [this](const Answer& answer) {
        const auto& curve = answer.liveness.curve;
        if (std::exchange(m_scope, QString::fromStdString(curve.scope)).isEmpty()) m_firstScope = m_scope;
        const bool isFresh = std::exchange(m_fresh, false); // once per report: later the user's choices in menu and legend stay
        if (isFresh)
          m_showLimit->setChecked(curve.capacity.value() > 0 &&
                                  ratio(curve.peak + curve.alwaysLive, curve.capacity) > kLimitInView);
        show();
        const bool drowned = curve.peak.value() > 0 && curve.alwaysLive.value() / kDrowns > curve.peak.value();
        if (isFresh && !m_toLimit) m_legend->setShown(Always, !drowned);
        const int64_t shared = ordinalOf(answer.liveness.steps, state().step());
        const int64_t steps = int64_t(curve.notAlwaysLive.size());
        m_stepJob.forget(); // the job reads another scope
        if (const auto range = m_range; !range.empty()) return selectRange(range, false);
        selectStep(m_step >= 0 && m_step < steps ? m_step : shared >= 0 && shared < steps ? shared : curve.peakStep, false);
      },
      [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { read(); }); });
}

void LivenessView::show() {
  const auto answer = m_job.result();
  if (!answer) return;
  const auto& liveness = answer->liveness;
  page().setVerdict(liveness.verdict);
  listScopes();
  if (liveness.curve.notAlwaysLive.empty())
    return page().showEmpty(tr("This report holds no liveness"),
                            tr("The report was written without liveness, or comes from a tool that does not record it."));
  m_legend->setEntries({{tr("Always live"), format().bytes(liveness.curve.alwaysLive), [this] { return theme().alwaysLive(); },
                         plot::Mark::Area, false, "always"},
                        {tr("Not always live"), tr("peak %1").arg(format().bytes(liveness.curve.peak)),
                         [this] { return theme().notAlwaysLive(); }, plot::Mark::Area, false, "notAlways"}});
  showCurve(*answer);
  m_lifetimes->setFormat(format());
  m_lifetimes->setLifetimes(answer->lifetimes);
  for (tables::FilteredTable* table : {m_shrink, m_steps}) table->view().setFormat(format());
  m_shrink->setTable(answer->shrinkRows);
  m_shrinkWords->setWords(shell::sentenceText(answer->shrink.verdict, format(), kNameWidth));
  m_steps->setTable(answer->steps);
  m_always->view().setFormat(format());
  m_always->setTable(answer->always);
  page().showContent();
}

void LivenessView::showCurve(const Answer& answer) {
  const auto& curve = answer.liveness.curve;
  auto changing = std::make_shared<std::vector<int64_t>>();
  for (const auto bytes : curve.notAlwaysLive) changing->push_back(bytes.value());
  auto constant = std::make_shared<std::vector<int64_t>>(changing->size(), curve.alwaysLive.value());
  m_curve->setFormat(format());
  QString scope = reportText(curve.title);
  if (m_scope == QLatin1String("all") || m_scope == kTiles)
    scope = scope.toLower().replace(QLatin1String("ipu"), QLatin1String("IPU"));
  m_curve->setAxes(tr("Liveness step"), int64_t(changing->size()),
                   m_legend->isShown(Always)
                       ? tr("Memory alive, %1").arg(scope)
                       : tr("Not always live, %1; %2 always live (hidden)").arg(scope, format().bytes(curve.alwaysLive)),
                   plot::ValueKind::Bytes);
  m_curve->setLayers({{tr("Always live"), [this] { return theme().alwaysLive(); }, std::move(constant)},
                      {tr("Not always live"), [this] { return theme().notAlwaysLive(); }, std::move(changing)}});
  m_curve->setLayersShown(m_legend->shown());
  // Hidden always-live memory still uses its part of the capacity.
  const bool whole = m_legend->isShown(Always);
  const reports::Bytes room = whole ? curve.capacity : std::max(reports::Bytes(0), curve.capacity - curve.alwaysLive);
  m_curve->setLimit(room.value(),
                    (whole ? tr("available: %1") : tr("available besides always-live memory: %1")).arg(format().bytes(room)),
                    m_toLimit);
  m_curve->setMarks({{curve.peakStep, tr("peak, step %1").arg(theme::count(curve.peakStep))}});
  m_curve->setCard([this](int64_t ordinal) { return stepCard(ordinal); });
}

plot::Card LivenessView::stepCard(int64_t ordinal) const {
  const auto answer = m_job.result();
  plot::Card card;
  if (!answer || ordinal < 0 || std::size_t(ordinal) >= answer->liveness.curve.notAlwaysLive.size()) return card;
  const auto& curve = answer->liveness.curve;
  const auto alive = curve.notAlwaysLive[std::size_t(ordinal)];
  card.title = tr("Step %1").arg(theme::count(ordinal));
  if (std::size_t(ordinal) < answer->liveness.steps.size()) {
    const auto& step = answer->liveness.steps[std::size_t(ordinal)];
    card.rows.push_back({reportText(step.kind), reportText(step.name), theme().activity(step.activity)});
  }
  card.rows.push_back({tr("not always live"), format().bytesExact(alive), theme().notAlwaysLive()});
  card.rows.push_back({tr("always live"), format().bytesExact(curve.alwaysLive), theme().alwaysLive()});
  card.rows.push_back({tr("together"), format().bytesExact(alive + curve.alwaysLive), {}});
  card.hint = tr("Click shows the variables alive here, Shift-click compares, Shift-drag selects a range");
  return card;
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
