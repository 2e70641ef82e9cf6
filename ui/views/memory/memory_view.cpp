#include "ui/views/memory/memory_view.h"

#include "ui/parts/debug_tab.h"
#include "ui/parts/page.h"
#include "ui/parts/shown_tabs.h"
#include "ui/parts/tile_field.h"
#include "ui/plot/histogram.h"
#include "ui/plot/legend.h"
#include "ui/runs/try_button.h"
#include "ui/state/view_state.h"
#include "ui/tables/paired.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/memory/memory_picture.h"
#include "ui/views/memory/memory_reading.h"
#include "ui/views/memory/memory_tables.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QTabWidget>

namespace ui::memory {

using analyser::memory::Breakdown;
using analyser::memory::TileMemory;
using theme::messageText;
using theme::reportText;

namespace {
constexpr std::size_t kMostParts = 9;  // parts of the curve, each with its own hue
constexpr std::size_t kMostCurves = 6; // of variables
constexpr double kPlotShare = 0.4;     // of the page's height, for every tab: the address map needs the rest
constexpr double kLimitInView = 0.4;   // a tile filled above this share is drawn up to the tile's whole memory

} // namespace

MemoryView::MemoryView(const shell::ViewParts& parts)
    : View(parts), m_memoryJob(tr("Reading tile memory"), &parts.jobs),
      m_detailsJob(tr("Reading the selected tiles"), &parts.jobs), m_variableJob(tr("Reading variables"), &parts.jobs),
      m_tilesJob(tr("Listing tiles"), &parts.jobs), m_stepsJob(tr("Reading the program's steps"), &parts.jobs),
      m_metricJob(tr("Reading figures of the tiles"), &parts.jobs) {
  buildTools();
  page().addHeaderRow(m_legend = new plot::Legend(theme()));
  page().addHeaderRow(m_steps = new StepBar(tr("Step of the picture"), tr("Whole run")));
  m_steps->hide();
  page().setPlot(m_picture = new MemoryPicture(theme(), m_legend), kPlotShare);
  buildTabs();
  page().setPlotShareOf(m_tabs->addressMap(), kPlotShare); // in a low window the tab gets the whole height
  shell::setTabShown(*page().tabs(), m_maker, false);

  setMainJob(m_memoryJob, [this] { readMemory(); });
  work().add({&m_detailsJob, &m_variableJob, &m_stepsJob, &m_metricJob, &m_tilesJob, &m_maker->job()});
  connect(m_picture, &MemoryPicture::tileClicked, this, [this](int tile, Qt::KeyboardModifiers modifiers) {
    state().clickTile(reports::TileId(std::size_t(tile)), modifiers);
  });
  connect(m_picture, &MemoryPicture::tilesChosen, this,
          [this](std::vector<reports::TileId> tiles) { state().setTiles(std::move(tiles)); });
  connect(&state(), &shell::ViewState::tilesChanged, this, [this] {
    if (!m_reports) return;
    showSelection();
    readDetails();
  });
  connect(&state(), &shell::ViewState::stepChanged, this, [this] { m_tabs->followStep(state().step()); });
  connect(&state(), &shell::ViewState::variableChanged, this, &MemoryView::followVariable);
}

MemoryView::~MemoryView() = default;

void MemoryView::setSessions(shell::SessionPointer base, shell::SessionPointer other) {
  work().drop();
  m_tilesOf.reset();
  m_steps->setSteps({}, 0), m_tabs->setSteps({});
  m_variables.clear(), m_ofOther = {};
  m_picture->clear();
  m_reports = {base, other};
  m_typed->setParse({});
  showMaker();
  m_try->setSession(other ? nullptr : base);
  m_try->setVisible(!other);
  page().clearVerdict();
  page().clearBanner();
  if (!base) return showNoReport(tr("Tile memory needs a report."));
  if (machine().tiles() == 0) return showNoDevice(tr("tile memory"));
  m_typed->setParse(
      [machine = machine()](const std::string& text) { return analyser::memory::parseTileSelection(machine, text); });
  m_ipu = -1;
  {
    const QSignalBlocker quiet(m_ipus);
    m_ipus->clear();
    m_ipus->addItem(tr("All IPUs"), QStringLiteral("all"));
    for (int ipu = 0; ipu < machine().ipus; ++ipu) m_ipus->addItem(tr("IPU %1").arg(ipu), ipu);
    m_ipus->setVisible(machine().ipus > 1);
    m_perIpu->setVisible(machine().ipus > 1);
    offer(*m_orders, kIpus, machine().ipus > 1);
    offer(*m_picturesBox, kApart, areTwo());
  }
  m_fresh = true;
  readMemory();
}

// Reads the rest once the memory of the tiles is shown: all reads share one reader, and the tables would delay the plot and the
// verdict.
void MemoryView::readRest() {
  readDetails();
  readSteps();
  readMetric();
  followVariable();
}

// Reads the steps of the two sliders: steps with a cost, and liveness steps. For two reports, the steps of A and the steps of B
// with the same names.
void MemoryView::readSteps() {
  m_stepsJob.start(
      [reports = m_reports](const std::stop_token& stop, reports::Progress&) { return memory::readSteps(reports, stop); },
      [this](const MemorySteps& steps) {
        showSteps();
        m_tabs->setSteps(steps.liveness);
        m_tabs->followStep(state().step());
      },
      [this](const reports::Error& error) {
        page().setBanner(tr("The program's steps could not be read: %1").arg(messageText(error.what())), shell::Tone::Warning);
      });
}

// The slider has all liveness steps if the figure is live memory, else the steps with a cost.
void MemoryView::showSteps() {
  const auto steps = m_stepsJob.result();
  if (!steps) return;
  const auto* shown = m_steps->step();
  const reports::ProgramStepId step = shown ? shown->step : reports::ProgramStepId();
  const auto& wanted = m_state.figure == analyser::memory::TileMetric::Alive ? steps->liveness : steps->costly;
  m_steps->setSteps(wanted, int64_t(steps->liveness.size()));
  if (step.valid()) m_steps->setStep(step);
}

void MemoryView::readMetric() {
  const auto chosen = m_state.figure;
  m_steps->setVisible(chosen.has_value());
  m_breakdowns->setEnabled(!chosen);
  m_showGaps->setEnabled(!chosen);
  m_showLimit->setEnabled(!chosen || chosen == analyser::memory::TileMetric::Alive);
  if (!m_reports || !chosen) {
    m_metricJob.drop();
    return showMemory();
  }
  const auto* step = m_steps->step();
  m_metricJob.start(
      [reports = m_reports, kind = *chosen, at = step ? *step : StepBar::Step()](const std::stop_token& stop,
                                                                                 reports::Progress&) {
        const auto of = [&](reports::ProgramStepId id) {
          return [&, id](analyser::Session& session) -> Metric {
            return std::make_shared<const analyser::memory::TileMetricValues>(
                analyser::memory::tileMetric(session, kind, id, stop));
          };
        };
        shell::Both<Metric> both{reports.baseWorker()->use(of(at.step))};
        if (reports.areTwo() && at.step.valid() && !at.inOther.valid()) // the step is missing in B: zeros
          both.other = std::make_shared<const analyser::memory::TileMetricValues>(
              analyser::memory::TileMetricValues{kind, {}, {}, 0, 0, {}});
        else if (reports.areTwo())
          both.other = reports.otherWorker()->use(of(at.inOther));
        return both;
      },
      [this](const auto&) { showMemory(); },
      [this](const reports::Error& error) {
        page().setBanner(tr("The figures could not be read: %1").arg(messageText(error.what())), shell::Tone::Warning);
      });
}

void MemoryView::forgetReport() {
  View::forgetReport();
  m_figures->setCurrentIndex(0);
  m_typed->clear();
  m_picture->fit();
}

std::optional<reports::IpuId> MemoryView::ipu() const {
  return m_ipu < 0 ? std::nullopt : std::optional(reports::IpuId(std::size_t(m_ipu)));
}

std::shared_ptr<const TileMemory> MemoryView::memory() const {
  const auto both = m_memoryJob.result();
  return both ? std::shared_ptr<const TileMemory>(both, &both->base) : nullptr;
}

MemoryView::Metric MemoryView::shownMetric() const {
  const auto both = m_metricJob.result();
  return both ? both->base : nullptr;
}

void MemoryView::readMemory() {
  if (!m_reports) return;
  if (!m_memoryJob.result()) page().showLoading(tr("Reading tile memory"));
  m_memoryJob.start(
      [reports = m_reports, kind = m_state.breakdown, ipu = ipu()](const std::stop_token& stop, reports::Progress&) {
        auto both = reports.each([&](analyser::Session& session) {
          if (!ipu) return analyser::memory::tileMemory(session, kind, stop);
          if (int(ipu->value()) < session.machine().ipus) return analyser::memory::tileMemoryOf(session, *ipu, kind, stop);
          TileMemory none; // of two machines only the larger one has this IPU
          none.capacity = session.machine().memoryPerTile;
          return none;
        });
        if (both.other)
          alignParts(both.base, *both.other, kMostParts);
        else
          both.base.parts = foldSmallParts(std::move(both.base.parts), kMostParts);
        return both;
      },
      [this](const shell::Both<TileMemory>& both) {
        const bool isFirst = std::exchange(m_fresh, false);
        const reports::Bytes most = both.other ? std::max(both.base.total.max, both.other->total.max) : both.base.total.max;
        // Sets this once per report, so that the user's later choice in the menu stays.
        if (isFirst) m_showLimit->setChecked(ratio(most, std::max(both.base.capacity, reports::Bytes(1))) > kLimitInView);
        showMemory();
        selectFullest();
        if (isFirst) readRest();
      },
      [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { readMemory(); }); });
}

