#include "ui/views/program/program_view.h"

#include "analyser/program/model_layers.h"
#include "ui/parts/debug_rows.h"
#include "ui/parts/elided_label.h"
#include "ui/parts/page.h"
#include "ui/parts/search_tools.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/tables/typed_pattern.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QActionGroup>
#include <QLabel>
#include <QMenu>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace ui::program {

using theme::reportText;

namespace {
constexpr int kExpanded = 4; // levels open at first
// The leaf with the most cycles: the initial selection.
int costliestLeaf(const analyser::program::Program& program) {
  int best = -1;
  for (std::size_t i = 0; i < program.nodes.size(); ++i)
    if (program.nodes[i].children == 0 && (best < 0 || program.nodes[i].cycles > program.nodes[std::size_t(best)].cycles))
      best = int(i);
  return best;
}

// Nodes are in depth-first order, so the nodes inside one follow it.
std::optional<StepsInside> insideOf(const analyser::program::Program& program, int node) {
  const auto& outer = program.nodes[std::size_t(node)];
  if (outer.children == 0 && !outer.callee.valid()) return std::nullopt;
  StepsInside inside{0, outer.cycles, outer.inclusive, program.total.value() > 0 ? ratio(outer.cycles, program.total) : 0};
  for (auto n = std::size_t(node) + 1; n < program.nodes.size() && program.nodes[n].depth > outer.depth; ++n) ++inside.steps;
  return inside;
}
} // namespace

ProgramView::ProgramView(const shell::ViewParts& parts)
    : View(parts), m_job(tr("Reading the program"), &parts.jobs), m_stepJob(tr("Reading a step"), &parts.jobs) {
  buildTools();
  auto* split = new QSplitter(Qt::Horizontal);
  split->setChildrenCollapsible(false);
  auto* lists = m_lists = new QTabWidget;
  lists->setAccessibleName(tr("Lists of the program"));
  lists->setDocumentMode(true);
  auto* steps = new QWidget;
  auto* column = new QVBoxLayout(steps);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_tree = new tables::TreeView(theme(), tr("Program")), 1);
  auto* notes = new QHBoxLayout;
  notes->addWidget(m_marked = new shell::ElidedLabel(tr("Marked steps")), 1);
  m_marked->setProperty("role", "secondary");
  notes->addWidget(tables::leftOutNote(*m_tree));
  column->addLayout(notes);
  lists->addTab(steps, tr("Steps"));
  lists->addTab(m_roots = new tables::FilteredTable(theme(), tr("Programs and functions")), tr("Programs and functions"));
  fields().tabs("list", *lists, {{steps, "steps"}, {m_roots, "functions"}});
  fields().table("functions", *m_roots);
  split->addWidget(lists);
  split->addWidget(m_panel = new StepPanel(theme()));
  m_panel->addFields(fields());
  split->setStretchFactor(0, 3), split->setStretchFactor(1, 1); // long names can use every pixel
  split->setSizes({640, 380});
  lists->setMinimumWidth(380), m_panel->setMinimumWidth(320);
  page().setBody(split);
  setMainJob(m_job, [this] { read(); });
  work().add({&m_stepJob});
  connect(m_tree, &tables::TreeView::idSelected, this, [this](int64_t node) { selectNode(int(node), true); });
  connect(&m_roots->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& nodes) {
    if (!nodes.empty()) selectNode(int(nodes.front()), true);
  });
  connect(&m_roots->view(), &tables::TableView::idActivated, this, [lists] { lists->setCurrentIndex(0); });
  connect(m_tree, &tables::TreeView::idActivated, this, [this](int64_t node) {
    const auto answer = m_job.result();
    if (!answer || node < 0 || node >= int64_t(answer->program.nodes.size())) return;
    const auto callee = answer->program.nodes[std::size_t(node)].callee;
    if (callee.valid()) selectNode(answer->program.indexOf(callee), true);
  });
  connect(m_panel, &StepPanel::tileClicked, this, [this](int tile) { state().setTiles({reports::TileId(std::size_t(tile))}); });
  connect(m_panel, &StepPanel::sourceActivated, this, &ProgramView::openSource);
  connect(m_panel, &StepPanel::variableSelected, this,
          [this](int64_t variable) { state().setVariable(reports::VariableId(std::size_t(variable))); });
  connect(&state(), &shell::ViewState::stepChanged, this, [this](reports::ProgramStepId step) {
    const auto answer = m_job.result();
    const int node = answer && step.valid() ? answer->program.indexOf(step) : -1;
    if (node >= 0 && node != m_node) selectNode(node, false);
  });
}

ProgramView::~ProgramView() = default;

