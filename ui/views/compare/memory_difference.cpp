#include "ui/views/compare/memory_difference.h"

#include "ui/parts/page.h"
#include "ui/parts/tile_field.h"
#include "ui/plot/tile_map.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/compare/compare_tables.h"
#include "ui/views/compare/pair_plot.h"

#include <QComboBox>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTabWidget>

namespace ui::compare {

namespace {

const analyser::Machine& larger(const analyser::Session& a, const analyser::Session& b) {
  return b.machine().tiles() > a.machine().tiles() ? b.machine() : a.machine();
}

analyser::Sentence memoryVerdict(const analyser::memory::TileMemory& a, const analyser::memory::TileMemory& b,
                                 const std::vector<reports::Bytes>& differences) {
  int64_t more = 0, less = 0;
  for (const reports::Bytes d : differences) more += d > reports::Bytes(), less += d < reports::Bytes();
  if (more == 0 && less == 0) return "Every tile holds the same in both reports.";
  analyser::Sentence verdict;
  verdict << "The fullest tile holds " << analyser::Sentence::Change<reports::Bytes>{b.total.max - a.total.max} << " ("
          << b.total.max << " instead of " << a.total.max << "), all tiles together "
          << analyser::Sentence::Change<reports::Bytes>{b.total.sum - a.total.sum} << "; " << more << " tiles hold more, " << less
          << " less.";
  return verdict;
}

} // namespace

MemoryDifference::MemoryDifference(const shell::ViewParts& parts)
    : PairView(parts), m_job(tr("Reading tile memory"), &parts.jobs), m_details(tr("Reading the selected tiles"), &parts.jobs) {
  m_kind = new QComboBox;
  m_kind->setAccessibleName(tr("Picture"));
  fields().choice<Picture>("picture", *m_kind, m_picture,
                           {{Picture::Both, "both", tr("Both curves")},
                            {Picture::Apart, "apart", tr("Curves apart")},
                            {Picture::Map, "map", tr("Tile map of the difference")}});
  m_typed = new shell::TileField(state());
  page().addTool(m_kind);
  page().addTool(m_typed);
  m_pictures = new QStackedWidget;
  m_pictures->addWidget(m_curves = new PairPlot(theme(), tr("Memory per tile of both reports")));
  m_pictures->addWidget(m_map = new plot::TileMap(theme(), tr("Change in the memory of every tile")));
  page().setPlot(m_pictures, 0.55);
  page().tabs()->addTab(m_tree = new tables::TreeView(theme(), tr("Memory of the selected tiles in both reports")),
                        tr("Details"));
  page().tabs()->addTab(m_variables = new tables::FilteredTable(theme(), tr("Variables that differ")), tr("Variables"));
  m_variables->view().setEmptyText(tr("The same variables in both reports."));

  setMainJob(m_job, [this] { read(); });
  work().add({&m_details});
  connect(m_kind, &QComboBox::currentIndexChanged, this, [this] {
    m_pictures->setCurrentIndex(m_picture == Picture::Map ? 1 : 0);
    if (m_picture != Picture::Map) m_curves->setMerged(m_picture == Picture::Both);
  });
  m_curves->addFields(fields(), "hidden");
  fields().tabs("tab", *page().tabs(), {{m_tree, "details"}, {m_variables, "variables"}});
  fields().table("variables", *m_variables);
  const auto choose = [this](int64_t tile, Qt::KeyboardModifiers modifiers) {
    if (tile < 0) return state().setTiles({});
    state().clickTile(reports::TileId(std::size_t(tile)), modifiers);
  };
  connect(m_curves, &PairPlot::positionClicked, this,
          [choose](int64_t tile, bool, bool, Qt::KeyboardModifiers modifiers) { choose(tile, modifiers); });
  connect(m_map, &plot::TileMap::tileClicked, this, choose);
  connect(m_curves, &PairPlot::rangeDragged, this, [this](int64_t first, int64_t last) {
    std::vector<reports::TileId> tiles;
    for (int64_t tile = std::max<int64_t>(0, first); tile <= last; ++tile) tiles.emplace_back(std::size_t(tile));
    state().setTiles(std::move(tiles));
  });
  connect(&state(), &shell::ViewState::tilesChanged, this, [this] {
    if (!hasBoth()) return;
    showSelection();
    readDetails();
  });
}

void MemoryDifference::drop() {
  PairView::drop();
  m_typed->setParse({});
}

bool MemoryDifference::focusFilter() {
  page().tabs()->setCurrentWidget(m_variables);
  m_variables->filter().setFocus(Qt::ShortcutFocusReason);
  return true;
}

QString MemoryDifference::selectionText() const {
  const auto& tiles = state().tiles();
  const auto answer = m_job.result();
  if (tiles.empty() || !answer) return {};
  reports::Bytes a, b;
  for (const reports::TileId tile : tiles) {
    if (tile.value() < answer->base.total.values.size()) a += answer->base.total.values[tile.value()];
    if (tile.value() < answer->other.total.values.size()) b += answer->other.total.values[tile.value()];
  }
  return tr("%1: A %2, B %3, %4")
      .arg(tiles.size() == 1 ? tr("Tile %1").arg(tiles.front().value())
                             : theme::plural(int64_t(tiles.size()), tr("tile"), tr("tiles")),
           format().bytes(a), format().bytes(b), format().bytesDelta(b - a));
}

void MemoryDifference::read() {
  if (base()->machine().tiles() == 0 && other()->machine().tiles() == 0)
    return page().showEmpty(tr("Neither report has tiles"), tr("Both reports hold only a host trace, which has no tile memory."),
                            tr("Show the host timeline"), [this] { emit viewRequested(QStringLiteral("host")); });
  m_typed->setParse([machine = larger(*base(), *other())](const std::string& text) {
    return analyser::memory::parseTileSelection(machine, text);
  });
  fill(
      m_job,
      [](analyser::Session& a, analyser::Session& b, const std::stop_token& stop) {
        Answer answer{analyser::memory::tileMemory(a, analyser::memory::Breakdown::None, stop),
                      analyser::memory::tileMemory(b, analyser::memory::Breakdown::None, stop),
                      {}};
        answer.differences = analyser::compare::tileDifferences(answer.base.total, answer.other.total);
        return answer;
      },
      [this](const Answer& answer) {
        page().setVerdict(memoryVerdict(answer.base, answer.other, answer.differences));
        show();
        emit selectionTextChanged();
      });
  readDetails();
}

void MemoryDifference::readDetails() {
  ask(
      m_details,
      [tiles = state().tiles()](analyser::Session& a, analyser::Session& b, const std::stop_token& stop) {
        return Details{detailsTree(analyser::compare::detailsDifference(a, b, tiles, stop)),
                       variableTable(analyser::compare::variablesDifference(a, b, tiles, stop))};
      },
      [this](const Details& details) {
        m_tree->setFormat(format());
        m_variables->view().setFormat(format());
        m_tree->setTree(details.tree, 2);
        m_variables->setTable(details.variables);
        page().tabs()->setTabText(page().tabs()->indexOf(m_variables),
                                  tr("Variables (%1)").arg(theme::count(int64_t(details.variables->rows.size()))));
      });
}

void MemoryDifference::show() {
  const auto answer = m_job.result();
  if (!answer) return;
  m_tree->setFormat(format());
  m_variables->view().setFormat(format());
  auto scene = PairPlot::ofMemory(answer->base, answer->other, format());
  const analyser::Machine& machine = larger(*base(), *other());
  if (machine.ipus > 1)
    for (int ipu = 0; ipu < machine.ipus; ++ipu)
      scene.marks.emplace_back(int64_t(ipu) * machine.tilesPerIpu, tr("IPU %1").arg(ipu));
  m_curves->show(std::move(scene));
  showMap(*answer);
  showSelection();
}

void MemoryDifference::showMap(const Answer& answer) {
  const analyser::Machine& m = larger(*base(), *other());
  auto values = std::make_shared<std::vector<int64_t>>();
  for (const reports::Bytes b : answer.differences) values->push_back(b.value());
  m_map->setGrid(m.ipus, m.tilesPerIpu, m.gridColumns, m.gridRows, m.tileColumn, m.tileRow);
  m_map->setValueText([this](int64_t v) { return format().bytesDelta(reports::Bytes(v)); });
  m_map->setCaption(tr("Memory per tile, B − A"));
  m_map->setValueKind(plot::PlotColumn::Kind::Bytes);
  m_map->setCard([this](int tile) { return tileCard(tile); });
  m_map->setValues(std::move(values), 0, 0, true);
}

plot::Card MemoryDifference::tileCard(int tile) const {
  plot::Card card;
  const auto answer = m_job.result();
  const auto at = std::size_t(tile);
  if (!answer || at >= answer->differences.size()) return card;
  card.title = tr("Tile %1").arg(tile);
  const auto text = [&](const std::vector<reports::Bytes>& values) {
    return at < values.size() ? format().bytesExact(values[at]) : tr("not there");
  };
  card.rows = {{tr("A"), text(answer->base.total.values), theme().series(0)},
               {tr("B"), text(answer->other.total.values), theme().series(1)},
               {tr("B − A"), format().bytesDelta(answer->differences[at]), {}}};
  card.hint = tr("Click selects, Shift-click adds");
  return card;
}

void MemoryDifference::showSelection() {
  const auto spans = shell::spansOf(state().tiles());
  m_curves->setSelected(spans, spans);
  std::vector<int> onMap;
  for (const reports::TileId tile : state().tiles()) onMap.push_back(int(tile.value()));
  m_map->setSelected(std::move(onMap));
  emit selectionTextChanged();
}

} // namespace ui::compare
