#include "ui/views/operations/operations_view.h"

#include "analyser/session/words.h"
#include "analyser/trials/trials.h"
#include "ui/parts/debug_tab.h"
#include "ui/parts/page.h"
#include "ui/parts/shown_tabs.h"
#include "ui/parts/tile_time.h"
#include "ui/parts/vertical_scroll.h"
#include "ui/plot/legend.h"
#include "ui/plot/plot_table.h"
#include "ui/runs/try_button.h"
#include "ui/state/settings.h"
#include "ui/state/view_state.h"
#include "ui/tables/paired.h"
#include "ui/tables/table_view.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/operations/graph_plot.h"
#include "ui/views/operations/pairing_bar.h"
#include "ui/views/operations/roofline.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

namespace ui::operations {

using reports::Activity;
using theme::messageText;
using theme::reportText;

namespace {
constexpr std::size_t kBars = 40;
constexpr int kOpenLevels = 2, kOpenIpus = 1;
constexpr int kRowsRole = Qt::UserRole + 1;
} // namespace

OperationsView::OperationsView(const shell::ViewParts& parts)
    : View(parts), m_job(tr("Reading operations"), &parts.jobs), m_layerJob(tr("Reading a layer"), &parts.jobs),
      m_graphs(parts.jobs) {
  m_grouping = new QComboBox;
  m_grouping->setAccessibleName(tr("Rows"));
  m_grouping->setToolTip(
      theme::tipText(tr("A row is an operation, a folder of names, an IPU (a stage of a pipeline), a kind, a layer of "
                        "the model, or a call of one layer of the software. The graph groups its boxes by the same folders.")));
  fields().items("rows", *m_grouping);
  m_pictures = new QComboBox;
  m_pictures->setAccessibleName(tr("Picture"));
  m_state.picture = Picture(std::clamp(settings().value("operations/picture", 0).toInt(), 0, int(Picture::Graph)));
  fields().choice<Picture>("picture", *m_pictures, m_state.picture,
                           {{Picture::Cycles, "cycles", tr("Cycles")},
                            {Picture::Waste, "waste", tr("Wasted tile-cycles")},
                            {Picture::Roofline, "roofline", tr("Roofline")},
                            {Picture::Graph, "graph", tr("Graph")}});
  m_colours = new QComboBox;
  m_colours->setAccessibleName(tr("Colour of the graph"));
  fields().choice<GraphMeasure>("colour", *m_colours, m_state.measure,
                                {{GraphMeasure::Cycles, "cycles", tr("Coloured by cycles")},
                                 {GraphMeasure::Waste, "waste", tr("Coloured by waste")},
                                 {GraphMeasure::Memory, "memory", tr("Coloured by memory")}});
  m_levels = new QComboBox;
  m_levels->setAccessibleName(tr("Open levels of the graph"));
  fields().choice<int>("levels", *m_levels, m_state.levels,
                       {{0, "fit", tr("Collapsed to fit")},
                        {1, "1", tr("1 level")},
                        {2, "2", tr("2 levels")},
                        {3, "3", tr("3 levels")},
                        {4, "4", tr("4 levels")},
                        {INT_MAX, "all", tr("All levels")}});
  m_levels->setToolTip(tr("How many levels of names are open; a double click opens one folder"));
  page().addTool(m_grouping);
  page().addTool(m_pictures);
  page().addTool(m_try = new shell::TryButton(theme(), state(), *this, analyser::trials::Goal::Cycles));
  listGroupings();
  buildColumns();
  // The tools of the graph are shown in place of the legend. In the row of tools they would move the other tools away from the
  // pointer.
  auto* abovePlot = new QWidget;
  auto* beside = new QHBoxLayout(abovePlot);
  beside->setContentsMargins(0, 0, 0, 0);
  beside->addWidget(m_legend = new plot::Legend(theme()), 1);
  beside->addWidget(m_colours);
  beside->addWidget(m_levels);
  beside->addStretch(0);
  page().addHeaderRow(abovePlot);
  auto* scroll = shell::verticalScroll(m_bars = new plot::BarList(theme(), tr("Costliest operations")));
  scroll->setProperty("role", "card");
  scroll->setFocusPolicy(Qt::NoFocus); // the bars handle the keys
  m_plots = new QStackedWidget;
  m_plots->addWidget(scroll);
  const QString twins = tr("Operations") + '|' + tr("Operations by name");
  m_plots->addWidget(m_roofline = new Roofline(theme()));
  m_roofline->setProperty(plot::kTwin, twins);
  m_plots->addWidget(m_graph = new GraphPlot(theme()));
  m_graph->setProperty(plot::kTwin, twins);
  page().setPlot(m_plots, 0.45);
  buildTabs();
  setMainJob(m_job, [this] { read(); });
  work().add({&m_layerJob, &m_maker->job(), &m_tiles->job()});
  work().add(m_graphs.jobs());
  connect(m_grouping, &QComboBox::activated, this, [this](int index) {
    settings().setValue("operations/grouping", m_grouping->itemData(index));
    if (isGrouped()) state().setOperation({}, state().step()); // a group selects no operation
    changeRows();
  });
  connect(m_pictures, &QComboBox::activated, this, [this] {
    m_wanted.reset();
    settings().setValue("operations/picture", int(m_state.picture));
    showPicture();
  });
  connect(m_bars, &plot::BarList::barClicked, this, [this](int64_t row) { select(row, true); });
  connect(m_roofline, &Roofline::pointClicked, this, [this](int64_t row) { select(row, true); });
  connect(m_graph, &GraphPlot::rowClicked, this, [this](int row) { select(rowOfGraph(row), true); });
  QAction* labels = page().viewMenu()->addAction(tr("Names and bytes at the graph's arrows"));
  labels->setCheckable(true);
  labels->setChecked(settings().value("operations/labels", true).toBool());
  m_graph->setLabelled(labels->isChecked());
  connect(labels, &QAction::toggled, this, [this](bool on) {
    settings().setValue("operations/labels", on);
    m_graph->setLabelled(on);
  });
  connect(m_colours, &QComboBox::activated, this, [this] { m_graph->setMeasure(m_state.measure); });
  connect(m_levels, &QComboBox::activated, this, [this] { foldGraph(); });
  connect(&state(), &shell::ViewState::stepChanged, this, &OperationsView::follow);
  connect(&state(), &shell::ViewState::operationChanged, this, &OperationsView::follow);
  connect(&state().notes(), &shell::ReportNotes::pairingChanged, this, [this] {
    if (m_reports.areTwo()) keepSelection(), read();
  });
}

void OperationsView::buildTabs() {
  m_lists = new QStackedWidget;
  m_lists->addWidget(m_table = new tables::FilteredTable(theme(), tr("Operations")));
  auto* treePage = new QWidget;
  auto* column = new QVBoxLayout(treePage);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kGrid);
  m_treeFilter = new QLineEdit;
  m_treeFilter->setPlaceholderText(tr("Filter"));
  m_treeFilter->setClearButtonEnabled(true);
  m_treeFilter->setAccessibleName(tr("Filter of the tree"));
  m_treeFilter->addAction(theme::icon(theme(), "filter", theme::Tint::Secondary), QLineEdit::LeadingPosition);
  m_treeFilter->setMaximumWidth(320);
  auto* line = new QHBoxLayout;
  m_tree = new tables::TreeView(theme(), tr("Operations by name"));
  line->addWidget(m_treeFilter, 1);
  line->addWidget(tables::leftOutButton(*m_tree));
  line->addStretch(1);
  column->addLayout(line);
  column->addWidget(m_tree, 1);
  m_lists->addWidget(treePage);
  m_table->addNote(m_pairing = new PairingBar(state(), m_table->view(), [this] {
                     return rows() == Rows::All && m_rows.areOfTwo() ? &m_rows.pairs : nullptr;
                   }));
  page().tabs()->addTab(m_lists, tr("Operations"));
  m_table->view().sortBy(QStringLiteral("cycles"), Qt::DescendingOrder);
  page().tabs()->addTab(m_steps = new tables::FilteredTable(theme(), tr("Program steps of the operation")), tr("Program steps"));
  page().tabs()->addTab(m_tiles = new TileTab(theme(), jobs()), tr("Tiles"));
  page().tabs()->addTab(m_maker = new shell::DebugTab(theme(), jobs(), tr("Debug information of the operation")), tr("Debug"));
  fields().tabs("tab", *page().tabs(), {{m_lists, "operations"}, {m_steps, "steps"}, {m_tiles, "tiles"}, {m_maker, "debug"}});
  fields().table("operations", *m_table); // its filter is also the tree's
  // The columns of the last version's difference had other ids.
  fields().formerTable("operations", "operations",
                       {{"operation", "name"},
                        {"cyclesDifference", "cyclesChange"},
                        {"syncDifference", "syncChange"},
                        {"memoryDifference", "memoryChange"}});
  fields().table("stepRows", *m_steps);
  fields().hidden("hidden", *m_legend);
  m_tiles->addFields(fields());
  connect(m_tiles, &TileTab::tileClicked, &state(), &shell::ViewState::clickTile);
  connect(&state(), &shell::ViewState::tilesChanged, m_tiles, [this] { m_tiles->setSelected(state().tiles()); });