void MemoryView::selectFullest() {
  const auto memory = m_memoryJob.isBusy() ? nullptr : this->memory(); // the old values are of other tiles
  if (memory && state().messages().take<shell::ShowFullestTile>()) state().setTiles({analyser::memory::fullestTile(*memory)});
}

void MemoryView::readDetails() {
  if (!m_reports || machine().tiles() == 0) return;
  m_detailsJob.start(
      [reports = m_reports, tiles = state().tiles(), ipu = ipu()](const std::stop_token& stop, reports::Progress&) {
        return memory::readDetails(reports, tiles, ipu, stop);
      },
      [this](const Details& details) {
        m_tabs->show(details, format());
        showPlaces();
      },
      [this](const reports::Error& error) {
        page().setBanner(tr("The details could not be read: %1").arg(messageText(error.what())), shell::Tone::Bad);
      });
}

// Several selected rows draw several curves; the first one is the window's variable, which other views follow.
void MemoryView::chooseVariables(const std::vector<int64_t>& ids) {
  std::vector<reports::VariableId> chosen;
  m_notDrawn = 0;
  for (const int64_t id : ids)
    if (id >= 0 && chosen.size() < kMostCurves)
      chosen.emplace_back(std::size_t(id));
    else
      m_notDrawn += id >= 0;
  if (chosen.empty()) return;
  const std::vector<reports::VariableId> beside(chosen.begin() + 1, chosen.end());
  if (state().variable() == chosen.front() && state().besideVariable() == beside)
    readVariables();
  else
    state().setVariable(chosen.front(), beside);
}

