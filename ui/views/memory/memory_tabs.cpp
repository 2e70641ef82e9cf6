#include "ui/views/memory/memory_tabs.h"

#include "ui/parts/change_tables.h"
#include "ui/parts/elided_label.h"
#include "ui/parts/page.h"
#include "ui/parts/reports_of_view.h"
#include "ui/parts/verdict_line.h"
#include "ui/parts/view_fields.h"
#include "ui/plot/histogram.h"
#include "ui/plot/plot_table.h"
#include "ui/tables/paired.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/memory/memory_tables.h"
#include "ui/views/memory/tile_strip.h"

#include <QLineEdit>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include <limits>
#include <numeric>

namespace ui::memory {

using analyser::memory::Breakdown;
using theme::reportText;

namespace {
constexpr std::size_t kMostVariables = 200'000;                  // more than any report has, so totals and filters cover all
constexpr int64_t kNoStep = std::numeric_limits<int64_t>::max(); // no step: only always-live variables are live

// The index of the variable of this name in a tile's layout; -1 if the tile does not hold it.
int placeOf(const TilePlaces& places, const std::string& name) {
  for (std::size_t i = 0; places.layout && i < places.layout->variables.size(); ++i)
    if (!places.layout->variables[i].isGap && places.layout->variables[i].name == name) return int(i);
  return -1;
}

int placeOf(const TilePlaces& places, int64_t variable) {
  for (std::size_t i = 0; places.layout && i < places.layout->variables.size(); ++i)
    if (const auto& v = places.layout->variables[i]; !v.isGap && int64_t(v.variable.value()) == variable) return int(i);
  return -1;
}

// Rows of B's variables are numbered from here, after those of A.
int64_t placesIn(const TilePlaces& a) { return a.layout ? int64_t(a.layout->variables.size()) : 0; }

// The index of the same variable in the layout of the other report's tile; -1 if there is none.
int placeInTwin(const TilePlaces& from, const TilePlaces& to, int place) {
  if (place < 0 || !from.layout || from.layout->variables[std::size_t(place)].isGap) return -1;
  return placeOf(to, from.layout->variables[std::size_t(place)].name);
}
} // namespace

bool TilePlaces::hold(reports::VariableId variable) const {
  return layout && std::any_of(layout->variables.begin(), layout->variables.end(),
                               [&](const auto& v) { return !v.isGap && v.variable == variable; });
}

TilePlaces placesOn(analyser::Session& session, reports::TileId tile, TilePlaces::Why why) {
  if (!tile.valid()) return {};
  auto layout = std::make_shared<const analyser::memory::TileLayout>(analyser::memory::tileLayout(session, tile));
  return {why, layout, placedTable(*layout)};
}

namespace {

// With two reports, the columns are A, B and the change, so several tiles become one column: their sum.
analyser::memory::TileDetails summed(analyser::memory::TileDetails details) {
  details.columns = {"Selected tiles"};
  for (auto& row : details.rows) {
    row.values = {std::accumulate(row.values.begin(), row.values.end(), reports::Bytes())};
    row.texts.clear();
  }
  return details;
}

Details detailsOf(analyser::Session& session, std::vector<reports::TileId> selected, std::optional<reports::IpuId> ipu,
                  bool areTwo, const std::stop_token& stop) {
  namespace memory = analyser::memory;
  Details details;
  const bool isAny = selected.empty(), isSum = areTwo && selected.size() > 1;
  std::erase_if(selected, [&](reports::TileId tile) { return int64_t(tile.value()) >= session.machine().tiles(); });
  if ((!isAny && selected.empty()) || (ipu && int(ipu->value()) >= session.machine().ipus))
    return details; // only B's machine has them
  // Without a selection the tables cover the tiles of the plot: all, or those of one IPU.
  const auto& machine = session.machine();
  const auto tiles = selected.empty() && ipu ? memory::tilesOfIpu(machine, *ipu) : selected;
  const std::span<const reports::TileId> counted(tiles),
      columns = std::span(selected).first(isSum ? selected.size() : std::min(selected.size(), kMostColumns));
  const bool isIpu = selected.empty() && ipu;
  auto lines = isIpu ? memory::ipuDetails(session, *ipu, stop) : memory::tileDetails(session, columns, stop);
  details.tree = detailsTree(isSum ? summed(std::move(lines)) : lines, isIpu              ? machine.tilesPerIpu
                                                                       : selected.empty() ? machine.tiles()
                                                                                          : 1);
  details.of = isIpu                  ? QObject::tr("of IPU %1").arg(ipu->value())
               : selected.empty()     ? QString()
               : selected.size() == 1 ? QObject::tr("of tile %1").arg(selected.front().value())
                                      : QObject::tr("of the %1 selected tiles").arg(theme::count(int64_t(selected.size())));
  const memory::TileMemory byCategory = isIpu ? memory::tileMemoryOf(session, *ipu, Breakdown::ByCategory, stop)
                                              : memory::tileMemory(session, Breakdown::ByCategory, stop);
  const reports::TileId tile = selected.empty() ? memory::fullestTile(byCategory) : selected.front();
  if (tile.valid()) details.excess = memory::excessOf(session, byCategory, tile, stop);
  details.places = placesOn(session, tile, selected.empty() ? TilePlaces::Why::Fullest : TilePlaces::Why::Selected);
  details.largest = variableTable(memory::topVariables(session, kMostVariables, counted, stop));
  details.computeSets = computeSetTable(memory::computeSetsOn(session, counted, stop));
  details.vertices = vertexTable(memory::verticesByType(session, counted, stop));
  const auto exchanges = memory::exchangesOn(session, counted, stop);
  details.exchanges =
      exchangeTables(exchanges, machine, memory::codeOfNoExchange(byCategory, exchanges.uses, counted), counted.empty());
  return details;
}

ExchangeTables exchangesInBoth(const ExchangeTables& a, const ExchangeTables& b) {
  return {tables::paired(a.bySteps, b.bySteps, {QStringLiteral("name")}),
          tables::paired(a.byOperations, b.byOperations, {QStringLiteral("name")}),
          tables::paired(a.byPartners, b.byPartners, {QStringLiteral("tile")})};
}

} // namespace

// Leaves out gaps, because they have no counterpart in the other report. Orders and sums by the bytes that a variable adds to the
// tile (`own`): sizes of variables that share addresses do not sum to the change of the tile.
std::shared_ptr<const tables::Table> placedInBoth(const TilePlaces& a, const TilePlaces& b) {
  const auto variablesOf = [](const TilePlaces& places) {
    auto table = places.table ? std::make_shared<tables::Table>(*places.table) : nullptr;
    if (!table) return table;
    std::erase_if(table->rows, [&](const tables::Row& row) { return places.layout->variables[std::size_t(row.id)].isGap; });
    for (tables::Column& column : table->columns) {
      column.bar = column.id == QLatin1String("own");
      if (column.id == QLatin1String("size")) column.total = false, column.isOptional = true;
    }
    table->total = QString();
    return table;
  };
  auto both = std::make_shared<tables::Table>(*tables::paired(variablesOf(a), variablesOf(b), {QStringLiteral("name")}));
  for (tables::Row& row : both->rows)
    if (const int place = row.id < 0 && !row.about.empty() ? placeOf(b, row.about.front().id) : -1; place >= 0)
      row.id = placesIn(a) + place;
  return both;
}

Details readDetails(const shell::ReportsOfView& reports, const std::vector<reports::TileId>& selected,
                    std::optional<reports::IpuId> ipu, const std::stop_token& stop) {
  auto both = reports.each([&](analyser::Session& session) { return detailsOf(session, selected, ipu, reports.areTwo(), stop); });
  Details details = std::move(both.base);
  if (!both.other) return details;
  const Details& other = *both.other;
  details.placesInOther = other.places;
  if (details.of.isEmpty()) details.of = other.of;
  details.excess = {};
  details.tree = tables::paired(details.tree, other.tree, {QStringLiteral("memory")});
  details.computeSets = tables::paired(details.computeSets, other.computeSets, {QStringLiteral("computeSet")});
  details.vertices = tables::paired(details.vertices, other.vertices, {QStringLiteral("type")});
  details.exchanges = exchangesInBoth(details.exchanges, other.exchanges);
  const auto tiles = selected.empty() && ipu ? analyser::memory::tilesOfIpu(reports.machine(), *ipu) : selected;
  reports.together([&](analyser::Session& a, analyser::Session& b) {
    details.largest = shell::variableTable(analyser::compare::variablesDifference(a, b, tiles, stop));
  });
  return details;
}

MemoryTabs::MemoryTabs(const theme::Theme& theme, QTabWidget& tabs, QObject* parent) : QObject(parent), m_tabs(tabs) {
  m_details = new QWidget;
  auto* column = new QVBoxLayout(m_details);
  column->setContentsMargins(0, theme::kHalf, 0, 0);
  column->setSpacing(theme::kHalf);
  column->addWidget(m_why = new shell::VerdictLine); // two lines: the result is at the end of the text
  m_why->setAccessibleName(tr("Why the tile is as full as it is"));
  m_why->setProperty("role", {});
  m_why->setMinimumHeight(0);
  column->addWidget(m_tree = new tables::TreeView(theme, tr("Memory of the selected tiles")), 1);
  tabs.addTab(m_details, tr("Details"));
  m_map = buildMap(theme);
  tabs.addTab(m_map, tr("Variables"));
  tabs.addTab(m_largest = new tables::FilteredTable(theme, tr("Largest variables")), tr("Largest variables"));
  tabs.addTab(m_computeSets = new tables::FilteredTable(theme, tr("Compute sets on the tiles")), tr("Compute sets"));
  tabs.addTab(m_vertices = new tables::FilteredTable(theme, tr("Vertices by type")), tr("Vertices"));
  tabs.addTab(m_exchanges = new ExchangeTab(theme), tr("Exchanges"));
  tabs.addTab(m_histogram = new plot::Histogram(theme, tr("Tiles by memory used")), tr("Histogram"));
  tabs.addTab(m_tiles = new tables::FilteredTable(theme, tr("Memory of each tile")), tr("Tiles"));
  m_tiles->view().sortBy("tile", Qt::AscendingOrder);
  connect(&m_tiles->view(), &tables::TableView::idsSelected, this, &MemoryTabs::tilesChosen);
  connect(&m_tabs, &QTabWidget::currentChanged, this, [this] {
    if (showsTiles()) emit tilesNeeded();
  });

  connect(&m_largest->view(), &tables::TableView::idsSelected, this, &MemoryTabs::variablesChosen);
  connect(m_histogram, &plot::Histogram::barClicked, this, &MemoryTabs::barClicked);
  connect(&m_computeSets->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    if (!ids.empty() && ids.front() >= 0) emit stepChosen(ids.front());
  });
  connect(&m_computeSets->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    if (id >= 0) emit stepActivated(id);
  });
  connect(&m_vertices->view(), &tables::TableView::idActivated, this,
          [this](int64_t id) { emit sourceActivated(tables::wordsOf(m_vertices->view().rows().table()->rows, id)); });
  connect(m_exchanges, &ExchangeTab::stepChosen, this, &MemoryTabs::stepChosen);
  connect(m_exchanges, &ExchangeTab::stepActivated, this, &MemoryTabs::stepActivated);
  connect(m_exchanges, &ExchangeTab::tileActivated, this, [this](int64_t tile) { emit tilesChosen({tile}); });
}