  connect(m_treeFilter, &QLineEdit::textChanged, m_tree, &tables::TreeView::setFilter);
  // One text for both lists: the filter does not depend on the form of the rows.
  connect(m_treeFilter, &QLineEdit::textChanged, &m_table->filter(), &QLineEdit::setText);
  connect(&m_table->filter(), &QLineEdit::textChanged, m_treeFilter, &QLineEdit::setText);
  connect(m_tree, &tables::TreeView::idSelected, this, [this](int64_t id) { select(id, true); });
  connect(&m_table->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    // Two rows of a comparison are selected to be paired: other views do not follow.
    if (ids.size() == 1 || (!ids.empty() && !m_rows.areOfTwo())) select(ids.front(), true);
  });
  connect(&m_steps->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    const auto answer = m_job.result();
    const auto steps = stepsOfRows();
    if (!answer || !steps || ids.empty() || std::size_t(ids.front()) >= steps->size()) return;
    const auto& step = (*steps)[std::size_t(ids.front())];
    const int operation = selectedOperation();
    state().setOperation(operation < 0 ? reports::OperationId() : answer->in[InA].operations.rows[std::size_t(operation)].id,
                         step.node.id);
  });
  connect(&m_steps->view(), &tables::TableView::idActivated, this, [this] { emit viewRequested(QStringLiteral("trace")); });
}

