#include "ui/views/compare/compare_view.h"

#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/job_link.h"
#include "ui/shell/page.h"
#include "ui/shell/report_text.h"
#include "ui/shell/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/views/compare/compare_tables.h"
#include "ui/views/compare/program_pair.h"
#include "ui/views/compare/trace_pair.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace ui::compare {

using shell::reportText;

namespace {
constexpr std::size_t kCopiedRows = 10;

QString nameOf(const analyser::ReportIdentity& identity) {
  const QString title = reportText(identity.title), file = reportText(identity.fileName);
  return title.isEmpty() ? file : QStringLiteral("%1 · %2").arg(title, file);
}

std::shared_ptr<const std::vector<int64_t>> valuesOf(const std::vector<reports::Bytes>& bytes) {
  auto values = std::make_shared<std::vector<int64_t>>();
  values->reserve(bytes.size());
  for (const auto b : bytes) values->push_back(b.value());
  return values;
}

reports::Bytes largest(const std::vector<reports::Bytes>& bytes) {
  return bytes.empty() ? reports::Bytes(0) : *std::max_element(bytes.begin(), bytes.end());
}
} // namespace

CompareView::CompareView(const shell::ViewParts& parts) : View(parts), m_job(tr("Comparing the reports"), &parts.jobs) {
  page().addHeaderRow(buildHeader());
  m_tabs = new QTabWidget;
  m_tabs->setDocumentMode(true);
  m_tabs->addTab(m_findings = new tables::FilteredTable(theme(), tr("Causes of the change")), tr("Causes"));
  m_tabs->addTab(m_totals = new tables::TableView(theme(), tr("Totals of both reports")), tr("Totals"));
  m_memory = addOverlay(tr("Memory per tile of both reports"), tr("Memory"));
  m_liveness = addOverlay(tr("Memory alive per step of both reports"), tr("Liveness"));
  m_tabs->addTab(m_operations = new tables::FilteredTable(theme(), tr("Operations that differ")), tr("Operations"));
  m_tabs->addTab(m_variables = new tables::FilteredTable(theme(), tr("Variables that differ")), tr("Variables"));
  m_tabs->addTab(m_categories = new tables::TableView(theme(), tr("Memory by category of both reports")), tr("Categories"));
  m_tabs->addTab(m_settings = new tables::FilteredTable(theme(), tr("Settings that differ")), tr("Settings"));
  m_tabs->addTab(m_program = new ProgramPair(theme(), jobs()), tr("Program"));
  m_tabs->addTab(m_trace = new TracePair(theme(), jobs()), tr("Trace"));
  page().setBody(m_tabs);
  page().addToolAction(QStringLiteral("copy"), tr("Copy"), tr("Copy the comparison as Markdown, for a message or a pull request"),
                       [this] { copyText(); });
  shell::linkMainJob(*this, page(), m_job, [this] { read(); });
  connect(&m_operations->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    m_operation = ids.empty() ? -1 : ids.front();
    emit selectionTextChanged();
  });
}

CompareView::~CompareView() = default;

QColor CompareView::sourceColour() const { return theme().series(0); }
QColor CompareView::targetColour() const { return theme().series(1); }

QWidget* CompareView::buildHeader() {
  auto* header = new QWidget;
  auto* row = new QHBoxLayout(header);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(theme::kGrid);
  const auto side = [&](const QString& role, shell::ElidedLabel*& name) {
    auto* caption = theme::plainLabel(role);
    caption->setProperty("role", "secondary");
    name = new shell::ElidedLabel(role);
    row->addWidget(caption);
    row->addWidget(name, 1);
  };
  side(tr("A, base"), m_source); // the letters of the two names at the top; a change is B − A
  side(tr("B, other"), m_target);
  return header;
}

CompareView::Overlay CompareView::addOverlay(const QString& name, const QString& title) {
  Overlay overlay{new QWidget, new plot::Legend(theme()), new plot::StepPlot(theme(), name)};
  auto* column = new QVBoxLayout(overlay.page);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kHalf);
  column->addWidget(overlay.legend);
  column->addWidget(overlay.plot, 1);
  connect(overlay.legend, &plot::Legend::shownChanged, this,
          [overlay] { overlay.plot->setCurvesShown(overlay.legend->shown()); });
  m_tabs->addTab(overlay.page, title);
  return overlay;
}

void CompareView::setSessions(shell::SessionPointer base, shell::SessionPointer other) {
  m_job.cancel(), m_job.forget();
  m_base = base, m_other = other, m_operation = -1;
  m_baseWorker = base ? std::make_shared<shell::WorkerSession>(base) : nullptr;
  m_otherWorker = other ? std::make_shared<shell::WorkerSession>(other) : nullptr;
  page().clearVerdict();
  m_trace->setSessions(base, other);
  m_program->setSessions(m_baseWorker, m_otherWorker);
  for (auto [label, session] : {std::pair{m_source, base}, {m_target, other}}) {
    label->setWhole(session ? nameOf(session->identity()) : tr("none"),
                    session ? reportText(session->identity().path) : QString());
  }
  if (!base || !other)
    return page().showEmpty(tr("Two reports are needed"), tr("Open a second report to see what changed between them."),
                            tr("Go to the start page"), [this] { emit viewRequested(QStringLiteral("home")); });
  read();
}

