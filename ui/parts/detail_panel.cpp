#include "ui/parts/detail_panel.h"

#include "ui/parts/elided_label.h"
#include "ui/parts/vertical_scroll.h"
#include "ui/theme/theme.h"

#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>

namespace ui::shell {

namespace {
constexpr int kLeastFacts = 88; // pixels: four lines

void setRole(QWidget& widget, const char* role) {
  widget.setProperty("role", role);
  widget.style()->unpolish(&widget); // the style sheet reads a changed role only after unpolish()
  widget.style()->polish(&widget);
}
} // namespace

DetailPanel::DetailPanel(const theme::Theme& theme, const QString& name, const QString& hint, QWidget* parent)
    : QWidget(parent), m_hint(hint), m_row(new QHBoxLayout(this)), m_title(new ElidedLabel(tr("Selected"))),
      m_facts(new FactList(theme, name, 2)) {
  m_row->setContentsMargins(0, theme::kGrid, 0, 0);
  m_row->setSpacing(theme::kMargin);
  auto* column = new QVBoxLayout;
  column->setSpacing(theme::kGrid);
  column->addWidget(m_title);
  auto* scroll = verticalScroll(m_facts); // many facts do not push the plot beside them out of sight
  scroll->setMinimumHeight(kLeastFacts);
  column->addWidget(scroll, 1);
  m_row->addLayout(column, 1);
  showHint();
}

void DetailPanel::addPlot(QWidget* plot) { m_row->addWidget(plot, 1); }

void DetailPanel::show(const QString& title, const std::vector<Fact>& facts) {
  setRole(*m_title, "strong");
  m_title->setWhole(title);
  m_facts->setFacts(facts);
}

void DetailPanel::showHint() { showProblem(m_hint); }

void DetailPanel::showProblem(const QString& text) {
  setRole(*m_title, "secondary");
  m_title->setWhole(text);
  m_facts->setFacts({});
}

} // namespace ui::shell