QWidget* MemoryTabs::buildMap(const theme::Theme& theme) {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, theme::kHalf, 0, 0);
  column->setSpacing(theme::kHalf);
  column->addWidget(m_steps = new StepBar(tr("Step of the memory map"), tr("All variables, of all steps")));
  auto* split = new QSplitter(Qt::Vertical);
  split->setChildrenCollapsible(false);
  auto* strips = new QWidget;
  auto* stripColumn = new QVBoxLayout(strips);
  stripColumn->setContentsMargins(0, 0, 0, 0);
  stripColumn->setSpacing(theme::kHalf);
  for (TileStrip** strip : {&m_strip, &m_stripOfOther}) {
    stripColumn->addWidget(*strip = new TileStrip(theme), 1);
    (*strip)->setProperty(plot::kTwin, tr("Variables of the tile"));
  }
  m_stripOfOther->setAccessibleName(tr("Memory map of the tile, B"));
  m_stripOfOther->hide();
  split->addWidget(strips);
  split->addWidget(m_placed = new tables::FilteredTable(theme, tr("Variables of the tile")));
  split->setStretchFactor(0, 2), split->setStretchFactor(1, 3); // the table has a filter line and a header
  split->setSizes({112, 168});
  constexpr int kLeastRows = 2; // rows below filter line and header; a lower window scrolls the page
  m_placed->view().setMinimumHeight((kLeastRows + 2) * theme::kRow);
  column->addWidget(split, 1);
  m_placed->addNote(m_stripTitle = new shell::ElidedLabel(tr("What the tile holds")));

  connect(m_strip, &TileStrip::variableClicked, this, [this](int place) {
    m_strip->setSelected(place);
    m_stripOfOther->setSelected(placeInTwin(m_places, m_inOther, place));
    m_placed->view().selectIds(place < 0 ? std::vector<int64_t>{} : std::vector<int64_t>{place});
    choosePlaced({int64_t(place)});
  });
  connect(m_stripOfOther, &TileStrip::variableClicked, this, [this](int place) {
    m_stripOfOther->setSelected(place);
    const int twin = placeInTwin(m_inOther, m_places, place);
    m_strip->setSelected(twin);
    const bool isGap = place < 0 || m_inOther.layout->variables[std::size_t(place)].isGap;
    const int64_t row = twin >= 0 ? twin : isGap ? -1 : placesIn(m_places) + place;
    m_placed->view().selectIds(row < 0 ? std::vector<int64_t>{} : std::vector<int64_t>{row});
    choosePlaced({row});
  });
  connect(&m_placed->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& places) {
    if (places.empty()) return;
    const bool isOfOther = places.front() >= placesIn(m_places);
    m_strip->setSelected(isOfOther ? -1 : int(places.front()));
    m_stripOfOther->setSelected(isOfOther ? int(places.front() - placesIn(m_places))
                                          : placeInTwin(m_places, m_inOther, int(places.front())));
    choosePlaced(places);
  });
  connect(m_steps, &StepBar::stepMoved, this, [this] {
    showStep();
    if (const StepBar::Step* step = m_steps->step(); step && step->step.valid()) emit stepChosen(int64_t(step->step.value()));
  });
  return page;
}