void MemoryView::followVariable() {
  const auto shared = state().variable();
  m_variables.clear();
  if (shared.valid()) {
    m_ofOther = {};
    m_variables = state().besideVariable();
    if (m_variables.size() >= kMostCurves) m_variables.resize(kMostCurves - 1); // a link may hold more
    m_variables.insert(m_variables.begin(), shared);
  }
  m_tabs->selectVariables(m_variables);
  readVariables();
}

// While no tile is selected, the map shows a tile that holds the selected variable, which may be on another IPU than the fullest
// tile. The tile stays while the chosen variables are on it.
void MemoryView::showPlaces() {
  const auto details = m_detailsJob.result();
  const auto chosen = m_variableJob.result();
  if (!details) return m_tabs->selectVariables(m_variables);
  TilePlaces places = details->places, inOther = details->placesInOther;
  if (state().tiles().empty() && !m_variables.empty()) {
    const TilePlaces& shown = m_tabs->places();
    const TilePlaces home = chosen ? chosen->home : TilePlaces();
    if (shown.layout && shown.layout != places.layout && shown.hold(m_variables.front())) {
      places = shown, inOther = m_tabs->placesInOther();
      places.why = home.tile() == shown.tile() ? TilePlaces::Why::HoldsMost : TilePlaces::Why::Selected;
    } else if (!places.hold(m_variables.front()) && home.hold(m_variables.front())) {
      places = home, inOther = chosen->homeInOther;
    }
  }
  if (places.layout != m_tabs->places().layout || places.why != m_tabs->places().why)
    m_tabs->showPlaces(places, inOther, format());
  m_tabs->selectVariables(m_variables);
}

void MemoryView::showMaker() {
  const bool isOfOther = m_ofOther.valid() && areTwo();
  const auto variable = isOfOther ? m_ofOther : m_variables.empty() ? reports::VariableId() : m_variables.front();
  shell::setTabShown(*page().tabs(), m_maker, variable.valid());
  m_maker->showVariable(isOfOther ? m_reports.otherWorker() : m_reports.baseWorker(), variable);
}

