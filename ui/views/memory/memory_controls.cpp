// The tools and tabs of memory_view.h, and their actions.
#include "analyser/trials/trials.h"
#include "ui/parts/debug_tab.h"
#include "ui/parts/page.h"
#include "ui/parts/tile_field.h"
#include "ui/runs/try_button.h"
#include "ui/state/view_state.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/views/memory/memory_picture.h"
#include "ui/views/memory/memory_view.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QStandardItemModel>

#include <algorithm>

namespace ui::memory {

using theme::reportText;

namespace {

QComboBox* combo(const QString& name) {
  auto* box = new QComboBox;
  box->setAccessibleName(name);
  box->setSizeAdjustPolicy(QComboBox::AdjustToContents); // IPUs are listed when a report is opened
  box->setToolTip(theme::tipText(name));
  return box;
}

} // namespace

void MemoryView::buildTools() {
  using analyser::memory::Breakdown;
  using analyser::memory::TileMetric;
  using Figure = std::optional<TileMetric>;
  const auto figure = [](TileMetric metric, const char* id) {
    return shell::Choice<Figure>{metric, id, reportText(analyser::memory::tileMetricTitle(metric))};
  };
  fields().choice<MemoryState::Picture>("picture", *(m_picturesBox = combo(tr("Picture"))), m_state.picture,
                                        {{MemoryState::Picture::Curve, "curve", tr("Curve")},
                                         {MemoryState::Picture::Map, "map", tr("Tile map")},
                                         {MemoryState::Picture::Apart, kApart, tr("Curves apart")}});
  fields().choice<Figure>("figure", *(m_figures = combo(tr("Figure"))), m_state.figure,
                          {{std::nullopt, "memory", tr("Memory")},
                           figure(TileMetric::Cycles, "cycles"),
                           figure(TileMetric::BytesIn, "received"),
                           figure(TileMetric::BytesOut, "sent"),
                           figure(TileMetric::Utilisation, "utilisation"),
                           figure(TileMetric::Alive, "alive")});
  fields().choice<Breakdown>("breakdown", *(m_breakdowns = combo(tr("Breakdown"))), m_state.breakdown,
                             {{Breakdown::None, "none", tr("No breakdown")},
                              {Breakdown::ByCategory, "category", tr("By category")},
                              {Breakdown::ByRegion, "region", tr("By region")},
                              {Breakdown::ByLiveness, "liveness", tr("By liveness")}});
  fields().choice<Order>("order", *(m_orders = combo(tr("Order of tiles"))), m_state.order,
                         {{Order::Software, "software", tr("Software order")},
                          {Order::Physical, "physical", tr("Physical order")},
                          {Order::Ipus, kIpus, tr("One point per IPU")}});
  fields().items("ipu", *(m_ipus = combo(tr("IPU"))));
  m_typed = new shell::TileField(state());
  for (QWidget* tool : std::initializer_list<QWidget*>{m_picturesBox, m_figures, m_breakdowns, m_orders, m_ipus, m_typed})
    page().addTool(tool);
  page().addTool(m_try = new shell::TryButton(theme(), state(), *this, analyser::trials::Goal::Memory));
  QMenu* menu = page().viewMenu();
  m_showLimit = menu->addAction(tr("Scale to the tile's memory"));
  m_showGaps = menu->addAction(tr("Show the curve with gaps"));
  QAction* band = menu->addAction(tr("Show median and percentiles of the tiles"));
  QAction* logarithmic = menu->addAction(tr("Logarithmic scale"));
  m_perIpu = menu->addAction(tr("Colours of the tile map from each IPU's own figures"));
  fields().flagOfReport("limit", *m_showLimit, m_state.toLimit);
  fields().flagOfReport("gaps", *m_showGaps, m_state.withGaps);
  fields().flagOfReport("band", *band, m_state.withBand);
  fields().flagOfReport("logarithmic", *logarithmic, m_state.isLogarithmic);
  fields().flagOfReport("perIpu", *m_perIpu, m_state.isPerIpu);
  for (QAction* action : {m_showLimit, m_showGaps, band, logarithmic, m_perIpu})
    connect(action, &QAction::triggered, this, [this] { showMemory(); });
  menu->addAction(tr("Show all tiles (F)"), this, [this] { m_picture->fit(); });
  menu->addAction(tr("Select the fullest tile"), this, [this] { state().messages().send(shell::ShowFullestTile{}); });
  connect(&state().messages(), &shell::ViewMessages::fullestTileAsked, this, &MemoryView::selectFullest);
  menu->addAction(tr("Clear the selection"), this, [this] { state().setTiles({}); });
  menu->addAction(tr("Hide or show the stacked areas"), this, [this] { m_picture->showVariablesAlone(); });
  menu->addAction(tr("Hide the curves of variables"), this, [this] { state().setVariable({}); });

  connect(m_picturesBox, &QComboBox::currentIndexChanged, this, [this] {
    const bool isCurve = m_state.picture != MemoryState::Picture::Map;
    m_picture->setCurrentIndex(isCurve ? MemoryPicture::Curve : MemoryPicture::Map);
    m_orders->setEnabled(isCurve);
    showMemory();
  });
  connect(m_figures, &QComboBox::currentIndexChanged, this, [this] {
    showSteps();
    readMetric();
  });
  connect(m_breakdowns, &QComboBox::currentIndexChanged, this, [this] { readMemory(); });
  connect(m_orders, &QComboBox::currentIndexChanged, this, [this] { showMemory(); });
  connect(m_ipus, &QComboBox::currentIndexChanged, this, [this](int index) {
    m_ipu = index - 1;
    readMemory();
    readDetails();
  });
}

void MemoryView::buildTabs() {
  m_tabs = new MemoryTabs(theme(), *page().tabs(), this);
  page().tabs()->addTab(m_maker = new shell::DebugTab(theme(), jobs(), tr("Debug information of the variable")), tr("Debug"));
  m_tabs->addFields(fields(), *m_maker);
  m_steps->addField(fields(), "step");
  fields().hidden("hidden", *m_legend);
  fields().range("tiles", m_picture->overviewed());
  connect(m_tabs, &MemoryTabs::variablesChosen, this, &MemoryView::chooseVariables);
  connect(m_tabs, &MemoryTabs::otherVariableChosen, this, [this](reports::VariableId variable) {
    state().setVariable({}); // a variable of A
    m_ofOther = variable;
    showMaker();
  });
  connect(m_tabs, &MemoryTabs::stepChosen, this, [this](int64_t step) {
    if (!fields().isRestoring()) state().setStep(reports::ProgramStepId(std::size_t(step)));
  });
  connect(m_tabs, &MemoryTabs::stepActivated, this, [this](int64_t step) {
    state().setStep(reports::ProgramStepId(std::size_t(step)));
    emit viewRequested(QStringLiteral("program"));
  });
  connect(m_tabs, &MemoryTabs::sourceActivated, this, &MemoryView::openSource);
  connect(&m_tilesJob, &jobs::JobBase::cancelled, this, [this] { m_tilesOf.reset(); });
  connect(m_tabs, &MemoryTabs::tilesNeeded, this, &MemoryView::readTiles);
  connect(m_tabs, &MemoryTabs::tilesChosen, this, [this](const std::vector<int64_t>& ids) {
    std::vector<reports::TileId> tiles;
    for (const int64_t id : ids)
      if (id >= 0) tiles.emplace_back(std::size_t(id));
    std::sort(tiles.begin(), tiles.end());
    state().setTiles(std::move(tiles));
  });
  connect(m_tabs, &MemoryTabs::barClicked, this, [this](int64_t begin, int64_t end) {
    std::vector<reports::TileId> tiles;
    for (const int tile : m_picture->axis().tiles)
      if (const int64_t figure = m_picture->scene().figureOf(tile); figure >= begin && figure < end)
        tiles.emplace_back(std::size_t(tile));
    state().setTiles(std::move(tiles));
  });
  connect(m_steps, &StepBar::stepMoved, this, [this] {
    if (const auto* step = m_steps->step(); step && !fields().isRestoring()) state().setStep(step->step);
    readMetric();
  });
}

// Shows a choice only for reports that offer it; selects the first choice if the current one is hidden.
void MemoryView::offer(QComboBox& box, const char* choice, bool isOffered) {
  auto* row = static_cast<QStandardItemModel*>(box.model())->item(box.findData(QLatin1String(choice)));
  static_cast<QListView*>(box.view())->setRowHidden(row->row(), !isOffered);
  row->setEnabled(isOffered);
  if (!isOffered && box.currentIndex() == row->row()) box.setCurrentIndex(0);
}

} // namespace ui::memory
