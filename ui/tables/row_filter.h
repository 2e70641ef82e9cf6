// The filter text of a table: words, a regular expression, or conditions on columns.
#pragma once

#include "ui/tables/table.h"
#include "ui/tables/typed_pattern.h"
#include "ui/theme/format.h"

#include <QStringList>

#include <optional>
#include <vector>

namespace ui::tables {

// Words that all must be in some cell, case aside; one typedExpression() over the cells with words; or conditions such as
// "bytes > 1MiB and until > 740 or name ~ weights". A condition is a column (its title or id), one of < <= > >= = != ~ (contains), and a
// value; numbers may have a unit of their column. `and` binds closer than `or`. A text whose columns are not of the table is words.
class RowFilter {
public:
  // `columns` must live as long as the filter.
  RowFilter(const QString& text, const std::vector<Column>& columns, const theme::Format& format);
  bool isEmpty() const { return m_words.isEmpty() && !m_isExpression && m_anyOf.empty() && m_problem.isEmpty(); }
  bool matches(const Row& row) const;
  // Why nothing can match, as a sentence for the user; empty: the filter is good.
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
  std::vector<std::vector<Condition>> m_anyOf; // all conditions of one of them
  QString m_problem;
};

// The condition that keeps the rows with this cell, of a column; empty: none can.
QString conditionOn(const Column& column, const Cell& cell, Kind kind);
// The typed filter with one more condition, which every alternative gets; it replaces words, expressions and a filter with a problem.
QString withCondition(const QString& typed, const QString& condition, const std::vector<Column>& columns,
                      const theme::Format& format);

// The end of a typed filter that may become the name of a column: "bytes > 1MiB and un" has "un"; empty: nothing to complete.
QString columnBeginning(const QString& typed);

} // namespace ui::tables
