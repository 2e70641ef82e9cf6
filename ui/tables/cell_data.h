// The answers of both models for one cell: text, alignment, font, colour, tooltip.
#pragma once

#include "ui/tables/table.h"
#include "ui/theme/format.h"

#include <QRegularExpression>

#include <QStringList>
#include <QVariant>

#include <optional>

namespace ui::theme {
class Theme;
}

namespace ui::tables {

// `largest` is the largest magnitude in the column, for bars.
QVariant cellRole(const Row& row, int column, const Column& description, int role, const theme::Format& format,
                  const theme::Theme& theme, double largest);
// Columns of cycles are called after the unit that is shown.
QVariant headerRole(const Column& column, int section, int role, const theme::Format& format);
std::vector<double> largestValues(const std::vector<Column>& columns, const std::vector<const Row*>& rows);

// The regular expression that is typed between slashes: /fwd.*weights$/; none in any other text.
std::optional<QString> typedExpression(const QString& text);

// A filter as it is typed: words that all must be in some cell, case aside; or one typedExpression() over the cells with words.
class RowFilter {
public:
  explicit RowFilter(const QString& text);
  bool isEmpty() const { return m_words.isEmpty() && !m_isExpression; }
  bool matches(const Row& row, const std::vector<Column>& columns, const theme::Format& format) const;
  // Why the expression is none; such a filter keeps nothing. Empty: it is good.
  QString problem() const;

private:
  QStringList m_words;
  QRegularExpression m_expression;
  bool m_isExpression = false;
};

} // namespace ui::tables