OperationsView::~OperationsView() = default;

// Lists the fixed groupings, then the layers of the reports. The data of an item is the value in the settings.
void OperationsView::listGroupings() {
  const QSignalBlocker quiet(m_grouping);
  const QVariant wanted = settings().value("operations/grouping", "all");
  m_grouping->clear();
  const auto add = [this](const QString& title, const QString& id, Rows rows) {
    m_grouping->addItem(title, id);
    m_grouping->setItemData(m_grouping->count() - 1, int(rows), kRowsRole); // layer names are free text, so the data has the rows
  };
  add(tr("Every operation"), QStringLiteral("all"), Rows::All);
  add(tr("Tree of names"), QStringLiteral("tree"), Rows::Tree);
  const auto answer = m_job.result();
  if (answer && (answer->in[InA].isOnSeveralIpus || answer->in[InB].isOnSeveralIpus))
    add(tr("By IPU, or stage"), QStringLiteral("ipu"), Rows::ByIpu);
  add(tr("By kind"), QStringLiteral("kind"), Rows::ByKind);
  QStringList layers; // of both reports
  for (const Report report : {InA, InB})
    for (const std::string& layer : answer ? answer->in[report].layers : std::vector<std::string>())
      if (const QString id = QString::fromStdString(layer); !layers.contains(id)) {
        layers << id;
        add(reportText(analyser::operations::layerTitle(layer)), id, Rows::Layer);
      }
  m_grouping->setCurrentIndex(std::max(0, m_grouping->findData(wanted)));
}