void MemoryTabs::show(const Details& details, const theme::Format& format) {
  m_tree->setFormat(format);
  m_tree->setTree(details.tree, 3);
  m_why->setVisible(details.excess.tile.valid());
  m_why->setFormat(format);
  if (details.excess.tile.valid()) m_why->setSentence(analyser::memory::excessSentence(details.excess));
  showPlaces(details.places, details.placesInOther, format);
  m_largest->setTable(details.largest);
  m_computeSets->setTable(details.computeSets);
  m_vertices->setTable(details.vertices);
  m_exchanges->setTables(details.exchanges);
  for (tables::FilteredTable* table :
       std::initializer_list<tables::FilteredTable*>{m_largest, m_computeSets, m_vertices, m_exchanges}) {
    table->view().setFormat(format);
    table->setOf(details.of);
  }
}

void MemoryTabs::showPlaces(const TilePlaces& places, const TilePlaces& inOther, const theme::Format& format) {
  m_places = places, m_inOther = inOther;
  for (auto [strip, shown] : {std::pair{m_strip, &m_places}, {m_stripOfOther, &m_inOther}}) {
    strip->setFormat(format);
    strip->setLayoutOf(shown->layout);
  }
  m_stripOfOther->setVisible(m_inOther.layout != nullptr);
  m_strip->setLetter(m_inOther.layout ? tr("A") : QString());
  m_stripOfOther->setLetter(tr("B"));
  m_placed->view().setFormat(format);
  if (!places.layout && !inOther.layout) return;
  if (!inOther.layout) {
    m_stripTitle->setWhole(placesText(places, format));
    return m_placed->setTable(places.table);
  }
  m_stripTitle->setWhole(
      tr("A: %1. B: %2").arg(places.layout ? placesText(places, format) : tr("no such tile"), placesText(inOther, format)));
  m_placed->setTable(placedInBoth(places, inOther));
}