void MemoryView::readVariables() {
  showMaker();
  if (!m_reports || m_variables.empty()) {
    m_variableJob.drop();
    showPlaces();
    return showMemory();
  }
  m_variableJob.start([reports = m_reports, ids = m_variables](
                          const std::stop_token& stop, reports::Progress&) { return memory::readVariables(reports, ids, stop); },
                      [this](const ChosenVariables&) {
                        showMemory();
                        showPlaces();
                      },
                      [this](const reports::Error& error) {
                        page().setBanner(tr("The variable could not be read: %1").arg(messageText(error.what())),
                                         shell::Tone::Warning);
                      });
}

void MemoryView::showMemory() {
  const auto both = m_memoryJob.result();
  if (!both || !m_reports) return;
  const auto chosen = m_variableJob.result();
  const auto metrics = m_metricJob.result();
  MemoryScene scene;
  scene.session = m_reports.base(), scene.memory = memory(), scene.metric = shownMetric();
  if (chosen) scene.variables = chosen->curves;
  if (both->other) {
    scene.other = {m_reports.other(), {both, &*both->other}, {}, {}};
    if (chosen) scene.other->variables = chosen->inOther;
    if (metrics && metrics->other) scene.other->metric = *metrics->other;
  }
  scene.isApart = m_state.picture == MemoryState::Picture::Apart;
  scene.byCategory = m_state.breakdown == Breakdown::ByCategory;
  scene.ipu = m_ipu, scene.order = m_state.order;
  scene.band = m_state.withBand, scene.logarithmic = m_state.isLogarithmic, scene.perIpu = m_state.isPerIpu;
  scene.gaps = m_state.withGaps, scene.fullScale = m_state.toLimit, scene.format = format();
  m_picture->show(std::move(scene));
  showFigures(both->base);
  readTiles();
  showSelection();
  page().showContent();
}

void MemoryView::readTiles() {
  const auto both = m_memoryJob.result();
  if (!both || !m_tabs->showsTiles()) return;
  const auto metrics = m_metricJob.result();
  if (memory() == m_tilesOf && shownMetric() == m_tilesFigure) return m_tabs->selectTiles(state().tiles());
  m_tilesOf = memory(), m_tilesFigure = shownMetric();
  m_tilesJob.start(
      [both, metrics](const std::stop_token&, reports::Progress&) -> TileRows {
        const auto tiles = tileTable(both->base, metrics ? metrics->base.get() : nullptr);
        if (!both->other) return tiles;
        return tables::paired(tiles, tileTable(*both->other, metrics && metrics->other ? metrics->other->get() : nullptr),
                              {QStringLiteral("tile"), QStringLiteral("ipu")});
      },
      [this](const TileRows& rows) {
        m_tabs->showTiles(rows, format());
        m_tabs->selectTiles(state().tiles());
      },
      [this](const reports::Error& error) {
        m_tilesOf.reset();
        page().setBanner(tr("The tiles could not be listed: %1").arg(messageText(error.what())), shell::Tone::Warning);
      });
}

// The verdict and the histogram use the figures of the plot.
void MemoryView::showFigures(const TileMemory& memory) {
  const auto& tiles = m_picture->axis().tiles;
  const MemoryScene& scene = m_picture->scene();
  MemoryTabs::Figures figures;
  for (const int tile : tiles) figures.values.push_back(scene.figureOf(tile));
  figures.text = [this](int64_t value) { return m_picture->scene().figureText(value); };
  const QString what = scene.metric ? scene.metricTitle().toLower() : tr("memory used");
  figures.name = (areTwo() ? tr("Tiles by the change in %1") : tr("Tiles by %1")).arg(what);
  figures.grain = scene.metric ? plot::decimalStep(figures.values, kMostBars) : 256;
  if (areTwo()) {
    page().setVerdict(scene.changeVerdict(tiles));
  } else if (scene.metric) {
    page().setVerdict(analyser::memory::metricVerdict(*scene.metric, tiles), shell::Tone::Neutral);
  } else {
    page().setVerdict(memory.verdict, memory.fits ? shell::Tone::Good : shell::Tone::Bad);
    figures.limit = memory.capacity.value();
    figures.limitLabel = tr("tile memory %1").arg(format().bytes(memory.capacity));
  }
  m_tabs->showHistogram(figures);
}