Rows OperationsView::rows() const { return Rows(m_grouping->currentData(kRowsRole).toInt()); }

std::string OperationsView::chosenLayer() const { return m_grouping->currentData().toString().toStdString(); }

void OperationsView::widen() { m_treeFilter->clear(); }

void OperationsView::forgetReport() {
  View::forgetReport();
  m_wanted.reset();
  m_treeFilter->clear();
}

void OperationsView::setSessions(shell::SessionPointer base, shell::SessionPointer other) {
  work().drop();
  m_reports = {base, other};
  m_maker->showContext(nullptr, {});
  m_graph->setData(nullptr);
  m_tiles->setOperations({});
  m_try->setSession(other ? nullptr : base);
  m_try->setVisible(!other);
  m_pairing->setVisible(m_reports.areTwo());
  m_selected = -1, m_kept = {}, m_rows = {};
  page().clearVerdict();
  if (!base) return showNoReport(tr("Operations need a report."));
  m_tiles->setTilesPerIpu(m_reports.machine().tilesPerIpu);
  showRoofs();
  read();
}

const analyser::Machine& OperationsView::machineOf(Report report) const {
  return (report == InA ? m_reports.base() : m_reports.other())->machine();
}

void OperationsView::read() {
  if (!m_reports) return;
  page().showLoading(tr("Reading operations"));
  m_job.start([reports = m_reports, rules = state().notes().pairing()](
                  const std::stop_token& stop, reports::Progress&) { return readOperations(reports, rules, stop); },
              [this](const OperationsAnswer&) {
                keepSelection(); // the selection is of the old rows
                listGroupings();
                show();
                follow();
                takeTab();
                if (m_selected < 0) selectLargest();
              },
              [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { read(); }); });
}

void OperationsView::readRowsOfLayer(const std::string& layer) {
  m_layerJob.start(
      [reports = m_reports, layer](const std::stop_token& stop, reports::Progress&) { return readLayer(reports, layer, stop); },
      [this](const LayerAnswer&) {
        keepSelection(); // the selection is of the old rows
        show();
      },
      [this](const reports::Error& error) {
        page().setBanner(tr("The layer could not be read: %1").arg(messageText(error.what())), shell::Tone::Bad);
      });
}

void OperationsView::show() {
  const auto answer = m_job.result();
  if (!answer) return;
  const auto& [a, b] = answer->in;
  if (a.operations.rows.empty() && b.operations.rows.empty() && rows() != Rows::Layer) {
    page().setVerdict(a.operations.verdict);
    return page().showEmpty(tr("This report names no operations"),
                            tr("Its program was built by hand, without a model or library calls."), tr("Show the program tree"),
                            [this] { emit viewRequested(QStringLiteral("program")); });
  }
  const auto verdict = [](const auto& both, const auto& inA, const auto& inB, const std::string& what) {
    return both ? analyser::compare::operationsVerdict(both->pairs, inA, inB, what) : inA.verdict;
  };
  if (rows() == Rows::Layer) {
    const auto layer = m_layerJob.result();
    if (!layer || layer->name != chosenLayer()) return readRowsOfLayer(chosenLayer()); // old rows stay until the layer is read
    m_rows = rowsOf(*layer);
    page().setVerdict(verdict(layer->both, layer->in[InA].operations, layer->in[InB].operations,
                              analyser::lowerFirst(analyser::operations::layerTitle(layer->name))));
  } else {
    m_rows = rowsOf(*answer, rows());
    page().setVerdict(verdict(answer->both, a.operations, b.operations, "operations"));
  }
  if (m_selected >= int64_t(m_rows.size())) m_selected = -1;
  const auto haveSteps = [this](Report report) {
    const auto steps = stepsOfRows(report);
    return steps && !steps->empty();
  };
  shell::setTabShown(*page().tabs(), m_steps, haveSteps(InA) || haveSteps(InB));
  shell::setTabShown(*page().tabs(), m_tiles, haveSteps(InA) || haveSteps(InB));
  if (m_selected < 0) m_selected = rowOfKept();
  showTable();
  showPicture();
  if (m_selected < 0) selectLargest();
  showSteps();
  page().showContent();
  emit selectionTextChanged();
}