void ProgramView::buildTools() {
  m_search = new shell::SearchTools(page(), theme(), tr("Search for steps"));
  fields().text("search", m_search->field());
  connect(m_search, &shell::SearchTools::edited, this, &ProgramView::search);
  const auto showSteps = [this] {
    if (!m_search->text().isEmpty()) m_lists->setCurrentIndex(0); // matches are steps
  };
  connect(m_search, &shell::SearchTools::edited, this, showSteps);
  connect(m_search, &shell::SearchTools::asked, this, showSteps);
  connect(m_search, &shell::SearchTools::left, this, [this] { m_tree->setFocus(Qt::OtherFocusReason); });
  connect(m_search, &shell::SearchTools::asked, this, [this](bool forward) { goToMatch(forward ? 1 : -1); });
  auto* colours = new QActionGroup(this);
  QAction* byType = colours->addAction(page().viewMenu()->addAction(tr("Colour by step type")));
  m_byLayer = colours->addAction(page().viewMenu()->addAction(tr("Colour by model layer")));
  byType->setData("type"), m_byLayer->setData("layer");
  for (QAction* colour : colours->actions()) colour->setCheckable(true);
  byType->setChecked(true);
  fields().actions("colour", *colours);
  connect(m_byLayer, &QAction::toggled, this, &ProgramView::recolour);
}

ColourBy ProgramView::colourBy() const { return m_byLayer->isChecked() ? ColourBy::Layer : ColourBy::StepType; }

void ProgramView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  work().drop();
  m_worker = base ? std::make_shared<shell::WorkerSession>(base) : nullptr;
  m_node = -1;
  m_marked->setWhole({});
  page().clearVerdict();
  page().clearBanner();
  if (!base) return showNoReport(tr("The program tree needs a report."));
  read();
}

void ProgramView::read() {
  if (!m_worker) return;
  if (!m_job.result()) page().showLoading(tr("Reading the program"));
  m_job.start(
      [worker = m_worker, by = colourBy()](const std::stop_token& stop, reports::Progress&) {
        return worker->use([&](analyser::Session& session) {
          Answer answer{analyser::program::programTree(session, stop), nullptr, nullptr};
          answer.roots = rootTable(answer.program);
          answer.tree = programTree(answer.program, by);
          return answer;
        });
      },
      [this](const Answer& answer) { show(answer); },
      [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { read(); }); });
}

void ProgramView::show(const Answer& answer) {
  if (answer.program.nodes.empty())
    return page().showEmpty(tr("This report holds no program"), tr("Only reports of a compiled program have steps."));
  page().setVerdict(answer.program.verdict, answer.program.issues.empty() ? shell::Tone::Neutral : shell::Tone::Warning);
  if (!answer.program.issues.empty()) page().setBanner(reportText(answer.program.issues.front()), shell::Tone::Warning);
  m_byLayer->setEnabled(!analyser::program::layersOf(answer.program).empty());
  m_tree->setFormat(format());
  m_tree->setTree(answer.tree, kExpanded);
  m_roots->view().setFormat(format());
  m_roots->setTable(answer.roots);
  if (m_tree->rows().isFlattened())
    page().setBanner(tr("Steps are nested deeper than %1 levels. Deeper ones are listed under the last of these.")
                         .arg(tables::TreeModel::kDeepest),
                     shell::Tone::Warning);
  search();
  const int shared = state().step().valid() ? answer.program.indexOf(state().step()) : -1;
  const int node = m_node >= 0 && m_node < int(answer.program.nodes.size()) ? m_node
                   : shared >= 0                                            ? shared
                                                                            : costliestLeaf(answer.program);
  if (node >= 0)
    selectNode(node, false);
  else
    m_panel->showHint(tr("Select a step to see what it costs and on which tiles."));
  page().showContent();
}

void ProgramView::selectNode(int node, bool tell) {
  const auto answer = m_job.result();
  if (!answer || node < 0 || node >= int(answer->program.nodes.size())) return;
  m_node = node;
  m_tree->selectId(node);
  markLayer(answer->program, node);
  const auto step = answer->program.nodes[std::size_t(node)].id;
  readStep(step, insideOf(answer->program, node));
  emit selectionTextChanged();
  if (tell) state().setStep(step);
}

// Marks the other steps of the same layer of the model, unless they are more than half of all: too many marks show nothing.
void ProgramView::markLayer(const analyser::program::Program& program, int node) {
  const std::string& layer = program.nodes[std::size_t(node)].layer;
  std::vector<bool> marked;
  if (!layer.empty())
    for (const auto& other : program.nodes) marked.push_back(other.layer == layer);
  if (2 * std::count(marked.begin(), marked.end(), true) > std::ptrdiff_t(marked.size())) marked.clear();
  const auto steps = std::count(marked.begin(), marked.end(), true);
  m_marked->setWhole(steps > 1
                         ? tr("Marked: the %1 of layer %2").arg(theme::plural(steps, tr("step"), tr("steps")), reportText(layer))
                         : QString());
  m_tree->rows().setMarked(std::move(marked));
}