void MemoryView::showSelection() {
  const auto& tiles = state().tiles();
  m_picture->setSelected(tiles);
  if (m_tabs->showsTiles()) m_tabs->selectTiles(tiles);
  emit selectionTextChanged();
}

QString MemoryView::selectionText() const {
  QStringList parts;
  if (const QString tiles = tilesText(); !tiles.isEmpty()) parts << tiles;
  if (const auto chosen = m_variableJob.result(); chosen && !chosen->curves.empty()) {
    const auto& variable = *chosen->curves.front();
    parts << tr("%1: %2, at most %3 on tile %4")
                 .arg(reportText(variable.title), format().bytes(variable.sum), format().bytes(variable.max),
                      variable.maxTile.valid() ? QString::number(variable.maxTile.value()) : QString());
    if (chosen->curves.size() > 1)
      parts << theme::plural(int64_t(chosen->curves.size() - 1), tr("more curve"), tr("more curves"));
    if (m_notDrawn > 0) parts << tr("%1 not drawn, because the plot has at most %2 curves").arg(m_notDrawn).arg(kMostCurves);
  }
  return parts.join(QStringLiteral("  ·  "));
}

QString MemoryView::tilesText() const {
  const auto& tiles = state().tiles();
  if (tiles.empty() || !m_reports) return {};
  const auto both = m_memoryJob.result();
  QString text = tiles.size() == 1 ? tr("Tile %1").arg(tiles.front().value())
                                   : theme::plural(int64_t(tiles.size()), tr("tile"), tr("tiles"));
  const auto isShown = [this](reports::TileId tile) { return m_ipu < 0 || int(tile.value()) / machine().tilesPerIpu == m_ipu; };
  const auto here = std::count_if(tiles.begin(), tiles.end(), isShown);
  const auto sumOf = [&](const TileMemory& memory) {
    reports::Bytes sum;
    for (const auto tile : tiles)
      if (isShown(tile) && tile.value() < memory.total.values.size()) sum += memory.total.values[tile.value()];
    return sum;
  };
  if (both && here > 0) {
    const QString bytes = both->other ? tr("A %1, B %2, %3")
                                            .arg(format().bytes(sumOf(both->base)), format().bytes(sumOf(*both->other)),
                                                 format().bytesDelta(sumOf(*both->other) - sumOf(both->base)))
                                      : format().bytes(sumOf(both->base));
    text +=
        here == int64_t(tiles.size()) ? tr(": %1").arg(bytes) : tr(": %1 on IPU %2, %3 of them").arg(bytes).arg(m_ipu).arg(here);
    if (shownMetric() && tiles.size() == 1)
      text += tr(", %1 %2").arg(m_picture->scene().metricTitle().toLower(),
                                m_picture->scene().figureText(m_picture->scene().figureOf(int(tiles.front().value()))));
  } else if (both) {
    text += tr(": not on IPU %1, which is shown").arg(m_ipu); // the figures cover only the shown IPU
  }
  if (tiles.size() > kMostColumns) text += tr("; details of the first %1").arg(kMostColumns);
  return text;
}

// The filter by name belongs to the visible table, else to the table of the largest variables.
bool MemoryView::focusFilter() {
  m_tabs->focusFilter();
  return true;
}

std::vector<std::pair<QString, QString>> MemoryView::keys() const {
  return {{tr("Left, Right, Enter"), tr("go to a tile and select it")},
          {tr("Esc"), tr("select all tiles again")},
          {tr("Shift+click"), tr("add or remove a tile")},
          {tr("Shift+drag"), tr("select a span of tiles")},
          {tr("F"), tr("show all tiles")},
          {tr("W A S D"), tr("zoom and pan the tile's memory map")}};
}

void MemoryView::themeChanged() { showMemory(); }

void MemoryView::formatChanged() {
  showMemory();
  if (const auto details = m_detailsJob.result()) {
    m_tabs->show(*details, format());
    showPlaces();
  }
  if (const auto rows = m_tilesJob.result()) m_tabs->showTiles(*rows, format());
}

void MemoryView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  takeTab();
}

void MemoryView::widen() {
  m_ipus->setCurrentIndex(0);
  for (tables::FilteredTable* table : page().tabs()->findChildren<tables::FilteredTable*>()) table->filter().clear();
}

void MemoryView::takeTab() {
  const auto request = state().messages().take<shell::ShowTab>(QStringLiteral("memory"));
  if (!request || request->tab.isEmpty()) return;
  fields().showTab(request->tab);
  page().showTabs();
}

} // namespace ui::memory