void OperationsView::showTable() {
  m_lists->setCurrentIndex(isTree() ? 1 : 0);
  if (isTree()) {
    m_tree->setFormat(format());
    m_tree->setTree(rowTree(m_rows, m_columns), rows() == Rows::ByIpu ? kOpenIpus : kOpenLevels);
    m_tree->selectId(m_selected);
    return;
  }
  m_table->view().setFormat(format());
  m_table->setTable(rowTable(m_rows, rows() == Rows::All ? tr("Operation") : m_grouping->currentText(), m_columns));
  m_table->view().selectIds({m_selected});
}

// Sorts the table like the bars. Another order chosen by the user stays until another plot is chosen. Rows of two reports have
// their own order, the largest change first.
void OperationsView::sortLikePicture() {
  if (m_sortedLike == m_state.picture || m_state.picture == Picture::Roofline || m_state.picture == Picture::Graph) return;
  m_sortedLike = m_state.picture;
  m_table->view().sortBy(m_state.picture == Picture::Waste ? QStringLiteral("wasted") : QStringLiteral("cycles"),
                         Qt::DescendingOrder);
}

// Disables plots that these rows do not have; the user's choice comes back with rows that have it.
void OperationsView::offerPictures() {
  // Vertices exchange nothing themselves, so they have no position in a roofline over exchanged bytes.
  const auto isOffered = [this](Picture picture) {
    if (picture == Picture::Graph) return !m_reports.areTwo(); // a graph shows the flow in one program
    return picture != Picture::Roofline || (chosenLayer() != analyser::operations::kVertexTypes && m_roofline->hasRoofs());
  };
  for (const Picture picture : {Picture::Roofline, Picture::Graph})
    static_cast<QStandardItemModel*>(m_pictures->model())->item(int(picture))->setEnabled(isOffered(picture));
  if (m_wanted && isOffered(*m_wanted))
    m_pictures->setCurrentIndex(int(*m_wanted)), m_wanted.reset();
  else if (const Picture shown = m_state.picture; !isOffered(shown))
    m_wanted = shown, m_pictures->setCurrentIndex(int(Picture::Cycles));
}

void OperationsView::showPicture() {
  offerPictures();
  m_plots->setCurrentIndex(m_state.picture == Picture::Roofline ? 1 : m_state.picture == Picture::Graph ? 2 : 0);
  showLegend();
  m_colours->setVisible(m_state.picture == Picture::Graph);
  m_levels->setVisible(m_state.picture == Picture::Graph);
  sortLikePicture();
  page().limitPlot(QWIDGETSIZE_MAX); // a height for few bars is too low for another plot
  if (m_state.picture == Picture::Graph) return showGraph();
  if (m_state.picture == Picture::Roofline) return showRoofline();
  m_bars->setBars(topBars(m_rows.in[InA], m_state.picture == Picture::Waste ? Measure::Waste : Measure::Cycles, kBars, theme(),
                          format(), rows() == Rows::ByIpu, m_rows.in[InB]));
  m_bars->setSelectedId(m_selected);
  page().limitPlot(m_bars->sizeHint().height() + theme::kMargin); // bars for one operation do not need half of the page
}

