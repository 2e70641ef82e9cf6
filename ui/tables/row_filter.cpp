#include "ui/tables/row_filter.h"

#include "ui/tables/cell_text.h"

#include <QObject>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace ui::tables {

namespace {

const Cell kNoCell;
constexpr double kSameReal = 1e-12; // relative difference of equal real numbers
const Cell& cellOf(const Row& row, int column) {
  return std::size_t(column) < row.cells.size() ? row.cells[std::size_t(column)] : kNoCell;
}

struct Unit {
  const char* name;
  double factor;
};
constexpr Unit kByteUnits[] = {{"b", 1},        {"bytes", 1}, {"kib", 0x1p10}, {"mib", 0x1p20}, {"gib", 0x1p30},
                               {"tib", 0x1p40}, {"kb", 1e3},  {"mb", 1e6},     {"gb", 1e9},     {"tb", 1e12}};
constexpr Unit kTimeUnits[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 6e10}}; // nanoseconds
constexpr Unit kCountUnits[] = {{"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {"t", 1e12}};

template<std::size_t N> std::optional<double> factorOf(const Unit (&units)[N], const QString& name) {
  for (const Unit& unit : units)
    if (name == QString::fromUtf8(unit.name)) return unit.factor;
  return std::nullopt;
}

// Splits at each separate `word`; "or" and "and" inside of names, quotes or slashes do not count.
QStringList splitAt(const QString& word, const QString& text) {
  QStringList parts{QString()};
  bool isQuoted = false;
  for (const QString& token : text.split(' ')) {
    if (!isQuoted && token.compare(word, Qt::CaseInsensitive) == 0) {
      parts.append(QString());
      continue;
    }
    if (token.count('"') % 2 != 0) isQuoted = !isQuoted;
    parts.back() += (parts.back().isEmpty() ? QString() : QStringLiteral(" ")) + token;
  }
  return parts;
}

QString withoutQuotes(const QString& text) {
  return text.size() > 1 && text.startsWith('"') && text.endsWith('"') ? text.mid(1, text.size() - 2) : text;
}

} // namespace

QString columnBeginning(const QString& typed) {
  static const QRegularExpression kEnd(QStringLiteral("(?:^|\\b(?:and|or) )\\s*([^<>=!~/]*)$"),
                                       QRegularExpression::CaseInsensitiveOption);
  return kEnd.match(typed).captured(1);
}

QString conditionOn(const Column& column, const Cell& cell, Kind kind) {
  QString value = cellPlain(cell);
  const bool isShare = kind == Kind::Percent || kind == Kind::PercentDelta;
  // Typed percentages are hundredths of a share.
  if (isShare && !std::isnan(cellNumber(cell)))
    value = QString::number(cellNumber(cell) * 100, 'g', 15) + (kind == column.kind ? QStringLiteral(" %") : QString());
  // A condition cannot hold quotes or several spaces in a row.
  if (value.isEmpty() || column.id.isEmpty() || value != value.simplified() || (column.id + value).contains('"')) return {};
  static const QRegularExpression kPlainName(QStringLiteral("^\\w+$"));
  const bool isPlain = kPlainName.match(column.id).hasMatch();
  return QStringLiteral("%1 = \"%2\"").arg(isPlain ? column.id : '"' + column.id + '"', value);
}

QString withCondition(const QString& typed, const QString& condition, const std::vector<Column>& columns,
                      const theme::Format& format) {
  if (!RowFilter(typed, columns, format).hasConditions()) return condition;
  QStringList alternatives = splitAt(QStringLiteral("or"), typed.simplified());
  for (QString& alternative : alternatives) alternative += QStringLiteral(" and ") + condition;
  return alternatives.join(QStringLiteral(" or "));
}

RowFilter::RowFilter(const QString& text, const std::vector<Column>& columns, const theme::Format& format)
    : m_columns(columns), m_format(format) {
  const auto expression = typedExpression(text);
  m_isExpression = expression.has_value();
  if (expression) {
    m_expression = TypedPattern(*expression);
    if (const QString why = m_expression.problem(); !why.isEmpty())
      m_problem = QObject::tr("Not a regular expression: %1").arg(why);
  } else if (!readConditions(text.simplified())) {
    m_words = text.simplified().split(' ', Qt::SkipEmptyParts);
  }
}

// Returns false if the text is not conditions but words.
bool RowFilter::readConditions(const QString& text) {
  static const QRegularExpression kOperator(QStringLiteral("[<>=~]"));
  if (!text.contains(kOperator)) return false;
  QString other; // a part that is not a condition
  bool isCondition = false;
  for (const QString& alternative : splitAt(QStringLiteral("or"), text)) {
    auto& all = m_anyOf.emplace_back();
    for (const QString& part : splitAt(QStringLiteral("and"), alternative))
      if (const auto condition = readCondition(part))
        all.push_back(*condition), isCondition = true;
      else
        other = part;
  }
  if (isCondition && !other.isNull() && m_problem.isEmpty())
    m_problem = QObject::tr("“%1” is not a condition on a column: %2").arg(other, titles());
  if (!isCondition || !m_problem.isEmpty()) m_anyOf.clear();
  return isCondition || !m_problem.isEmpty();
}

QString RowFilter::titles() const {
  QStringList list;
  for (const Column& column : m_columns) list.append(column.title);
  return list.join(QStringLiteral(", "));
}

std::optional<RowFilter::Condition> RowFilter::readCondition(const QString& text) {
  static const QRegularExpression kCondition(
      QStringLiteral("^\\s*(\"[^\"]+\"|[^<>=!~\"]+?)\\s*(<=|>=|!=|<|>|=|~)\\s*(\\S.*?)\\s*$"));
  static const QRegularExpression kNumber(QStringLiteral("^[+-]?[\\d.]"));
  static const std::pair<const char*, Operator> kOperators[] = {
      {"<", Operator::Less},  {"<=", Operator::AtMost},  {">", Operator::More},    {">=", Operator::AtLeast},
      {"=", Operator::Equal}, {"!=", Operator::Unequal}, {"~", Operator::Contains}};
  const auto match = kCondition.match(text);
  if (!match.hasMatch()) return std::nullopt;
  const QString name = withoutQuotes(match.captured(1)), sign = match.captured(2);
  Condition condition;
  condition.text = withoutQuotes(match.captured(3));
  for (const auto& [written, is] : kOperators)
    if (sign == QLatin1String(written)) condition.is = is;
  condition.column = columnCalled(name);
  const bool isOrdered = sign.startsWith('<') || sign.startsWith('>');
  if (condition.column < 0) {
    // "a=b" may be a part of a name; with spaces around the operator and one word before it, a column is meant.
    const bool isSpaced =
        text[match.capturedStart(2) - 1].isSpace() && text[match.capturedEnd(2)].isSpace() && !name.contains(' ');
    if ((isOrdered && kNumber.match(condition.text).hasMatch()) || (!isOrdered && isSpaced))
      m_problem = QObject::tr("No column is called “%1”: %2").arg(name, titles());
    return std::nullopt;
  }
  const Column& column = m_columns[std::size_t(condition.column)];
  if (isNumeric(column.kind) && condition.is != Operator::Contains) {
    condition.number = numberOf(condition.text, column.kind);
    if (!condition.number) m_problem = QObject::tr("“%1” is not a number, but %2 needs one").arg(condition.text, column.title);
  } else if (isOrdered) {
    m_problem = QObject::tr("%1 is text: use =, != or ~").arg(column.title);
  }
  return m_problem.isEmpty() ? std::optional(condition) : std::nullopt;
}

int RowFilter::columnCalled(const QString& name) const {
  for (std::size_t c = 0; c < m_columns.size(); ++c)
    if (m_columns[c].title.compare(name, Qt::CaseInsensitive) == 0 || m_columns[c].id.compare(name, Qt::CaseInsensitive) == 0)
      return int(c);
  return -1;
}

// The number in a text, in the unit of cells of this kind: bytes, cycles, nanoseconds, shares of 1.
std::optional<double> RowFilter::numberOf(const QString& text, Kind kind) const {
  static const QRegularExpression kParts(QStringLiteral("^([+-]?(?:\\d[\\d,_ ]*)?\\.?\\d*(?:e[+-]?\\d+)?)\\s*([^\\d\\s]*)$"),
                                         QRegularExpression::CaseInsensitiveOption);
  const auto match = kParts.match(text);
  bool isNumber = false;
  const double value = match.captured(1).remove(',').remove('_').remove(' ').toDouble(&isNumber);
  if (!match.hasMatch() || !isNumber) return std::nullopt;
  const QString unit = match.captured(2).toLower();
  const auto times = [&](std::optional<double> factor) { return factor ? std::optional(value * *factor) : std::nullopt; };
  switch (kind) {
  case Kind::Percent:
  case Kind::PercentDelta: return unit.isEmpty() || unit == QLatin1String("%") ? std::optional(value / 100) : std::nullopt;
  case Kind::Bytes:
  case Kind::BytesDelta: return unit.isEmpty() ? value : times(factorOf(kByteUnits, unit));
  case Kind::Nanoseconds:
  case Kind::NanosecondsDelta: return unit.isEmpty() ? value : times(factorOf(kTimeUnits, unit));
  case Kind::Cycles:
  case Kind::CyclesDelta:
    if (const auto time = factorOf(kTimeUnits, unit))
      return m_format.clockHz() > 0 ? std::optional(value * *time * m_format.clockHz() / 1e9) : std::nullopt;
    if (unit == QLatin1String("cycles")) return value;
    break;
  default: break;
  }
  return unit.isEmpty() ? value : times(factorOf(kCountUnits, unit));
}

bool RowFilter::holds(const Condition& condition, const Row& row) const {
  const Cell& cell = cellOf(row, condition.column);
  const Kind ofColumn = m_columns[std::size_t(condition.column)].kind, kind = row.kindAt(condition.column, ofColumn);
  if (condition.number && !std::holds_alternative<QString>(cell)) {
    const auto wanted = kind == ofColumn ? condition.number : numberOf(condition.text, kind);
    const double value = cellNumber(cell); // NaN for an unknown cell: only != holds
    if (!wanted) return false;
    // A real number was typed or copied with fewer digits, and a percentage was divided by 100, so both are compared with a
    // tolerance.
    const bool isSame =
        value == *wanted || (std::holds_alternative<double>(cell) && std::abs(value - *wanted) <= kSameReal * std::abs(*wanted));
    switch (condition.is) {
    case Operator::Less: return value < *wanted && !isSame;
    case Operator::AtMost: return value <= *wanted || isSame;
    case Operator::More: return value > *wanted && !isSame;
    case Operator::AtLeast: return value >= *wanted || isSame;
    case Operator::Equal: return isSame;
    case Operator::Unequal: return !isSame;
    case Operator::Contains: break;
    }
  }
  const auto* words = std::get_if<QString>(&cell);
  const QString text = words ? *words : cellText(cell, kind, m_format);
  switch (condition.is) {
  case Operator::Equal: return text.compare(condition.text, Qt::CaseInsensitive) == 0;
  case Operator::Unequal: return text.compare(condition.text, Qt::CaseInsensitive) != 0;
  case Operator::Contains: return text.contains(condition.text, Qt::CaseInsensitive);
  default: return false;
  }
}

bool RowFilter::matchesWords(const Row& row) const {
  for (const QString& word : m_words) {
    bool found = false;
    for (std::size_t c = 0; c < m_columns.size() && !found; ++c) {
      if (m_columns[c].namesOthers) continue;
      const Cell& cell = cellOf(row, int(c));
      if (const auto* text = std::get_if<QString>(&cell))
        found = text->contains(word, Qt::CaseInsensitive);
      else
        found = cellText(cell, row.kindAt(int(c), m_columns[c].kind), m_format).contains(word, Qt::CaseInsensitive) ||
                cellPlain(cell) == word;
    }
    if (!found) return false;
  }
  return true;
}

bool RowFilter::matches(const Row& row) const {
  if (!m_problem.isEmpty()) return false;
  if (!m_anyOf.empty())
    return std::any_of(m_anyOf.begin(), m_anyOf.end(), [&](const auto& all) {
      return std::all_of(all.begin(), all.end(), [&](const Condition& condition) { return holds(condition, row); });
    });
  if (!m_isExpression) return matchesWords(row);
  for (std::size_t c = 0; c < m_columns.size(); ++c) {
    const auto* text = m_columns[c].namesOthers ? nullptr : std::get_if<QString>(&cellOf(row, int(c)));
    if (text && m_expression.matches(*text)) return true;
  }
  return false;
}

} // namespace ui::tables
