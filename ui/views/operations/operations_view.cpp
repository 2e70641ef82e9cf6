#include "ui/views/operations/operations_view.h"

#include "ui/plot/legend.h"
#include "ui/shell/job_link.h"
#include "ui/shell/page.h"
#include "ui/shell/report_text.h"
#include "ui/shell/settings.h"
#include "ui/shell/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QLineEdit>
#include <QScrollArea>
#include <QTabWidget>

#include <tuple>

namespace ui::operations {

using reports::Activity;
using shell::reportText;

namespace {
constexpr std::size_t kBars = 40;
constexpr int kCyclesColumn = 2;
} // namespace

OperationsView::OperationsView(const shell::ViewParts& parts) : View(parts), m_job(tr("Reading operations"), &parts.jobs) {
  m_grouping = new QComboBox;
  m_grouping->addItems({tr("Every operation"), tr("By kind"), tr("By layer")});
  m_grouping->setAccessibleName(tr("Grouping"));
  m_grouping->setCurrentIndex(std::clamp(settings().value("operations/grouping", 0).toInt(), 0, 2));
  page().addTool(m_grouping);
  page().addHeaderRow(m_legend = new plot::Legend(theme()));
  auto* scroll = new QScrollArea;
  scroll->setProperty("role", "card");
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(m_bars = new plot::BarList(theme(), tr("Costliest operations")));
  page().setPlot(scroll, 0.45);
  buildTabs();
  shell::linkMainJob(*this, page(), m_job, [this] { read(); });
  connect(m_grouping, &QComboBox::activated, this, [this](int index) {
    settings().setValue("operations/grouping", index);
    m_selected = -1;
    show();
    selectCostliest();
  });
  connect(m_bars, &plot::BarList::barClicked, this, [this](int64_t entry) { select(entry, true); });
  connect(&state(), &shell::ViewState::stepChanged, this, &OperationsView::followStep);
}

void OperationsView::buildTabs() {
  page().tabs()->addTab(m_table = new tables::FilteredTable(theme(), tr("Operations")), tr("Operations"));
  m_table->view().sortBy(kCyclesColumn, Qt::DescendingOrder);
  page().tabs()->addTab(m_steps = new tables::FilteredTable(theme(), tr("Program steps of the operation")), tr("Program steps"));
  connect(&m_table->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    if (!ids.empty()) select(ids.front(), true);
  });
  connect(&m_steps->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    const auto answer = m_job.result();
    if (answer && !ids.empty() && std::size_t(ids.front()) < answer->steps.size())
      state().setStep(answer->steps[std::size_t(ids.front())].node.id);
  });
  connect(&m_steps->view(), &tables::TableView::idActivated, this, [this] { emit viewRequested(QStringLiteral("trace")); });
}

OperationsView::~OperationsView() = default;

void OperationsView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  m_job.cancel(), m_job.forget();
  m_worker = base ? std::make_shared<shell::WorkerSession>(base) : nullptr;
  m_selected = -1, m_entries.clear();
  page().clearVerdict();
  if (!base) return showNoReport(tr("Operations need a report."));
  read();
}

void OperationsView::read() {
  if (!m_worker) return;
  page().showLoading(tr("Reading operations"));
  m_job.start(
      [worker = m_worker](const std::stop_token& stop, reports::Progress&) {
        return worker->use([&](analyser::Session& session) {
          Answer answer{analyser::operations::operations(session, stop), {}};
          answer.steps = analyser::operations::operationSteps(session, answer.operations, stop);
          return answer;
        });
      },
      [this](const Answer&) {
        show();
        followStep(state().step());
        if (m_selected < 0) selectCostliest();
      },
      [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { read(); }); });
}

