// The filter text of a table: words, a regular expression, or conditions on columns.
#pragma once

#include "ui/tables/table.h"
#include "ui/tables/typed_pattern.h"
#include "ui/theme/format.h"

#include <QStringList>

#include <optional>
#include <vector>

namespace ui::tables {

// The text is one of three. Words: each must be in some cell, ignoring case. A typedExpression(): it must match a cell with text.
// Conditions such as "bytes > 1MiB and until > 740 or name ~ weights": a column (its title or id), one of < <= > >= = != ~
// (contains), and a value, whose number may have a unit of the column. `and` binds closer than `or`. If a condition names no
// column of the table, the text is words.
class RowFilter {
public:
  // `columns` must live as long as the filter.
  RowFilter(const QString& text, const std::vector<Column>& columns, const theme::Format& format);
  bool isEmpty() const { return m_words.isEmpty() && !m_isExpression && m_anyOf.empty() && m_problem.isEmpty(); }
  bool matches(const Row& row) const;
  // Why the filter matches nothing, as a sentence for the user; empty if the filter is valid.
  const QString& problem() const { return m_problem; }
  bool hasConditions() const { return !m_anyOf.empty(); }

private:
  enum class Operator { Less, AtMost, More, AtLeast, Equal, Unequal, Contains };
  struct Condition {
    int column = 0;
    Operator is{};
    QString text;
    std::optional<double> number; // of the column's own kind
  };
  bool readConditions(const QString& text);
  std::optional<Condition> readCondition(const QString& text);
  QString titles() const;
  int columnCalled(const QString& name) const; // -1: none
  std::optional<double> numberOf(const QString& text, Kind kind) const;
  bool holds(const Condition& condition, const Row& row) const;
  bool matchesWords(const Row& row) const;

  const std::vector<Column>& m_columns;
  const theme::Format& m_format;
  QStringList m_words;
  TypedPattern m_expression;
  bool m_isExpression = false;
  std::vector<std::vector<Condition>> m_anyOf; // alternatives; in each, all conditions must hold
  QString m_problem;
};

// The condition that keeps the rows with this value in the column; empty if no condition can.
QString conditionOn(const Column& column, const Cell& cell, Kind kind);
// Adds a condition to a typed filter, to each of its alternatives. Replaces words, expressions, and a filter with a problem.
QString withCondition(const QString& typed, const QString& condition, const std::vector<Column>& columns,
                      const theme::Format& format);

// The end of a typed filter that may become the name of a column: "bytes > 1MiB and un" has "un"; empty: nothing to complete.
QString columnBeginning(const QString& typed);

} // namespace ui::tables
