#include "ui/views/compare/pair_view.h"

#include "ui/parts/page.h"

namespace ui::compare {

PairView::PairView(const shell::ViewParts& parts) : View(parts) {}
PairView::~PairView() = default;

void PairView::setSessions(shell::SessionPointer base, shell::SessionPointer other) {
  drop();
  m_reports = {std::move(base), std::move(other)};
  page().clearVerdict();
  page().clearBanner();
  begin();
  if (!hasBoth())
    return page().showEmpty(tr("Two reports are needed"), tr("Open a second report to see what changed between them."),
                            tr("Go to the start page"), [this] { emit viewRequested(QStringLiteral("home")); });
  read();
}

void PairView::showLoading(const QString& title) { page().showLoading(title); }
void PairView::showContent() { page().showContent(); }

void PairView::showFailure(const reports::Error& error) {
  page().showError(error, tr("Try again"), [this] { read(); });
}

} // namespace ui::compare
