#include "ui/shell/fact_list.h"

#include "ui/shell/elided_label.h"
#include "ui/theme/theme.h"

#include <QGridLayout>

namespace ui::shell {

FactList::FactList(const theme::Theme& theme, const QString& name, int columns, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_columns(std::max(1, columns)), m_grid(new QGridLayout(this)) {
  setAccessibleName(name);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(theme::kMargin);
  m_grid->setVerticalSpacing(theme::kHalf);
  for (int c = 0; c < m_columns; ++c) m_grid->setColumnStretch(2 * c + 1, 1);
}

void FactList::setFacts(const std::vector<Fact>& facts) {
  while (m_rows.size() < facts.size()) {
    auto* name = new QLabel;
    auto* value = new ElidedLabel;
    name->setProperty("role", "secondary");
    name->setTextFormat(Qt::PlainText);
    m_rows.emplace_back(name, value);
  }
  const int perColumn = (int(facts.size()) + m_columns - 1) / m_columns;
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    const auto [name, value] = m_rows[i];
    const bool used = i < facts.size();
    m_grid->removeWidget(name), m_grid->removeWidget(value);
    if (used) {
      const Fact& fact = facts[i];
      const int row = int(i) % perColumn, column = 2 * (int(i) / perColumn);
      name->setText(fact.name);
      value->setFont(fact.mono ? m_theme.mono() : m_theme.text());
      value->setAccessibleName(fact.name + ": " + fact.value);
      m_grid->addWidget(name, row, column);
      m_grid->addWidget(value, row, column + 1);
      value->setWhole(fact.value, fact.tip);
    }
    name->setVisible(used), value->setVisible(used);
  }
}

QString FactList::valueOf(const QString& name) const {
  for (const auto& [label, value] : m_rows)
    if (!label->isHidden() && label->text() == name) return value->whole();
  return {};
}

} // namespace ui::shell