void CompareView::read() {
  if (!m_baseWorker || !m_otherWorker) return;
  page().showLoading(tr("Comparing the reports"));
  m_job.start(
      [base = m_baseWorker, other = m_otherWorker](const std::stop_token& stop, reports::Progress&) {
        return base->use([&](analyser::Session& source) {
          return other->use([&](analyser::Session& target) {
            Answer answer{analyser::compare::compare(source, target, stop),
                          analyser::compare::curves(source, target, stop),
                          {}, {}, {}, {}, {}, {}};
            const QString from = nameOf(answer.comparison.base), to = nameOf(answer.comparison.other);
            answer.totals = figureTable(answer.comparison.totals, from, to);
            answer.categories = figureTable(answer.comparison.memoryByCategory, from, to);
            answer.operations = operationTable(answer.comparison.operations);
            answer.findings = findingTable(answer.comparison);
            answer.variables = variableTable(answer.comparison.variables);
            answer.settings = textTable(answer.comparison, from, to);
            return answer;
          });
        });
      },
      [this](const Answer&) { show(); },
      [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { read(); }); });
}

void CompareView::show() {
  const auto answer = m_job.result();
  if (!answer) return;
  page().setVerdict(answer->comparison.verdict);
  QStringList notCompared;
  for (const std::string& words : answer->comparison.notCompared) notCompared.append(reportText(words));
  notCompared.isEmpty() ? page().clearBanner() : page().setBanner(tr("Not compared: %1.").arg(notCompared.join("; ")), shell::Tone::Neutral);
  for (tables::TableView* view : {m_totals, m_categories, &m_findings->view(), &m_operations->view(), &m_variables->view(),
                                  &m_settings->view()})
    view->setFormat(format());
  m_trace->setFormat(format());
  m_program->setFormat(format());
  m_findings->setTable(answer->findings);
  m_variables->setTable(answer->variables);
  m_totals->setTable(answer->totals);
  m_categories->setTable(answer->categories);
  m_operations->setTable(answer->operations);
  m_settings->setTable(answer->settings);
  m_tabs->setTabText(m_tabs->indexOf(m_operations),
                     tr("Operations (%1)").arg(theme::count(int64_t(answer->operations->rows.size()))));
  m_tabs->setTabText(m_tabs->indexOf(m_variables),
                     tr("Variables (%1)").arg(theme::count(int64_t(answer->variables->rows.size()))));
  m_tabs->setTabText(m_tabs->indexOf(m_settings),
                     tr("Settings (%1)").arg(theme::count(int64_t(answer->settings->rows.size()))));
  const auto& c = answer->curves;
  showOverlay(m_memory, c.baseMemory.total.values, c.otherMemory.total.values, tr("Tile"),
              std::max(c.baseMemory.capacity, c.otherMemory.capacity));
  showOverlay(m_liveness, c.baseLiveness.curve.notAlwaysLive, c.otherLiveness.curve.notAlwaysLive, tr("Program step"),
              reports::Bytes(0));
  page().showContent();
}

void CompareView::showOverlay(const Overlay& overlay, const std::vector<reports::Bytes>& source,
                              const std::vector<reports::Bytes>& target, const QString& axis, reports::Bytes limit) {
  const auto entry = [this](const QString& title, const std::vector<reports::Bytes>& values, std::function<QColor()> colour) {
    return plot::LegendEntry{title, tr("most %1").arg(format().bytes(largest(values))), std::move(colour), plot::Mark::Line,
                             false};
  };
  overlay.legend->setEntries({entry(tr("A"), source, [this] { return sourceColour(); }),
                              entry(tr("B"), target, [this] { return targetColour(); })});
  overlay.plot->setFormat(format());
  overlay.plot->setAxes(axis, int64_t(std::max(source.size(), target.size())),
                        limit.value() > 0 ? tr("Memory, without gaps") : tr("Memory not always live"), plot::ValueKind::Bytes);
  overlay.plot->setCurves({{tr("A"), [this] { return sourceColour(); }, valuesOf(source), false, true},
                           {tr("B"), [this] { return targetColour(); }, valuesOf(target), false, false}});
  overlay.plot->setCurvesShown(overlay.legend->shown());
  const reports::Bytes most = std::max(largest(source), largest(target));
  if (limit.value() > 0)
    overlay.plot->setLimit(limit.value(), tr("tile memory %1").arg(format().bytes(limit)), ratio(most, limit) > 0.2);
  overlay.plot->setCard([this, axis, source, target](int64_t position) { return positionCard(axis, position, source, target); });
}

plot::Card CompareView::positionCard(const QString& what, int64_t position, const std::vector<reports::Bytes>& source,
                                     const std::vector<reports::Bytes>& target) const {
  plot::Card card;
  const auto at = std::size_t(std::max<int64_t>(0, position));
  card.title = QStringLiteral("%1 %2").arg(what, theme::count(position));
  const auto text = [&](const std::vector<reports::Bytes>& values) {
    return at < values.size() ? format().bytesExact(values[at]) : tr("not there");
  };
  card.rows.push_back({tr("A"), text(source), sourceColour()});
  card.rows.push_back({tr("B"), text(target), targetColour()});
  if (at < source.size() && at < target.size())
    card.rows.push_back({tr("B − A"), format().bytesDelta(target[at] - source[at]), {}});
  return card;
}

void CompareView::copyText() {
  if (const auto answer = m_job.result())
    QGuiApplication::clipboard()->setText(
        QString::fromStdString(analyser::compare::comparisonText(answer->comparison, analyser::compare::TextFormat::Markdown, kCopiedRows)));
}

QString CompareView::selectionText() const {
  const auto answer = m_job.result();
  if (!answer || m_operation < 0 || std::size_t(m_operation) >= answer->comparison.operations.size()) return {};
  const auto& o = answer->comparison.operations[std::size_t(m_operation)];
  return tr("%1: %2, %3").arg(reportText(o.name), format().cyclesDelta(o.cycles()), format().bytesDelta(o.bytes()));
}

bool CompareView::focusFilter() {
  m_tabs->setCurrentWidget(m_operations);
  m_operations->filter().setFocus(Qt::ShortcutFocusReason);
  return true;
}

} // namespace ui::compare