// Of what the operations do: few reports have host time in them.
void OperationsView::showLegend(const analyser::operations::Operation& totals) {
  std::vector<plot::LegendEntry> entries;
  for (const auto& [title, activity, cycles] : {std::tuple{tr("Compute"), Activity::Compute, totals.compute},
                                                {tr("Exchange"), Activity::InternalExchange, totals.exchange},
                                                {tr("Sync"), Activity::Sync, totals.sync},
                                                {tr("Host"), Activity::HostStream, totals.host}})
    if (cycles.value() > 0)
      entries.push_back({title, {}, [this, activity = activity] { return theme().activity(activity); }, plot::Mark::Area, true});
  m_legend->setEntries(std::move(entries));
}

void OperationsView::show() {
  const auto answer = m_job.result();
  if (!answer) return;
  const auto& operations = answer->operations;
  page().setVerdict(operations.verdict);
  showLegend(operations.totals);
  if (operations.rows.empty())
    return page().showEmpty(tr("This report names no operations"),
                            tr("Its program was built from compute sets alone, without a model or library calls."),
                            tr("Show the program tree"), [this] { emit viewRequested(QStringLiteral("program")); });
  const auto grouping = Grouping(m_grouping->currentIndex());
  m_entries = entriesOf(operations, grouping);
  m_bars->setBars(topBars(m_entries, kBars, theme(), format()));
  m_table->view().setFormat(format());
  m_table->setTable(entryTable(m_entries, grouping));
  m_bars->setSelectedId(m_selected);
  page().limitPlot(m_bars->sizeHint().height() + theme::kMargin); // one operation needs no half of the page
  // A group has no steps of its own.
  page().tabs()->setTabVisible(page().tabs()->indexOf(m_steps), grouping == Grouping::None && !answer->steps.empty());
  showSteps();
  page().showContent();
}

void OperationsView::select(int64_t entry, bool tell) {
  if (entry < 0 || std::size_t(entry) >= m_entries.size() || entry == m_selected) return;
  m_selected = entry;
  m_bars->setSelectedId(entry);
  m_table->view().selectIds({entry});
  showSteps();
  emit selectionTextChanged();
  if (!tell || Grouping(m_grouping->currentIndex()) != Grouping::None) return;
  // What other views show of an operation is its costliest step.
  const analyser::operations::OperationStep* costliest = nullptr;
  for (const auto& step : m_job.result()->steps)
    if (step.operation == int(entry) && (!costliest || step.node.cycles > costliest->node.cycles)) costliest = &step;
  if (costliest) state().setStep(costliest->node.id);
}

void OperationsView::selectCostliest() {
  const auto costliest = std::max_element(m_entries.begin(), m_entries.end(),
                                          [](const Entry& a, const Entry& b) { return a.values.total < b.values.total; });
  select(costliest - m_entries.begin(), false);
}

void OperationsView::showSteps() {
  const auto answer = m_job.result();
  if (!answer) return;
  m_steps->view().setFormat(format());
  m_steps->setTable(stepTable(answer->steps, int(m_selected), theme().isDark()));
}

// The operation a step selected elsewhere belongs to; its other steps are beside it in the table.
void OperationsView::followStep(reports::ProgramStepId step) {
  const auto answer = m_job.result();
  if (!answer || !step.valid() || Grouping(m_grouping->currentIndex()) != Grouping::None) return;
  for (std::size_t i = 0; i < answer->steps.size(); ++i)
    if (answer->steps[i].node.id == step) {
      select(answer->steps[i].operation, false);
      m_steps->view().selectIds({int64_t(i)});
      return;
    }
}

QString OperationsView::selectionText() const {
  if (m_selected < 0 || std::size_t(m_selected) >= m_entries.size()) return {};
  const auto& v = m_entries[std::size_t(m_selected)].values;
  return tr("%1: %2, %3 of all operations").arg(reportText(v.name), format().cycles(v.total), theme::percent(v.share));
}

bool OperationsView::focusFilter() {
  m_table->filter().setFocus(Qt::ShortcutFocusReason);
  return true;
}

} // namespace ui::operations
