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

#include <tuple>

namespace ui::program {

using theme::reportText;

StepPanel::StepPanel(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  // Everything scrolls if the height is small: neither the facts nor a plot are cut.
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* content = new QWidget;
  outer->addWidget(shell::verticalScroll(content));
  auto* column = new QVBoxLayout(content);
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
  m_exchange = new QWidget;
  auto* exchanged = new QVBoxLayout(m_exchange);
  exchanged->setContentsMargins(0, theme::kHalf, 0, 0);
  exchanged->setSpacing(theme::kHalf);
  exchanged->addWidget(m_legend = new plot::Legend(theme));
  exchanged->addWidget(m_bytes = new plot::StepPlot(theme, tr("Exchanged bytes per tile")), 1);
  m_tabs->addTab(m_exchange, tr("Exchange"));
  connect(m_legend, &plot::Legend::shownChanged, this, [this] { m_bytes->setCurvesShown(m_legend->shown()); });
  m_tabs->addTab(m_variables = new tables::TreeView(theme, tr("Variables of the step")), tr("Variables"));
  m_tabs->addTab(m_debug = new tables::TreeView(theme, tr("Debug information of the step")), tr("Debug"));
  // Position -1 means Escape or a click beside the axis.
  connect(m_cycles, &plot::StepPlot::positionClicked, this, [this](int64_t position) {
    if (position >= 0) emit tileClicked(int(position) + m_firstTile);
  });
  connect(m_bytes, &plot::StepPlot::positionClicked, this, [this](int64_t position) {
    if (position >= 0) emit tileClicked(int(position));
  });
  connect(m_variables, &tables::TreeView::idSelected, this, [this](int64_t id) {
    if (id >= 0) emit variableSelected(id);
  });
  connect(m_vertices, &tables::TableView::idActivated, this,
          [this](int64_t id) { emit sourceActivated(tables::wordsOf(m_vertices->rows().table()->rows, id)); });
  connect(m_debug, &tables::TreeView::idActivated, this,
          [this](int64_t id) { emit sourceActivated(tables::wordsOf(m_debug->rows().tree()->rows, id)); });
}

void StepPanel::addFields(shell::ViewFields& fields) {
  fields.tabs(
      "tab", *m_tabs,
      {{m_cycles, "cycles"}, {m_vertices, "vertices"}, {m_exchange, "exchange"}, {m_variables, "variables"}, {m_debug, "debug"}});
  fields.order("vertices.order", *m_vertices);
  fields.hidden("hidden", *m_legend);
}

void StepPanel::showHint(const QString& text) {
  m_hint->setText(text);
  m_hint->show();
  m_title->hide(), m_facts->hide(), m_tabs->hide();
}

void StepPanel::showStep(const StepAnswer& answer, const theme::Format& format) {
  m_hint->hide();
  m_title->show(), m_facts->show(), m_tabs->show();
  const auto& d = answer.details;
  m_title->setWhole(reportText(d.name.empty() ? d.kind : d.name)); // its kind is the first fact; beside a long path it was cut
  showFacts(answer, format);
  showPlots(d, answer.tilesPerIpu, format);
  if (d.id != m_shown) showIpusAtWork(answer);
  m_shown = d.id;
  m_vertices->setFormat(format);
  m_vertices->setTable(answer.vertices);
  shell::setTabShown(*m_tabs, m_vertices, answer.vertices && !answer.vertices->rows.empty());
  constexpr int kOpenLevels = 8; // the debug contexts are one chain: all of it is expanded
  for (auto [view, tree, levels] : {std::tuple{m_variables, answer.variables, 0}, {m_debug, answer.debug, kOpenLevels}}) {
    view->setFormat(format);
    view->setTree(tree, levels);
    shell::setTabShown(*m_tabs, view, tree && !tree->rows.empty());
  }
  bool isAny = false; // a call without a context has none
  for (int i = 0; i < m_tabs->count(); ++i) isAny = isAny || m_tabs->isTabVisible(i);
  m_tabs->setVisible(isAny);
}

void StepPanel::showFacts(const StepAnswer& answer, const theme::Format& f) {
  const auto& d = answer.details;
  std::vector<shell::Fact> facts;
  const auto add = [&](const QString& name, const QString& value, const QString& tip = {}) {
    facts.push_back({name, value, tip, false});
  };
  add(tr("Kind"), reportText(d.kind));
  add(tr("Id"), QStringLiteral("#%1").arg(d.id.value()), tr("program_step.id, as Query and the command line have it"));
  if (const auto& inside = answer.inside) {
    if (inside->steps > 0) add(tr("Steps inside"), theme::count(inside->steps));
    add(tr("With calls"), f.cycles(inside->inclusive), f.cyclesExact(inside->inclusive));
    if (inside->steps > 0)
      add(tr("Without calls"), tr("%1, %2").arg(f.cycles(inside->cycles), theme::percent(inside->share)),
          tr("%1 of all executions; steps of functions that are called count in the function")
              .arg(f.cyclesExact(inside->cycles)));
  }
  if (d.executions > 0) {
    if (d.leastCycles == d.mostCycles)
      add(tr("One execution"), f.cycles(d.cycles), f.cyclesExact(d.cycles));
    else
      add(tr("One execution"), tr("%1 to %2").arg(f.cycles(d.leastCycles), f.cycles(d.mostCycles)),
          tr("%1 to %2; figures by tile are of the first").arg(f.cyclesExact(d.leastCycles), f.cyclesExact(d.mostCycles)));
    add(tr("Executions"), theme::count(d.executions));
  }
  if (d.activeTiles > 0) {
    add(tr("Tiles active"), theme::count(d.activeTiles));
    add(tr("Balance over active tiles"), theme::percent(d.balance), tr("Mean cycles of the active tiles over the slowest"));
  }
  if (d.flops.value() > 0) add(tr("Work"), theme::flops(double(d.flops.value())), theme::count(d.flops.value()));
  if (d.bytesIn.value() > 0) add(tr("Received"), f.bytes(d.bytesIn), f.bytesExact(d.bytesIn));
  if (d.bytesOut.value() > 0) add(tr("Sent"), f.bytes(d.bytesOut), f.bytesExact(d.bytesOut));
  if (d.messages > 0) add(tr("Messages"), theme::count(d.messages));
  if (d.codeBytes.value() > 0) add(tr("Control code"), f.bytes(d.codeBytes), f.bytesExact(d.codeBytes));
  if (d.exchangeCodeBytes.value() > 0) add(tr("Exchange code"), f.bytes(d.exchangeCodeBytes), f.bytesExact(d.exchangeCodeBytes));
  if (!d.exchangeKind.empty()) add(tr("Exchange"), reportText(d.exchangeKind));
  if (!d.stream.empty()) add(tr("Stream"), reportText(d.stream));
  if (!d.operation.empty()) add(tr("Operation"), reportText(d.operation));
  if (!answer.layer.empty())
    add(tr("Layer"), reportText(answer.layer),
        tr("Layer of the model: %1. Its steps are marked in the tree, unless most steps belong to it.")
            .arg(reportText(answer.layer)));
  if (d.livenessStep) add(tr("Liveness step"), theme::count(*d.livenessStep));
  m_facts->setFacts(facts);
}

// For a machine with many IPUs, the plots begin with those on which the step runs.
void StepPanel::showIpusAtWork(const StepAnswer& answer) {
  const auto numbers = [](const auto& quantities) {
    std::vector<int64_t> values;
    for (const auto q : quantities) values.push_back(q.value());
    return values;
  };
  const auto& d = answer.details;
  const auto cycles = numbers(d.cyclesByTile), in = numbers(d.bytesInByTile), out = numbers(d.bytesOutByTile);
  plot::showGroupsInUse(*m_cycles, {&cycles}, m_firstTile, answer.tilesPerIpu);
  plot::showGroupsInUse(*m_bytes, {&in, &out}, 0, answer.tilesPerIpu);
}

void StepPanel::showPlots(const analyser::program::StepDetails& d, int tilesPerIpu, const theme::Format& format) {
  m_firstTile = d.firstTile.valid() ? int(d.firstTile.value()) : 0;
  const auto colour = [this, activity = d.activity] { return m_theme.activity(activity); };
  auto cycles = std::make_shared<std::vector<int64_t>>();
  for (const auto c : d.cyclesByTile) cycles->push_back(c.value());
  m_cycles->setFormat(format);
  m_cycles->setAxes(tr("Tile"), int64_t(cycles->size()), tr("Cycles"), plot::ValueKind::Cycles);
  m_cycles->setPositionText([first = m_firstTile](int64_t position) { return theme::count(position + first); });
  const bool haveCycles = !cycles->empty();
  m_cycles->setMarks(plot::ipuMarks(m_firstTile, int64_t(cycles->size()), tilesPerIpu));
  m_cycles->setCurves({{tr("cycles"), colour, std::move(cycles), false, true}});
  shell::setTabShown(*m_tabs, m_cycles, haveCycles);
  const auto values = [](const std::vector<reports::Bytes>& bytes) {
    auto out = std::make_shared<std::vector<int64_t>>();
    for (const auto b : bytes) out->push_back(b.value());
    return out;
  };
  const auto in = values(d.bytesInByTile), out = values(d.bytesOutByTile);
  m_bytes->setFormat(format);
  m_bytes->setAxes(tr("Tile"), int64_t(std::max(in->size(), out->size())), tr("Bytes"), plot::ValueKind::Bytes);
  m_bytes->setMarks(plot::ipuMarks(0, int64_t(std::max(in->size(), out->size())), tilesPerIpu));
  std::vector<plot::Curve> curves;
  if (!in->empty()) curves.push_back({tr("received"), [this] { return m_theme.series(0); }, in, false, true});
  if (!out->empty()) curves.push_back({tr("sent"), [this] { return m_theme.series(1); }, out, false, false});
  std::vector<plot::LegendEntry> entries;
  const auto name = [&](const plot::Curve& curve, reports::Bytes sum, const char* id) {
    entries.push_back({curve.title, format.bytes(sum), curve.colour, plot::Mark::Line, false, id});
  };
  if (!in->empty()) name(curves.front(), d.bytesIn, "received");
  if (!out->empty()) name(curves.back(), d.bytesOut, "sent");
  m_legend->setEntries(std::move(entries));
  m_bytes->setCurves(std::move(curves));
  m_bytes->setCurvesShown(m_legend->shown());
  shell::setTabShown(*m_tabs, m_exchange, !in->empty() || !out->empty());
}

} // namespace ui::program