// Lists only activities of the rows; host time occurs in few reports.
void OperationsView::showLegend() {
  const auto answer = m_job.result();
  m_legend->setVisible(m_state.picture == Picture::Cycles || m_state.picture == Picture::Waste);
  if (!answer) return;
  // The rows of a layer, e.g. vertex types, have other activities than operations.
  const auto layer = rows() == Rows::Layer ? m_layerJob.result() : nullptr;
  const bool isLayer = layer && layer->name == chosenLayer();
  const auto totalsOf = [&](Report report) -> const analyser::operations::Operation& {
    return isLayer ? layer->in[report].operations.totals : answer->in[report].operations.totals;
  };
  const auto &a = totalsOf(InA), &b = totalsOf(InB);
  std::vector<plot::LegendEntry> entries;
  if (m_state.picture == Picture::Waste) {
    for (int k = 1; k < analyser::trace::kTileTimes; ++k) {
      const auto kind = analyser::trace::TileTime(k);
      if (a.tileCycles[kind] > 0 || b.tileCycles[kind] > 0)
        entries.push_back(
            {shell::wasteTitle(kind), {}, [this, kind] { return shell::tileTimeColour(theme(), kind); }, plot::Mark::Area, true});
    }
  } else {
    const auto isAny = [&](auto amountOf) { return amountOf(a) > 0 || amountOf(b) > 0; };
    const bool isBetween = isAny([](const auto& totals) { return totals.betweenIpus; });
    for (const auto& [title, activity, isThere] :
         {std::tuple{tr("Compute with on-tile copies"), Activity::Compute,
                     isAny([](const auto& totals) { return totals.compute.value(); })},
          {isBetween ? tr("Internal exchange") : tr("Exchange"), Activity::InternalExchange,
           isAny([](const auto& totals) { return totals.exchange.value(); })},
          {tr("Global exchange"), Activity::GlobalExchange, isBetween},
          {tr("Sync"), Activity::Sync, isAny([](const auto& totals) { return totals.sync.value(); })},
          {tr("Host"), Activity::HostStream, isAny([](const auto& totals) { return totals.host.value(); })}})
      if (isThere)
        entries.push_back(
            {title, {}, [this, activity = activity] { return theme().activity(activity); }, plot::Mark::Area, true});
  }
  if (m_rows.areOfTwo()) entries.push_back({tr("A"), {}, [this] { return theme().tokens().text; }, plot::Mark::Line, true});
  m_legend->setEntries(std::move(entries));
}

TileTab::Steps OperationsView::stepsOfRows(Report report) const {
  if (rows() != Rows::Layer) {
    const auto answer = m_job.result();
    return answer ? TileTab::Steps(answer, &answer->in[report].steps) : nullptr;
  }
  const auto layer = m_layerJob.result();
  return layer && layer->name == chosenLayer() ? TileTab::Steps(layer, &layer->in[report].steps) : nullptr;
}

void OperationsView::showSteps() {
  if (!m_job.result()) return;
  m_steps->view().setFormat(format());
  std::vector<TileTab::OfReport> reports{{m_reports.baseWorker(), stepsOfRows(InA), selectedMembers(InA)}};
  if (m_reports.areTwo()) reports.push_back({m_reports.otherWorker(), stepsOfRows(InB), selectedMembers(InB)});
  const auto tableOf = [](const TileTab::OfReport& of) { return of.steps ? stepTable(*of.steps, of.members) : nullptr; };
  m_steps->setTable(m_reports.areTwo() ? tables::paired(tableOf(reports[InA]), tableOf(reports[InB]), {QStringLiteral("step")})
                                       : tableOf(reports[InA]));
  m_tiles->setFormat(format());
  m_tiles->setSelected(state().tiles());
  const bool isType = chosenLayer() == analyser::operations::kVertexTypes && m_selected >= 0;
  m_tiles->setOperations(std::move(reports), isType ? m_rows.shown(m_selected).values.name : std::string());
  showMaker();
}

// For a finding about waste, shows the bars of waste; for a share of the peak, the roofline.
void OperationsView::takeTab() {
  if (!m_job.result() || !isVisible()) return;
  const auto request = state().messages().take<shell::ShowTab>(QStringLiteral("operations"));
  if (!request || (request->tab != QLatin1String("waste") && request->tab != QLatin1String("roofline"))) return;
  const int picture = int(request->tab == QLatin1String("waste") ? Picture::Waste : Picture::Roofline);
  if (!m_pictures->model()->flags(m_pictures->model()->index(picture, 0)).testFlag(Qt::ItemIsEnabled)) return;
  m_pictures->setCurrentIndex(picture);
  page().tabs()->setCurrentWidget(m_lists);
  showPicture();
}

bool OperationsView::focusFilter() {
  page().tabs()->setCurrentWidget(m_lists);
  (isTree() ? m_treeFilter : &m_table->filter())->setFocus(Qt::ShortcutFocusReason);
  return true;
}

} // namespace ui::operations