QString MemoryTabs::placesText(const TilePlaces& places, const theme::Format& format) const {
  const auto& layout = *places.layout;
  const QString who = places.why == TilePlaces::Why::Fullest     ? tr("Fullest tile, %1")
                      : places.why == TilePlaces::Why::HoldsMost ? tr("Tile %1, which holds most of the selected variable")
                                                                 : tr("Tile %1");
  return who.arg(layout.tile.value()) +
         tr(": %1 used, %2 of gaps, %3 free")
             .arg(format.bytes(layout.used), format.bytes(layout.gaps),
                  format.bytes(std::max(reports::Bytes(0), layout.capacity - layout.usedWithGaps)));
}

void MemoryTabs::setSteps(std::vector<StepBar::Step> steps) {
  const auto ordinals = int64_t(steps.size());
  m_steps->setSteps(std::move(steps), ordinals);
  showStep(); // setSteps() has moved the slider to its left end without a signal
}

void MemoryTabs::showStep() {
  const StepBar::Step* step = m_steps->step();
  m_strip->setStep(step ? step->ordinal : -1);
  m_stripOfOther->setStep(!step ? -1 : step->ordinalInOther >= 0 ? step->ordinalInOther : kNoStep);
}

void MemoryTabs::followStep(reports::ProgramStepId step) {
  if (!step.valid()) return;
  m_steps->setStep(step);
  if (const StepBar::Step* shown = m_steps->step(); shown && shown->step == step) showStep();
}

