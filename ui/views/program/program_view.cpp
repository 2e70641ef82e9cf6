#include "ui/views/program/program_view.h"

#include "analyser/program/model_layers.h"
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
#include "ui/views/program/path_flames.h"

#include <QAction>
#include <QActionGroup>
#include <QLabel>
#include <QMenu>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace ui::program {

using theme::messageText;
using theme::reportText;

namespace {
constexpr int kExpanded = 4;      // levels open at first
constexpr int kFlameHeight = 200; // pixels at first
// The initial selection: the leaf with the most cycles; for two reports, with the largest change.
int costliestLeaf(const ProgramAnswer& answer) {
  int best = -1;
  reports::Cycles most;
  for (int row = 0; row < int(answer.nodes.size()); ++row) {
    const auto cyclesIn = [&](Report report) {
      const auto* node = answer.nodeAt(row, report);
      return node ? node->cycles : reports::Cycles();
    };
    if (answer.shown(row).children > 0) continue;
    const auto cycles = answer.steps ? reports::Cycles(std::abs((cyclesIn(InB) - cyclesIn(InA)).value())) : cyclesIn(InA);
    if (best < 0 || cycles > most) best = row, most = cycles;
  }
  return best;
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
  notes->addWidget(tables::leftOutButton(*m_tree));
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
  auto* body = new QSplitter(Qt::Vertical);
  body->setChildrenCollapsible(false);
  body->addWidget(m_flames = new PathFlames(theme()));
  body->addWidget(split);
  body->setStretchFactor(0, 1), body->setStretchFactor(1, 2);
  body->setSizes({kFlameHeight, 2 * kFlameHeight});
  m_flames->hide();
  page().setBody(body);
  setMainJob(m_job, [this] { read(); });
  work().add({&m_stepJob});
  connect(m_tree, &tables::TreeView::idSelected, this, [this](int64_t row) { selectRow(int(row), true); });
  connect(&m_roots->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& rows) {
    if (!rows.empty()) selectRow(int(rows.front()), true);
  });
  connect(&m_roots->view(), &tables::TableView::idActivated, this, [lists] { lists->setCurrentIndex(0); });
  connect(m_tree, &tables::TreeView::idActivated, this, [this](int64_t row) {
    const auto answer = m_job.result();
    if (!answer) return;
    for (const Report report : {InA, InB})
      if (const auto* node = answer->nodeAt(int(row), report); node && node->callee.valid())
        return selectRow(answer->rowOf(node->callee, report), true);
  });
  connect(m_panel, &StepPanel::tileClicked, this, [this](int tile) { state().setTiles({reports::TileId(std::size_t(tile))}); });
  connect(m_panel, &StepPanel::sourceActivated, this, &ProgramView::openSource);
  connect(m_panel, &StepPanel::variableSelected, this,
          [this](int64_t variable) { state().setVariable(reports::VariableId(std::size_t(variable))); });
  connect(&state(), &shell::ViewState::stepChanged, this, [this](reports::ProgramStepId step) {
    const auto answer = m_job.result();
    const int row = answer ? answer->rowOf(step) : -1;
    if (row >= 0 && row != m_row) selectRow(row, false);
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
  m_vanished = page().viewMenu()->addAction(tr("Show vanished steps"));
  m_vanished->setToolTip(theme::tipText(tr("Hatched: steps that only A has; width: their cycles in A")));
  fields().flag("vanished", *m_vanished, m_state.vanished);
  connect(m_vanished, &QAction::toggled, this, &ProgramView::showFlames);
  m_allFlames = page().viewMenu()->addAction(tr("Show the whole flame graph"), this, [this] { m_flames->showAll(); });
}

ColourBy ProgramView::colourBy() const { return m_byLayer->isChecked() ? ColourBy::Layer : ColourBy::StepType; }

void ProgramView::setSessions(shell::SessionPointer base, shell::SessionPointer other) {
  work().drop();
  m_reports = {base, other};
  m_row = -1;
  m_marked->setWhole({});
  m_flames->setPaths(nullptr, false);
  m_flames->setVisible(m_reports.areTwo());
  for (QAction* action : {m_vanished, m_allFlames}) action->setVisible(m_reports.areTwo());
  page().clearVerdict();
  page().clearBanner();
  if (!base) return showNoReport(tr("The program tree needs a report."));
  read();
}

void ProgramView::read() {
  if (!m_reports) return;
  if (!m_job.result()) page().showLoading(tr("Reading the program"));
  m_job.start([reports = m_reports, by = colourBy()](const std::stop_token& stop,
                                                     reports::Progress&) { return readProgram(reports, by, stop); },
              [this](const ProgramAnswer& answer) { show(answer); },
              [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { read(); }); });
}

void ProgramView::show(const ProgramAnswer& answer) {
  const auto& [a, b] = answer.programs;
  if (answer.nodes.empty())
    return page().showEmpty(tr("This report holds no program"), tr("Only reports of a compiled program have steps."));
  const auto& issues = a.issues.empty() ? b.issues : a.issues;
  const bool isSum =
      m_reports.areTwo() && (m_reports.base()->machine().stepsOverlap() || m_reports.other()->machine().stepsOverlap());
  page().setVerdict(answer.steps ? analyser::compare::programVerdict(*answer.steps, isSum) : a.verdict,
                    issues.empty() ? shell::Tone::Neutral : shell::Tone::Warning);
  if (!issues.empty()) page().setBanner(reportText(issues.front()), shell::Tone::Warning);
  m_byLayer->setEnabled(std::any_of(answer.programs.begin(), answer.programs.end(),
                                    [](const auto& program) { return !analyser::program::layersOf(program).empty(); }));
  m_tree->setFormat(format());
  m_tree->setTree(answer.tree, kExpanded);
  m_roots->view().setFormat(format());
  m_roots->setTable(answer.roots);
  showFlames();
  if (m_tree->rows().isFlattened())
    page().setBanner(
        tr("The tree shows %1 levels of nested steps. Deeper steps are listed under level %1.").arg(tables::TreeModel::kDeepest),
        shell::Tone::Warning);
  search();
  const int shared = answer.rowOf(state().step());
  selectRow(m_row >= 0 && m_row < int(answer.nodes.size()) ? m_row : shared >= 0 ? shared : costliestLeaf(answer), false);
  if (m_row < 0) m_panel->showHint(tr("Select a step to see what it costs and on which tiles."));
  page().showContent();
}

void ProgramView::showFlames() {
  const auto answer = m_job.result();
  m_flames->setFormat(format());
  m_flames->setPaths(answer ? answer->paths : nullptr, m_state.vanished);
}

void ProgramView::selectRow(int row, bool tell) {
  const auto answer = m_job.result();
  if (!answer || row < 0 || row >= int(answer->nodes.size())) return;
  m_row = row;
  m_tree->selectId(row);
  markLayer(*answer, row);
  readStepOf(row);
  emit selectionTextChanged();
  if (const auto* node = answer->nodeAt(row, InA); tell && node) state().setStep(node->id);
}

// Marks the other steps of the same model layer. If these are more than half of all steps, marks none, because the marks would
// distinguish nothing.
void ProgramView::markLayer(const ProgramAnswer& answer, int row) {
  const std::string& layer = answer.shown(row).layer;
  std::vector<bool> marked;
  if (!layer.empty())
    for (int other = 0; other < int(answer.nodes.size()); ++other) marked.push_back(answer.shown(other).layer == layer);
  if (2 * std::count(marked.begin(), marked.end(), true) > std::ptrdiff_t(marked.size())) marked.clear();
  const auto steps = std::count(marked.begin(), marked.end(), true);
  m_marked->setWhole(steps > 1
                         ? tr("Marked: the %1 of layer %2").arg(theme::plural(steps, tr("step"), tr("steps")), reportText(layer))
                         : QString());
  m_tree->rows().setMarked(std::move(marked));
}

void ProgramView::readStepOf(int row) {
  m_stepJob.start([reports = m_reports, answer = m_job.result(),
                   row](const std::stop_token& stop, reports::Progress&) { return readStep(reports, *answer, row, stop); },
                  [this](const StepAnswer& answer) { m_panel->showStep(answer, format()); },
                  [this](const reports::Error& error) {
                    m_panel->showHint(tr("The step could not be read: %1").arg(messageText(error.what())));
                  });
}

// Searches for a part of a name, or for a regular expression between slashes, as everywhere.
void ProgramView::search() {
  const auto answer = m_job.result();
  const QString text = m_search->text();
  m_found = {}, m_matches.clear(), m_match = -1;
  if (!answer || text.isEmpty()) return m_search->setNote({});
  const auto typed = tables::typedExpression(text);
  const tables::TypedPattern expression(typed.value_or(QString()));
  if (const QString why = expression.problem(); !why.isEmpty()) return m_search->setNote(tr("invalid: %1").arg(why));
  std::set<int> rows;
  for (const Report report : {InA, InB}) {
    m_found[report] =
        analyser::program::findSteps(answer->programs[report], [&, part = text.toStdString()](const std::string& words) {
          return typed ? expression.matches(words) : analyser::containsText(words, part);
        });
    for (const int node : m_found[report].nodes) rows.insert(answer->rows[report][std::size_t(node)]);
  }
  rows.erase(-1); // below the deepest row
  m_matches.assign(rows.begin(), rows.end());
  m_search->setNote(theme::plural(int64_t(m_matches.size()), tr("match"), tr("matches")) + foundText());
}

// Cycles of the matches, and their share of the run.
QString ProgramView::foundText() const {
  if (m_matches.empty()) return {};
  const auto of = [&](Report report) {
    return tr("%1, %2").arg(format().cycles(m_found[report].cycles), theme::percent(m_found[report].share));
  };
  return m_reports.areTwo() ? tr(", A: %1; B: %2").arg(of(InA), of(InB)) : tr(", %1").arg(of(InA));
}

void ProgramView::goToMatch(int direction) {
  if (m_matches.empty()) return;
  const int count = int(m_matches.size());
  if (m_match < 0 && direction > 0) {
    // The next match after the current row, not the first one of all.
    m_match = int(std::upper_bound(m_matches.begin(), m_matches.end(), m_row) - m_matches.begin()) % count;
  } else {
    m_match = (m_match + direction + count) % count;
  }
  m_search->setNote(tr("%1 of %2").arg(theme::count(m_match + 1), theme::count(count)) + foundText());
  selectRow(m_matches[std::size_t(m_match)], true);
}

QString ProgramView::selectionText() const {
  const auto answer = m_job.result();
  if (!answer || m_row < 0 || m_row >= int(answer->nodes.size())) return {};
  const auto in = [&](Report report) {
    const auto* node = answer->nodeAt(m_row, report);
    if (!node) return tr("not there");
    if (node->callee.valid()) return tr("%1 in its function; Enter goes there").arg(format().cycles(node->inclusive));
    if (const auto inside = insideOf(*answer, m_row, report))
      return tr("%1 in the %2 inside")
          .arg(format().cycles(inside->cycles), theme::plural(inside->steps, tr("step"), tr("steps")));
    return tr("%1 in %2").arg(format().cycles(node->cycles), theme::plural(node->executions, tr("execution"), tr("executions")));
  };
  const auto& shown = answer->shown(m_row);
  const QString title = stepTitle(shown.kind, shown.label);
  return answer->steps ? tr("%1: A %2; B %3").arg(title, in(InA), in(InB)) : tr("%1: %2").arg(title, in(InA));
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
  m_flames->setFormat(format()); // the format of its tooltips
  if (const auto step = m_stepJob.result()) m_panel->showStep(*step, format());
  search();
}

} // namespace ui::program