std::string ProgramView::layerOf(reports::ProgramStepId step) const {
  const auto answer = m_job.result();
  const int node = answer ? answer->program.indexOf(step) : -1;
  return node < 0 ? std::string() : answer->program.nodes[std::size_t(node)].layer;
}

void ProgramView::readStep(reports::ProgramStepId step, std::optional<StepsInside> inside) {
  m_stepJob.start(
      [worker = m_worker, step, inside, layer = layerOf(step)](const std::stop_token& stop, reports::Progress&) {
        return worker->use([&](analyser::Session& session) {
          StepAnswer answer{analyser::program::stepDetails(session, step, stop),
                            layer,
                            session.machine().tilesPerIpu,
                            inside,
                            nullptr,
                            nullptr,
                            nullptr};
          answer.vertices = vertexTable(answer.details);
          answer.debug = debugTree(answer.details);
          if (answer.details.livenessStep)
            answer.variables =
                variableTree(analyser::liveness::liveAt(session, *answer.details.livenessStep, stop), answer.details);
          return answer;
        });
      },
      [this](const StepAnswer& answer) { m_panel->showStep(answer, format()); },
      [this](const reports::Error& error) {
        m_panel->showHint(tr("The step could not be read: %1").arg(reportText(error.what())));
      });
}

// The same syntax as everywhere: a part of a name, or a regular expression between slashes.
void ProgramView::search() {
  const auto answer = m_job.result();
  const QString text = m_search->text();
  m_found = {}, m_match = -1;
  if (!answer || text.isEmpty()) return m_search->setNote({});
  const auto typed = tables::typedExpression(text);
  const tables::TypedPattern expression(typed.value_or(QString()));
  if (const QString why = expression.problem(); !why.isEmpty()) return m_search->setNote(tr("invalid: %1").arg(why));
  m_found = analyser::program::findSteps(answer->program, [&, part = text.toStdString()](const std::string& words) {
    return typed ? expression.matches(words) : analyser::containsText(words, part);
  });
  m_search->setNote(theme::plural(int64_t(m_found.nodes.size()), tr("match"), tr("matches")) + foundText());
}

// Cycles of the matches, and their share of the run.
QString ProgramView::foundText() const {
  if (m_found.nodes.empty()) return {};
  return tr(", %1, %2").arg(format().cycles(m_found.cycles), theme::percent(m_found.share));
}

void ProgramView::goToMatch(int direction) {
  if (m_found.nodes.empty()) return;
  const int count = int(m_found.nodes.size());
  if (m_match < 0 && direction > 0) {
    // The next match after the current row, not the first one of all.
    m_match = int(std::upper_bound(m_found.nodes.begin(), m_found.nodes.end(), m_node) - m_found.nodes.begin()) % count;
  } else {
    m_match = (m_match + direction + count) % count;
  }
  m_search->setNote(tr("%1 of %2").arg(theme::count(m_match + 1), theme::count(count)) + foundText());
  selectNode(m_found.nodes[std::size_t(m_match)], true);
}

QString ProgramView::selectionText() const {
  const auto answer = m_job.result();
  if (!answer || m_node < 0 || m_node >= int(answer->program.nodes.size())) return {};
  const auto& node = answer->program.nodes[std::size_t(m_node)];
  if (node.callee.valid())
    return tr("%1: %2 in its function, Enter goes there").arg(stepTitle(node.kind, node.label), format().cycles(node.inclusive));
  if (const auto inside = insideOf(answer->program, m_node))
    return tr("%1: %2 in the %3 inside")
        .arg(stepTitle(node.kind, node.label), format().cycles(inside->cycles),
             theme::plural(inside->steps, tr("step"), tr("steps")));
  return tr("%1: %2 in %3")
      .arg(stepTitle(node.kind, node.label), format().cycles(node.cycles),
           theme::plural(node.executions, tr("execution"), tr("executions")));
}

bool ProgramView::focusFilter() {
  m_search->focus();
  return true;
}

std::vector<std::pair<QString, QString>> ProgramView::keys() const {
  return {{tr("Up, Down"), tr("previous or next step")},
          {tr("Left, Right"), tr("collapse or expand")},
          {tr("Enter"), tr("at a call: go to its function")},
          {tr("F3, Shift+F3"), tr("next or previous match")}};
}

void ProgramView::recolour() {
  if (m_job.result() || m_job.isBusy()) read(); // the data being read has the old colours
}

void ProgramView::formatChanged() {
  m_tree->setFormat(format());
  m_roots->view().setFormat(format());
  if (const auto step = m_stepJob.result()) m_panel->showStep(*step, format());
  search();
}

} // namespace ui::program
