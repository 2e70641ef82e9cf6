#include "ui/views/compare/program_pair.h"

#include "ui/plot/plot_table.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>

namespace ui::compare {

using analyser::compare::Presence;
using analyser::compare::ProgramDifference;
using tables::Kind;
using theme::reportText;

namespace {
constexpr int kFlameHeight = 200; // pixels at first

std::shared_ptr<const tables::Tree> treeOf(const ProgramDifference& program) {
  auto tree = std::make_shared<tables::Tree>();
  tree->columns = {
      {"step", QObject::tr("Step"), Kind::Name, {}, 0, false},
      {"kind", QObject::tr("Kind"), Kind::Text, {}, 0, false},
      {"cyclesA", QObject::tr("Cycles A"), Kind::Cycles, QObject::tr("Over the run, in the base"), 110, false},
      {"cyclesB", QObject::tr("Cycles B"), Kind::Cycles, QObject::tr("Over the run, in the other report"), 110, false},
      {"difference", QObject::tr("B − A"), Kind::CyclesDelta, QObject::tr("Blue is less, orange is more"), 120, true}};
  for (const auto& node : program.nodes) {
    tables::TreeRow row;
    row.id = int64_t(tree->rows.size());
    row.parent = node.parent;
    QString name = reportText(node.label.empty() ? node.kind : node.label);
    if (node.presence == Presence::BaseOnly) name += QObject::tr(" (only in A)");
    if (node.presence == Presence::OtherOnly) name += QObject::tr(" (only in B)");
    row.cells = {name, reportText(node.kind)};
    row.cells.push_back(tables::cellIf(node.presence != Presence::OtherOnly, node.base.value()));
    row.cells.push_back(tables::cellIf(node.presence != Presence::BaseOnly, node.other.value()));
    row.cells.emplace_back(node.difference().value());
    tree->rows.push_back(std::move(row));
  }
  return tree;
}
} // namespace

ProgramPair::ProgramPair(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent)
    : QWidget(parent), m_job(tr("Aligning the programs"), &jobs) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kHalf);
  auto* bar = new QHBoxLayout;
  bar->addWidget(m_words = theme::plainLabel(), 1);
  m_words->setProperty("role", "secondary");
  m_words->setWordWrap(true);
  auto* vanished = new QCheckBox(tr("Show vanished steps"));
  vanished->setToolTip(theme::tipText(tr("Steps that only A has, hatched and as wide as they were there")));
  bar->addWidget(vanished);
  auto* all = new QPushButton(tr("Show all"));
  bar->addWidget(all);
  column->addLayout(bar);
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(m_flame = new DifferenceFlame(theme));
  m_flame->setProperty(plot::kTwin, tr("Programs of both reports"));
  splitter->addWidget(m_tree = new tables::TreeView(theme, tr("Programs of both reports")));
  splitter->setStretchFactor(0, 1), splitter->setStretchFactor(1, 1);
  splitter->setSizes({kFlameHeight, 2 * kFlameHeight});
  column->addWidget(splitter, 1);
  connect(vanished, &QCheckBox::toggled, m_flame, &DifferenceFlame::setVanishedShown);
  connect(all, &QPushButton::clicked, this, [this] { m_flame->enter(-1); });
  connect(&m_job, &jobs::JobBase::cancelled, this, [this] { m_due = true; });
}

ProgramPair::~ProgramPair() = default;

void ProgramPair::setSessions(std::shared_ptr<shell::WorkerSession> base, std::shared_ptr<shell::WorkerSession> other) {
  m_job.drop();
  m_base = std::move(base), m_other = std::move(other);
  m_due = true;
  if (isVisible()) align();
}

std::shared_ptr<const ProgramDifference> ProgramPair::steps() const {
  const auto answer = m_job.result();
  return answer ? answer->steps : nullptr;
}

void ProgramPair::setFormat(const theme::Format& format) {
  m_flame->setFormat(format);
  m_tree->setFormat(format);
}

void ProgramPair::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  align();
}

void ProgramPair::align() {
  if (!m_due || !m_base || !m_other) return;
  m_due = false;
  m_words->setText(tr("Aligning the programs"));
  m_job.start(
      [base = m_base, other = m_other](const std::stop_token& stop, reports::Progress&) {
        return base->use([&](analyser::Session& a) {
          return other->use([&](analyser::Session& b) {
            auto steps = std::make_shared<const ProgramDifference>(analyser::compare::programDifference(a, b, stop));
            auto rows = treeOf(*steps);
            return Answer{std::make_shared<const ProgramDifference>(analyser::compare::pathDifference(a, b, stop)),
                          std::move(steps), std::move(rows)};
          });
        });
      },
      [this](const Answer& answer) {
        m_words->setText(tr(
            "By name, as wide as the cycles in B; blue takes less than in A, orange more, full from 50 % on. A click enters."));
        m_flame->setTree(answer.tree);
        m_tree->setTree(answer.rows, 3);
        emit programsRead();
      },
      [this](const reports::Error& error) {
        m_due = true;
        m_words->setText(QString::fromStdString(error.what()));
      });
}

} // namespace ui::compare
