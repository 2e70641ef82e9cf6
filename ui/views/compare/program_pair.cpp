#include "ui/views/compare/program_pair.h"

#include "ui/plot/plot_table.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/compare/compare_tables.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>

#include <algorithm>

namespace ui::compare {

using analyser::compare::Presence;
using analyser::compare::ProgramDifference;
using analyser::compare::ProgramDifferenceNode;
using theme::reportText;

namespace {
constexpr int kFlameHeight = 200; // pixels at first
constexpr double kFull = 0.5;     // the change that has the full colour
} // namespace

std::vector<plot::FlameBox> flameBoxes(const ProgramDifference& program, bool showsVanished) {
  const auto& nodes = program.nodes;
  // A box is at least as wide as its inner boxes, including vanished steps if these are shown.
  std::vector<int64_t> inside(nodes.size(), 0), width(nodes.size(), 0);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const bool isGone = nodes[i].presence == Presence::BaseOnly;
    const int64_t own = !isGone ? nodes[i].other.value() : showsVanished ? nodes[i].base.value() : 0;
    width[i] = std::max(inside[i], own);
    if (nodes[i].parent >= 0) inside[std::size_t(nodes[i].parent)] += width[i];
  }
  std::vector<plot::FlameBox> boxes;
  std::vector<int> boxOf(nodes.size(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (width[i] <= 0) continue;
    boxOf[i] = int(boxes.size());
    boxes.push_back({nodes[i].parent < 0 ? -1 : boxOf[std::size_t(nodes[i].parent)], reportText(nodes[i].label), width[i], int(i),
                     nodes[i].presence == Presence::BaseOnly});
  }
  return boxes;
}

ProgramPair::ProgramPair(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_job(tr("Aligning the programs"), &jobs) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kHalf);
  auto* bar = new QHBoxLayout;
  bar->addWidget(m_words = theme::plainLabel(), 1);
  m_words->setProperty("role", "secondary");
  m_words->setWordWrap(true);
  auto* vanished = new QCheckBox(tr("Show vanished steps"));
  vanished->setToolTip(theme::tipText(tr("Hatched: steps that only A has; width: their cycles in A")));
  bar->addWidget(vanished);
  auto* all = new QPushButton(tr("Show all"));
  bar->addWidget(all);
  column->addLayout(bar);
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(m_flame = new plot::FlameGraph(theme, tr("Difference flame graph")));
  m_flame->setProperty(plot::kTwin, tr("Programs of both reports"));
  m_flame->setColours([this](int node) { return colourOf(m_shown->nodes[std::size_t(node)]); });
  m_flame->setCard([this](int box) { return cardOf(m_shown->nodes[std::size_t(m_nodes[std::size_t(box)])]); });
  splitter->addWidget(m_tree = new tables::TreeView(theme, tr("Programs of both reports")));
  splitter->setStretchFactor(0, 1), splitter->setStretchFactor(1, 1);
  splitter->setSizes({kFlameHeight, 2 * kFlameHeight});
  column->addWidget(splitter, 1);
  connect(vanished, &QCheckBox::toggled, this, [this](bool shown) {
    m_showsVanished = shown;
    showFlame();
  });
  connect(all, &QPushButton::clicked, this, [this] { m_flame->enter(-1); });
  connect(&m_job, &jobs::JobBase::cancelled, this, [this] { m_due = true; });
}

ProgramPair::~ProgramPair() = default;

void ProgramPair::setReports(shell::ReportsOfView reports) {
  m_job.drop();
  showFlame();
  m_reports = std::move(reports);
  m_due = true;
  if (isVisible()) align();
}

std::shared_ptr<const ProgramDifference> ProgramPair::steps() const {
  const auto answer = m_job.result();
  return answer ? answer->steps : nullptr;
}

void ProgramPair::setFormat(const theme::Format& format) {
  m_format = format;
  m_tree->setFormat(format);
}

void ProgramPair::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  align();
}

void ProgramPair::align() {
  if (!m_due || !m_reports.areTwo()) return;
  m_due = false;
  m_words->setText(tr("Aligning the programs"));
  m_job.start(
      [reports = m_reports](const std::stop_token& stop, reports::Progress&) {
        return reports.together([&](analyser::Session& a, analyser::Session& b) {
          auto steps = std::make_shared<const ProgramDifference>(analyser::compare::programDifference(a, b, stop));
          auto rows = programTree(*steps);
          return Answer{std::make_shared<const ProgramDifference>(analyser::compare::pathDifference(a, b, stop)),
                        std::move(steps), std::move(rows)};
        });
      },
      [this](const Answer& answer) {
        m_words->setText(
            tr("By name; width: cycles in B. Blue: less than in A, orange: more, full colour from 50 % on. Click to enter."));
        showFlame();
        m_tree->setTree(answer.rows, 3);
        emit programsRead();
      },
      [this](const reports::Error& error) {
        m_due = true;
        m_words->setText(QString::fromStdString(error.what()));
      });
}

void ProgramPair::showFlame() {
  const auto answer = m_job.result();
  m_shown = answer ? answer->tree : nullptr;
  auto boxes = answer ? flameBoxes(*answer->tree, m_showsVanished) : std::vector<plot::FlameBox>();
  m_nodes.clear();
  for (const plot::FlameBox& box : boxes) m_nodes.push_back(box.colour);
  m_flame->setBoxes(std::move(boxes), answer ? tr("No program ran in these reports") : QString());
}

QColor ProgramPair::colourOf(const ProgramDifferenceNode& node) const {
  if (node.presence == Presence::BaseOnly) return m_theme.difference(-1);
  if (node.base.value() == 0) return m_theme.difference(node.other.value() > 0 ? 1 : 0);
  return m_theme.difference(std::clamp(ratio(node.difference(), node.base) / kFull, -1.0, 1.0));
}

plot::Card ProgramPair::cardOf(const ProgramDifferenceNode& node) const {
  plot::Card card;
  card.title = reportText(node.name.empty() ? node.kind : node.name);
  card.rows = {{tr("A"), node.presence == Presence::OtherOnly ? tr("not there") : m_format.cycles(node.base), {}},
               {tr("B"), node.presence == Presence::BaseOnly ? tr("not there") : m_format.cycles(node.other), {}},
               {tr("B − A"), m_format.cyclesDelta(node.difference()), {}}};
  if (node.base.value() > 0) card.rows.push_back({tr("change"), theme::percentDelta(ratio(node.difference(), node.base)), {}});
  card.hint = tr("Click enters, Esc goes back");
  return card;
}

} // namespace ui::compare
