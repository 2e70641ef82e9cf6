#include "ui/views/program/step_panel.h"

#include "ui/parts/elided_label.h"
#include "ui/parts/fact_list.h"
#include "ui/parts/shown_tabs.h"
#include "ui/parts/vertical_scroll.h"
#include "ui/parts/view_fields.h"
#include "ui/plot/group_zoom.h"
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/program/program_tables.h"

#include <QLabel>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <climits>
#include <tuple>
#include <utility>

namespace ui::program {

using theme::reportText;

namespace {

// The step in A, or in B if A lacks it.
const StepAnswer& shownStep(const StepAnswer& answer) { return answer.isThere() || !answer.other ? answer : *answer.other; }

std::vector<shell::Fact> factsOf(const StepAnswer& answer, const theme::Format& f) {
  const auto& d = answer.details;
  std::vector<shell::Fact> facts;
  if (!answer.isThere()) return facts;
  const auto add = [&](const QString& name, const QString& value, const QString& tip = {}) {
    facts.push_back({name, value, tip, false});
  };
  add(StepPanel::tr("Kind"), reportText(d.kind));
  add(StepPanel::tr("Id"), QStringLiteral("#%1").arg(d.id.value()),
      StepPanel::tr("The program_step.id that Query and the command line use"));
  if (const auto& inside = answer.inside) {
    if (inside->steps > 0) add(StepPanel::tr("Steps inside"), theme::count(inside->steps));
    add(StepPanel::tr("With calls"), f.cycles(inside->inclusive), f.cyclesExact(inside->inclusive));
    if (inside->steps > 0)
      add(StepPanel::tr("Without calls"), StepPanel::tr("%1, %2").arg(f.cycles(inside->cycles), theme::percent(inside->share)),
          StepPanel::tr("%1 over all executions, without the steps of called functions").arg(f.cyclesExact(inside->cycles)));
  }
  if (d.executions > 0) {
    if (d.leastCycles == d.mostCycles)
      add(StepPanel::tr("One execution"), f.cycles(d.cycles), f.cyclesExact(d.cycles));
    else
      add(StepPanel::tr("One execution"), StepPanel::tr("%1 to %2").arg(f.cycles(d.leastCycles), f.cycles(d.mostCycles)),
          StepPanel::tr("%1 to %2; the figures by tile are those of the first execution")
              .arg(f.cyclesExact(d.leastCycles), f.cyclesExact(d.mostCycles)));
    add(StepPanel::tr("Executions"), theme::count(d.executions));
  }
  if (d.activeTiles > 0) {
    add(StepPanel::tr("Tiles active"), theme::count(d.activeTiles));
    add(StepPanel::tr("Balance over active tiles"), theme::percent(d.balance),
        StepPanel::tr("Mean cycles of the active tiles / cycles of the slowest tile"));
  }
  if (d.flops.value() > 0) add(StepPanel::tr("Work"), theme::flops(double(d.flops.value())), theme::count(d.flops.value()));
  if (d.bytesIn.value() > 0) add(StepPanel::tr("Received"), f.bytes(d.bytesIn), f.bytesExact(d.bytesIn));
  if (d.bytesOut.value() > 0) add(StepPanel::tr("Sent"), f.bytes(d.bytesOut), f.bytesExact(d.bytesOut));
  if (d.messages > 0) add(StepPanel::tr("Messages"), theme::count(d.messages));
  if (d.codeBytes.value() > 0) add(StepPanel::tr("Control code"), f.bytes(d.codeBytes), f.bytesExact(d.codeBytes));
  if (d.exchangeCodeBytes.value() > 0)
    add(StepPanel::tr("Exchange code"), f.bytes(d.exchangeCodeBytes), f.bytesExact(d.exchangeCodeBytes));
  if (!d.exchangeKind.empty()) add(StepPanel::tr("Exchange"), reportText(d.exchangeKind));
  if (!d.stream.empty()) add(StepPanel::tr("Stream"), reportText(d.stream));
  if (!d.operation.empty()) add(StepPanel::tr("Operation"), reportText(d.operation));
  if (!answer.layer.empty())
    add(StepPanel::tr("Layer"), reportText(answer.layer),
        StepPanel::tr("Layer of the model: %1. Its steps are marked in the tree, unless most steps belong to it.")
            .arg(reportText(answer.layer)));
  if (d.livenessStep) add(StepPanel::tr("Liveness step"), theme::count(*d.livenessStep));
  return facts;
}

// Joins facts of two reports: equal values are printed once, others as A and B.
std::vector<shell::Fact> factsOfBoth(std::vector<shell::Fact> a, std::vector<shell::Fact> b) {
  const auto join = [](const QString& inA, const QString& inB) {
    const auto known = [](const QString& text) { return text.isEmpty() ? QStringLiteral("–") : text; };
    return inA == inB ? inA : StepPanel::tr("A %1, B %2").arg(known(inA), known(inB));
  };
  for (shell::Fact& fact : a) {
    const auto same = std::find_if(b.begin(), b.end(), [&](const shell::Fact& other) { return other.name == fact.name; });
    const shell::Fact other = same == b.end() ? shell::Fact() : *same;
    fact.value = join(fact.value, other.value), fact.tip = join(fact.tip, other.tip);
    if (same != b.end()) b.erase(same);
  }
  for (const shell::Fact& fact : b) a.push_back({fact.name, join({}, fact.value), join({}, fact.tip)});
  return a;
}

template<class Quantity> plot::Values valuesOf(const std::vector<Quantity>& quantities, std::size_t before = 0) {
  auto values = std::make_shared<std::vector<int64_t>>(quantities.empty() ? 0 : before);
  for (const Quantity q : quantities) values->push_back(q.value());
  return values;
}

// Draws both curves on one axis. If the machine has many IPUs, zooms to those on which the step runs.
void showOn(plot::StepPlot& plot, std::vector<plot::Curve> curves, const QString& title, plot::ValueKind kind, int firstTile,
            int tilesPerIpu, bool isNew) {
  std::size_t tiles = 0;
  std::vector<const std::vector<int64_t>*> values;
  for (const plot::Curve& curve : curves) values.push_back(curve.values.get()), tiles = std::max(tiles, curve.values->size());
  plot.setAxes(StepPanel::tr("Tile"), int64_t(tiles), title, kind);
  plot.setMarks(plot::ipuMarks(firstTile, int64_t(tiles), tilesPerIpu));
  plot.setCurves(std::move(curves));
  if (isNew) plot::showGroupsInUse(plot, values, firstTile, tilesPerIpu);
}

} // namespace

StepPanel::StepPanel(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  // Everything scrolls if the height is small: neither the facts nor a plot are cut.
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* content = new QWidget;
  outer->addWidget(shell::verticalScroll(content));
  auto* column = m_column = new QVBoxLayout(content);
  column->setContentsMargins(theme::kGrid, 0, 0, 0);
  column->setSpacing(theme::kGrid);
  column->addWidget(m_title = new shell::ElidedLabel(tr("Selected step")));
  column->addWidget(m_hint = theme::plainLabel());
  column->addWidget(m_facts = new shell::FactList(theme, tr("Facts about the step"), 2));
  column->addWidget(m_tabs = new QTabWidget, 1);
  m_tabs->setAccessibleName(tr("Tables of the step"));
  m_facts->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  m_tabs->setMinimumHeight(200);
  m_title->setProperty("role", "strong");
  m_hint->setWordWrap(true);
  m_hint->setProperty("role", "secondary");
  m_tabs->setDocumentMode(true);
  m_tabs->addTab(m_cycles = new plot::StepPlot(theme, tr("Cycles per tile")), tr("Cycles"));
  m_tabs->addTab(m_vertices = new tables::TableView(theme, tr("Vertices of the step")), tr("Vertices"));
  m_tabs->addTab(m_exchange = new ExchangePage(theme), tr("Exchange"));
  m_tabs->addTab(m_variables = new tables::TreeView(theme, tr("Variables of the step")), tr("Variables"));
  m_tabs->addTab(m_debug = new tables::TreeView(theme, tr("Debug information of the step")), tr("Debug"));
  auto* facts = new QWidget;
  m_factColumn = new QVBoxLayout(facts);
  m_factColumn->setContentsMargins(0, theme::kGrid, 0, 0);
  m_factColumn->addStretch(1);
  m_tabs->insertTab(1, m_factPage = shell::verticalScroll(facts),
                    tr("Facts")); // in a narrow panel the last tab is behind an arrow
  shell::setTabShown(*m_tabs, m_factPage, false);
  // Position -1 means Escape or a click beside the axis.
  connect(m_cycles, &plot::StepPlot::positionClicked, this, [this](int64_t position) {
    if (position >= 0) emit tileClicked(int(position) + m_firstTile);
  });
  connect(&m_exchange->bytes(), &plot::StepPlot::positionClicked, this, [this](int64_t position) {
    if (position >= 0) emit tileClicked(int(position));
  });
  connect(m_exchange, &ExchangePage::tileActivated, this, &StepPanel::tileClicked);
  connect(m_exchange, &ExchangePage::variableSelected, this, &StepPanel::variableSelected);
  connect(m_variables, &tables::TreeView::idSelected, this, [this](int64_t id) {
    if (id >= 0) emit variableSelected(id);
  });
  connect(m_vertices, &tables::TableView::idActivated, this,
          [this](int64_t id) { emit sourceActivated(tables::wordsOf(m_vertices->rows().table()->rows, id)); });
  connect(m_debug, &tables::TreeView::idActivated, this,
          [this](int64_t id) { emit sourceActivated(tables::wordsOf(m_debug->rows().tree()->rows, id)); });
}

void StepPanel::addFields(shell::ViewFields& fields) {
  fields.tabs("tab", *m_tabs,
              {{m_cycles, "cycles"},
               {m_vertices, "vertices"},
               {m_exchange, "exchange"},
               {m_variables, "variables"},
               {m_debug, "debug"},
               {m_factPage, "facts"}});
  fields.order("vertices.order", *m_vertices);
  fields.hidden("hidden", m_exchange->legend());
  m_exchange->addFields(fields);
}

void StepPanel::showHint(const QString& text) {
  m_hint->setText(text);
  m_hint->show();
  m_title->hide(), m_facts->hide(), m_tabs->hide();
}

// For two reports, moves the facts to a tab of their own: they are twice as long and would leave no height for the plot.
void StepPanel::placeFacts(bool ofTwo) {
  if ((m_factColumn->indexOf(m_facts) >= 0) == ofTwo) return;
  ofTwo ? m_factColumn->insertWidget(0, m_facts) : m_column->insertWidget(m_column->indexOf(m_tabs), m_facts);
  shell::setTabShown(*m_tabs, m_factPage, ofTwo);
}

void StepPanel::showStep(const StepAnswer& answer, const theme::Format& format) {
  m_hint->hide();
  placeFacts(answer.other != nullptr); // before show(): a widget is hidden when it moves
  m_title->show(), m_facts->show(), m_tabs->show();
  const auto& d = shownStep(answer).details;
  const QString name = reportText(d.name.empty() ? d.kind : d.name);
  // The title leaves out the step's kind, which is the first fact.
  m_title->setWhole(!answer.other              ? name
                    : !answer.isThere()        ? tr("%1 (only in B)").arg(name)
                    : !answer.other->isThere() ? tr("%1 (only in A)").arg(name)
                                               : name);
  m_facts->setFacts(!answer.other ? factsOf(answer, format)
                                  : factsOfBoth(factsOf(answer, format), factsOf(*answer.other, format)));
  const std::pair ids{answer.details.id, answer.other ? answer.other->details.id : reports::ProgramStepId()};
  const bool isNew = std::exchange(m_shown, ids) != ids;
  showCycles(answer, isNew, format);
  showBytes(answer, isNew, format);
  m_vertices->setFormat(format);
  m_vertices->setTable(answer.vertices);
  shell::setTabShown(*m_tabs, m_vertices, answer.vertices && !answer.vertices->rows.empty());
  constexpr int kOpenLevels = 8; // the debug contexts are one chain: all of it is expanded
  for (auto [view, tree, levels] : {std::tuple{m_variables, answer.variables, 0}, {m_debug, answer.debug, kOpenLevels}}) {
    view->setFormat(format);
    view->setTree(tree, levels);
    shell::setTabShown(*m_tabs, view, tree && !tree->rows.empty());
  }
  bool isAny = false; // a call without a debug context has no tabs
  for (int i = 0; i < m_tabs->count(); ++i) isAny = isAny || m_tabs->isTabVisible(i);
  m_tabs->setVisible(isAny);
}

void StepPanel::showCycles(const StepAnswer& answer, bool isNew, const theme::Format& format) {
  const auto& d = answer.details;
  const auto firstOf = [](const StepAnswer& step) {
    if (step.details.cyclesByTile.empty()) return INT_MAX;
    return step.details.firstTile.valid() ? int(step.details.firstTile.value()) : 0;
  };
  const int first = std::min(firstOf(answer), answer.other ? firstOf(*answer.other) : INT_MAX);
  m_firstTile = first == INT_MAX ? 0 : first;
  const auto cyclesOf = [&](const StepAnswer& step) {
    return valuesOf(step.details.cyclesByTile, std::size_t(std::max(0, firstOf(step) - m_firstTile)));
  };
  std::vector<plot::Curve> curves;
  if (!answer.other)
    curves = {
        {tr("cycles"), [this, activity = d.activity] { return m_theme.activity(activity); }, cyclesOf(answer), false, true}};
  else
    curves = {{tr("A"), [this] { return m_theme.series(0); }, cyclesOf(answer), false, true},
              {tr("B"), [this] { return m_theme.series(1); }, cyclesOf(*answer.other)}};
  const bool isAny = std::any_of(curves.begin(), curves.end(), [](const plot::Curve& curve) { return !curve.values->empty(); });
  m_cycles->setFormat(format);
  m_cycles->setDifferenceTold(answer.other != nullptr);
  m_cycles->setPositionText([first = m_firstTile](int64_t position) { return theme::count(position + first); });
  showOn(*m_cycles, std::move(curves), tr("Cycles"), plot::ValueKind::Cycles, m_firstTile, int(shownStep(answer).tilesPerIpu),
         isNew);
  shell::setTabShown(*m_tabs, m_cycles, isAny);
}

void StepPanel::showBytes(const StepAnswer& answer, bool isNew, const theme::Format& format) {
  std::vector<plot::Curve> curves;
  std::vector<plot::LegendEntry> entries;
  const auto add = [&](const std::vector<reports::Bytes>& byTile, reports::Bytes sum, const QString& title, const char* id,
                       int colour) {
    if (byTile.empty()) return;
    curves.push_back({title, [this, colour] { return m_theme.series(colour); }, valuesOf(byTile), false, colour == 0});
    entries.push_back({title, format.bytes(sum), curves.back().colour, plot::Mark::Line, false, id});
  };
  const auto &d = answer.details, &b = answer.other ? answer.other->details : d;
  add(d.bytesInByTile, d.bytesIn, answer.other ? tr("received, A") : tr("received"), "received", 0);
  add(d.bytesOutByTile, d.bytesOut, answer.other ? tr("sent, A") : tr("sent"), "sent", 1);
  if (answer.other) {
    add(b.bytesInByTile, b.bytesIn, tr("received, B"), "receivedInB", 2);
    add(b.bytesOutByTile, b.bytesOut, tr("sent, B"), "sentInB", 3);
  }
  const bool isAny = !curves.empty();
  plot::StepPlot& plot = m_exchange->bytes();
  plot.setFormat(format);
  m_exchange->legend().setEntries(std::move(entries));
  showOn(plot, std::move(curves), tr("Bytes"), plot::ValueKind::Bytes, 0, int(shownStep(answer).tilesPerIpu), isNew);
  plot.setCurvesShown(m_exchange->legend().shown());
  m_exchange->show(answer.traffic.get(), answer.other ? answer.other->traffic.get() : nullptr, answer.partners, format);
  shell::setTabShown(*m_tabs, m_exchange, isAny);
}

} // namespace ui::program