void MemoryTabs::addFields(shell::ViewFields& fields, const QWidget& debug) {
  m_steps->addField(fields, "mapStep");
  fields.tabs("tab", m_tabs,
              {{m_details, "details"},
               {m_map, "variables"},
               {m_largest, "largest"},
               {m_computeSets, "computeSets"},
               {m_vertices, "vertices"},
               {m_exchanges, "exchanges"},
               {m_histogram, "histogram"},
               {m_tiles, "tiles"},
               {&debug, "debug"}});
  fields.table("placed", *m_placed);
  fields.table("largest", *m_largest);
  fields.formerTable("variables", "largest"); // tables for two reports
  fields.table("computeSets", *m_computeSets);
  fields.table("vertices", *m_vertices);
  m_exchanges->addFields(fields);
  fields.table("tileRows", *m_tiles);
}

void MemoryTabs::showHistogram(const Figures& figures) {
  m_histogram->setAccessibleName(figures.name);
  m_histogram->setValueText(figures.text);
  m_histogram->setLimit(figures.limit, figures.limitLabel);
  m_histogram->setBars(plot::histogramOf(figures.values, figures.grain, kMostBars), tr("tiles"));
}

bool MemoryTabs::showsTiles() const { return m_tabs.currentWidget() == m_tiles; }

void MemoryTabs::showTiles(std::shared_ptr<const tables::Table> tiles, const theme::Format& format) {
  m_tiles->view().setFormat(format);
  m_tiles->setTable(std::move(tiles));
}

void MemoryTabs::selectTiles(const std::vector<reports::TileId>& tiles) {
  std::vector<int64_t> ids;
  for (const auto tile : tiles) ids.push_back(int64_t(tile.value()));
  m_tiles->view().selectIds(ids);
}

// `places` are rows: indices of A's layout, then of B's.
void MemoryTabs::choosePlaced(const std::vector<int64_t>& places) {
  if (const int64_t inOther = places.front() - placesIn(m_places);
      inOther >= 0 && m_inOther.layout && std::size_t(inOther) < m_inOther.layout->variables.size()) {
    emit otherVariableChosen(m_inOther.layout->variables[std::size_t(inOther)].variable);
    m_stripOfOther->setSelected(int(inOther));
    return m_placed->view().selectIds(places);
  }
  if (!m_places.layout) return;
  const auto& variables = m_places.layout->variables;
  std::vector<int64_t> ids;
  for (const int64_t place : places)
    if (place >= 0 && std::size_t(place) < variables.size() && !variables[std::size_t(place)].isGap)
      ids.push_back(int64_t(variables[std::size_t(place)].variable.value()));
  emit variablesChosen(ids);
}

void MemoryTabs::selectVariables(const std::vector<reports::VariableId>& variables) {
  std::vector<int64_t> ids, placed;
  for (const auto variable : variables) {
    ids.push_back(int64_t(variable.value()));
    const auto& layout = m_places.layout;
    for (std::size_t i = 0; layout && i < layout->variables.size(); ++i)
      if (const auto& v = layout->variables[i]; !v.isGap && v.variable == variable) placed.push_back(int64_t(i));
  }
  m_largest->view().selectIds(ids);
  m_strip->setSelected(placed.empty() ? -1 : int(placed.front()));
  m_stripOfOther->setSelected(placed.empty() ? -1 : placeInTwin(m_places, m_inOther, int(placed.front())));
  m_placed->view().selectIds(placed);
}

void MemoryTabs::focusFilter() {
  const QWidget* shown = m_tabs.currentWidget();
  tables::FilteredTable* table = m_largest;
  for (tables::FilteredTable* candidate :
       std::initializer_list<tables::FilteredTable*>{m_computeSets, m_vertices, m_exchanges, m_tiles})
    if (shown == candidate) table = candidate;
  if (shown && shown->isAncestorOf(m_placed)) table = m_placed;
  if (table == m_largest) m_tabs.setCurrentWidget(m_largest);
  table->filter().setFocus(Qt::ShortcutFocusReason);
  table->filter().selectAll();
}

} // namespace ui::memory
