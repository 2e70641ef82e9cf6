// The tools and tabs of memory_view.h, and what they do.
#include "ui/shell/page.h"
#include "ui/shell/report_text.h"
#include "ui/shell/tile_field.h"
#include "ui/shell/try_button.h"
#include "ui/shell/view_controls.h"
#include "ui/shell/view_state.h"
#include "ui/theme/plain_text.h"
#include "ui/views/memory/memory_picture.h"
#include "ui/views/memory/memory_view.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>

#include <algorithm>

namespace ui::memory {

using shell::reportText;

namespace {

QComboBox* combo(const QString& name, const QStringList& items) {
  auto* box = new QComboBox;
  box->addItems(items);
  box->setAccessibleName(name);
  box->setSizeAdjustPolicy(QComboBox::AdjustToContents); // IPUs are listed when a report is opened
  box->setToolTip(theme::tipText(name));
  return box;
}

} // namespace

void MemoryView::buildTools() {
  m_kind = combo(tr("Picture"), {tr("Curve"), tr("Tile map")});
  m_shows = combo(tr("Figure"), {tr("Memory")});
  for (int m = 0; m < analyser::memory::kTileMetrics; ++m)
    m_shows->addItem(reportText(analyser::memory::tileMetricTitle(analyser::memory::TileMetric(m))));
  m_breakdown = combo(tr("Breakdown"), {tr("No breakdown"), tr("By category"), tr("By region"), tr("By liveness")});
  m_breakdown->setCurrentIndex(1);
  m_order = combo(tr("Order of tiles"), {tr("Software order"), tr("Physical order")});
  m_ipus = combo(tr("IPU"), {tr("All IPUs")});
  m_typed = new shell::TileField;
  for (QWidget* tool : std::initializer_list<QWidget*>{m_kind, m_shows, m_breakdown, m_order, m_ipus, m_typed})
    page().addTool(tool);
  page().addTool(m_try = new shell::TryButton(theme(), state(), *this));
  QMenu* menu = page().viewMenu();
  m_showLimit = menu->addAction(tr("Scale to the tile's memory"));
  m_showGaps = menu->addAction(tr("Show the curve with gaps"));
  m_showBand = menu->addAction(tr("Show median and percentiles of the tiles"));
  m_logarithmic = menu->addAction(tr("Logarithmic scale"));
  m_perIpu = menu->addAction(tr("Colours of the tile map from each IPU's own figures"));
  for (QAction* action : {m_showLimit, m_showGaps, m_showBand, m_logarithmic, m_perIpu}) {
    action->setCheckable(true);
    connect(action, &QAction::triggered, this, [this] { showMemory(); });
  }
  menu->addAction(tr("Show all tiles (F)"), this, [this] { m_picture->fit(); });
  menu->addAction(tr("Select the fullest tile"), this, [this] { state().requestFullestTile(); });
  connect(&state(), &shell::ViewState::fullestRequested, this, &MemoryView::selectFullest);
  menu->addAction(tr("Clear the selection"), this, [this] { state().setTiles({}); });
  menu->addAction(tr("Show the curves of variables alone, or all"), this, [this] { m_picture->showVariablesAlone(); });
  menu->addAction(tr("Hide the curves of variables"), this, [this] { state().setVariable({}); });

  connect(m_kind, &QComboBox::currentIndexChanged, this, [this](int index) {
    m_picture->setCurrentIndex(index);
    m_order->setEnabled(index == MemoryPicture::Curve);
  });
  connect(m_shows, &QComboBox::currentIndexChanged, this, [this] {
    showSteps();
    readMetric();
  });
  connect(m_breakdown, &QComboBox::currentIndexChanged, this, [this] { readMemory(); });
  connect(m_order, &QComboBox::currentIndexChanged, this, [this] { showMemory(); });
  connect(m_ipus, &QComboBox::currentIndexChanged, this, [this](int index) {
    m_ipu = index - 1;
    readMemory();
    readDetails();
  });
  connect(m_typed, &QLineEdit::returnPressed, this, &MemoryView::selectTyped);
  connect(m_typed, &QLineEdit::textChanged, this, [this](const QString& text) {
    if (text.isEmpty() && m_session && !state().tiles().empty() && m_typed->hasFocus()) state().setTiles({});
  });
}

void MemoryView::buildTabs() {
  m_tabs = new MemoryTabs(theme(), *page().tabs(), this);
  connect(m_tabs, &MemoryTabs::variablesChosen, this, &MemoryView::chooseVariables);
  connect(m_tabs, &MemoryTabs::stepChosen, this, [this](int64_t step) {
    if (!shell::isRestoring(*this)) state().setStep(reports::ProgramStepId(std::size_t(step)));
  });
  connect(m_tabs, &MemoryTabs::stepActivated, this, [this](int64_t step) {
    state().setStep(reports::ProgramStepId(std::size_t(step)));
    emit viewRequested(QStringLiteral("program"));
  });
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
      if (const int64_t figure = m_picture->figureOf(tile); figure >= begin && figure < end)
        tiles.emplace_back(std::size_t(tile));
    state().setTiles(std::move(tiles));
  });
  connect(m_steps, &StepBar::stepMoved, this, [this] {
    if (const auto* step = m_steps->step(); step && !shell::isRestoring(*this)) state().setStep(step->step);
    readMetric();
  });
}

// Points for IPUs make a curve only where there are several.
void MemoryView::offerOrders() {
  const QSignalBlocker quiet(m_order);
  const int ipus = int(Order::Ipus);
  if (machine().ipus > 1 && m_order->count() == ipus) m_order->addItem(tr("One point an IPU"));
  if (machine().ipus < 2 && m_order->count() > ipus) m_order->removeItem(ipus);
}

} // namespace ui::memory
