#include "ui/views/compare/page_differences.h"

#include "analyser/compare/program_difference.h"
#include "ui/parts/page.h"
#include "ui/views/compare/trace_pair.h"

namespace ui::compare {

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
  page().setVerdict(analyser::compare::timeVerdict(reports::Cycles(a), reports::Cycles(b)) << ".");
}

} // namespace ui::compare
