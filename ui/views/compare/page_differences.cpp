#include "ui/views/compare/page_differences.h"

#include "analyser/compare/program_difference.h"
#include "ui/parts/page.h"
#include "ui/views/compare/program_pair.h"
#include "ui/views/compare/trace_pair.h"

#include <algorithm>
#include <cmath>

namespace ui::compare {

namespace {

// `isSum`: the cycles add up steps that run at the same time (Machine::stepsOverlap), so they are not the run time.
analyser::Sentence longer(reports::Cycles a, reports::Cycles b, bool isSum = false) {
  analyser::Sentence verdict;
  if (isSum) verdict << "Added up, ";
  if (a == b) return verdict << (isSum ? "the steps of both take " : "Both take ") << a;
  verdict << (isSum ? "the steps of B take " : "B takes ") << b << (isSum ? ", those of A " : ", A ") << a << ": ";
  if (a == reports::Cycles()) return verdict << analyser::Sentence::Change<reports::Cycles>{b - a};
  const double share = std::abs(ratio(b, a) - 1);
  return verdict << analyser::Sentence::Percent{share} << (b > a ? " more" : " fewer");
}

} // namespace

ProgramDifferenceView::ProgramDifferenceView(const shell::ViewParts& parts)
    : PairView(parts), m_pair(new ProgramPair(theme(), jobs())) {
  page().setBody(m_pair);
  work().add({&m_pair->job()});
  connect(m_pair, &ProgramPair::programsRead, this, &ProgramDifferenceView::showVerdict);
}

void ProgramDifferenceView::drop() { m_pair->setReports({}); }
void ProgramDifferenceView::formatChanged() { m_pair->setFormat(format()); }

void ProgramDifferenceView::read() {
  page().showContent();
  m_pair->setFormat(format());
  m_pair->setReports(reportsOfView());
}

void ProgramDifferenceView::showVerdict() {
  const auto tree = m_pair->steps();
  if (!tree) return;
  int64_t onlyBase = 0, onlyOther = 0;
  for (const auto& node : tree->nodes) {
    onlyBase += node.presence == analyser::compare::Presence::BaseOnly;
    onlyOther += node.presence == analyser::compare::Presence::OtherOnly;
  }
  const bool isSum = base() && other() && (base()->machine().stepsOverlap() || other()->machine().stepsOverlap());
  analyser::Sentence verdict = longer(tree->base, tree->other, isSum);
  if (onlyBase + onlyOther == 0)
    verdict << "; both have the same steps.";
  else
    verdict << "; " << onlyBase << " steps are only in A, " << onlyOther << " only in B.";
  page().setVerdict(verdict);
}

TraceDifferenceView::TraceDifferenceView(const shell::ViewParts& parts)
    : PairView(parts), m_pair(new TracePair(theme(), jobs())) {
  page().setBody(m_pair);
  connect(m_pair, &TracePair::busyChanged, this, &View::busyChanged);
  connect(m_pair, &TracePair::tracesOpened, this, &TraceDifferenceView::showVerdict);
}

bool TraceDifferenceView::isBusy() const { return m_pair->isBusy(); }
void TraceDifferenceView::drop() { m_pair->setSessions(nullptr, nullptr); }
void TraceDifferenceView::formatChanged() { m_pair->setFormat(format()); }

void TraceDifferenceView::read() {
  page().showContent();
  m_pair->setFormat(format());
  m_pair->setSessions(base(), other());
}

void TraceDifferenceView::showVerdict() {
  const auto [a, b] = m_pair->lengths();
  page().setVerdict(longer(reports::Cycles(a), reports::Cycles(b)) << ".");
}

} // namespace ui::compare
