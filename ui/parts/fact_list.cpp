#include "ui/parts/fact_list.h"

#include "ui/parts/elided_label.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QGridLayout>
#include <QLabel>

#include <algorithm>

namespace ui::shell {

namespace {
constexpr int kNarrowest = 160;
constexpr int kSpans = 128; // a value longer than this has its own line
} // namespace

FactList::FactList(const theme::Theme& theme, const QString& name, int columns, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_columns(std::max(1, columns)), m_grid(new QGridLayout(this)) {
  setAccessibleName(name);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(theme::kMargin);
  m_grid->setVerticalSpacing(theme::kHalf);
  for (int c = 0; c < m_columns; ++c) m_grid->setColumnStretch(2 * c + 1, 1);
}

void FactList::setFacts(const std::vector<Fact>& facts) {
  m_facts = facts;
  while (m_rows.size() < facts.size()) {
    auto* name = theme::plainLabel();
    auto* value = new ElidedLabel;
    name->setProperty("role", "secondary");
    name->setTextFormat(Qt::PlainText);
    m_rows.emplace_back(name, value);
  }
  place();
}

void FactList::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (columnsThatFit() != m_placed) place();
  fitNames();
}

void FactList::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) place(); // values have their own fonts
}

// A long value (a name) would be shortened in a column: it gets a line of its own below the others.
bool FactList::isWide(const Fact& fact) const { return QFontMetrics(m_theme.text()).horizontalAdvance(fact.value) > kSpans; }

// A number without all its digits is useless, so values are shortened only in a single column.
int FactList::columnsThatFit() const {
  const QFontMetrics metrics(m_theme.text());
  std::vector<const Fact*> beside;
  int namesBelow = 0; // pixels: the widest name of facts that have a line of their own; these names are in the first column
  for (const Fact& fact : m_facts) {
    if (isWide(fact))
      namesBelow = std::max(namesBelow, metrics.horizontalAdvance(fact.name));
    else
      beside.push_back(&fact);
  }
  for (int columns = m_columns; columns > 1; --columns) {
    const std::size_t perColumn = (beside.size() + std::size_t(columns) - 1) / std::size_t(columns);
    int wide = 0;
    for (std::size_t from = 0; from < beside.size(); from += perColumn) {
      int names = from == 0 ? namesBelow : 0, values = 0;
      for (std::size_t i = from; i < std::min(beside.size(), from + perColumn); ++i) {
        names = std::max(names, metrics.horizontalAdvance(beside[i]->name));
        values = std::max(values, metrics.horizontalAdvance(beside[i]->value));
      }
      wide += names + values + 2 * theme::kMargin;
    }
    if (wide <= width() + theme::kMargin) return columns;
  }
  return 1;
}

void FactList::place() {
  m_placed = columnsThatFit();
  for (int c = 0; c < m_columns; ++c) m_grid->setColumnStretch(2 * c + 1, c < m_placed ? 1 : 0);
  const auto wide =
      m_placed > 1 ? std::count_if(m_facts.begin(), m_facts.end(), [this](const Fact& fact) { return isWide(fact); }) : 0;
  const int perColumn = std::max(1, (int(m_facts.size()) - int(wide) + m_placed - 1) / m_placed);
  int seen = 0, below = perColumn;
  std::vector<int> widest(std::size_t(m_columns), 0); // per column: width of the widest value, so that no value is shortened
  const QFontMetrics metrics(m_theme.text());
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    const auto [name, value] = m_rows[i];
    const bool used = i < m_facts.size();
    m_grid->removeWidget(name), m_grid->removeWidget(value);
    if (used) {
      const Fact& fact = m_facts[i];
      const bool spans = m_placed > 1 && isWide(fact);
      const bool isOwn = isBelow(fact);
      const int row = spans           ? below++
                      : m_placed == 1 ? seen
                                      : seen % perColumn,
                column = spans || m_placed == 1 ? 0 : 2 * (seen / perColumn);
      if (!spans && m_placed > 1) {
        int& width = widest[std::size_t(seen / perColumn)];
        width = std::max(width, metrics.horizontalAdvance(fact.value) + 2);
      }
      seen += isOwn ? 2 : !spans;
      name->setText(fact.name);
      value->setFont(fact.mono ? m_theme.mono() : m_theme.text());
      value->setAccessibleName(fact.name + ": " + fact.value);
      value->setWordWrap(fact.wrap);
      value->setAlignment((fact.wrap ? Qt::AlignTop : Qt::AlignVCenter) |
                          Qt::AlignLeft); // top: beside the first line of its name
      // A wrapped value is as high as its lines need, even in a narrow column; a value of one line has the normal height.
      QSizePolicy size(QSizePolicy::Ignored, fact.wrap ? QSizePolicy::Minimum : QSizePolicy::Fixed);
      size.setHeightForWidth(fact.wrap);
      value->setSizePolicy(size);
      m_grid->addWidget(name, row, column, 1, isOwn ? 2 : 1, fact.wrap ? Qt::AlignTop : Qt::Alignment());
      isOwn ? m_grid->addWidget(value, row + 1, 0, 1, 2)
            : m_grid->addWidget(value, row, column + 1, 1, spans ? 2 * m_placed - 1 : 1);
      value->setWhole(fact.value, fact.tip);
    }
    name->setVisible(used), value->setVisible(used);
  }
  for (int c = 0; c < m_columns; ++c) m_grid->setColumnMinimumWidth(2 * c + 1, widest[std::size_t(c)]);
  fitNames();
}

// In a single column a long name breaks into lines: its value, which matters more, has at least half of the width.
void FactList::fitNames() {
  const QFontMetrics metrics(m_theme.text());
  const int half = std::max(kNarrowest, width()) / 2 - theme::kMargin;
  int widest = 0; // values
  for (const Fact& fact : m_facts)
    if (!isBelow(fact)) widest = std::max(widest, metrics.horizontalAdvance(fact.value) + 2);
  const int most = std::max(half, width() - widest - theme::kMargin);
  for (std::size_t i = 0; i < m_rows.size() && i < m_facts.size(); ++i) {
    QLabel* name = m_rows[i].first;
    const int whole = metrics.horizontalAdvance(m_facts[i].name) + 2;
    const bool breaks = m_placed == 1 && whole > most && !isBelow(m_facts[i]);
    name->setWordWrap(breaks);
    name->setMinimumWidth(breaks ? most : 0);
    name->setMaximumWidth(breaks ? most : QWIDGETSIZE_MAX);
  }
}

// A command in a narrow list has lines of its own, below its name.
bool FactList::isBelow(const Fact& fact) const { return m_placed == 1 && fact.wrap && fact.mono && isWide(fact); }

QSize FactList::minimumSizeHint() const { return {kNarrowest, QWidget::minimumSizeHint().height()}; }

QString FactList::valueOf(const QString& name) const {
  for (const auto& [label, value] : m_rows)
    if (!label->isHidden() && label->text() == name) return value->whole();
  return {};
}

} // namespace ui::shell
