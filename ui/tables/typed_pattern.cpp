#include "ui/tables/typed_pattern.h"

#include <re2/re2.h>

namespace ui::tables {

std::optional<QString> typedExpression(const QString& text) {
  const QString typed = text.trimmed();
  if (typed.size() <= 2 || !typed.startsWith('/') || !typed.endsWith('/')) return std::nullopt;
  return typed.mid(1, typed.size() - 2);
}

TypedPattern::TypedPattern(const QString& expression) {
  re2::RE2::Options options;
  options.set_case_sensitive(false);
  options.set_log_errors(false);
  m_expression = std::make_shared<const re2::RE2>(expression.toStdString(), options);
}

QString TypedPattern::problem() const {
  return m_expression && !m_expression->ok() ? QString::fromStdString(m_expression->error()) : QString();
}

bool TypedPattern::matches(const QString& text) const { return matches(text.toStdString()); }

bool TypedPattern::matches(const std::string& utf8) const {
  return !m_expression || (m_expression->ok() && re2::RE2::PartialMatch(utf8, *m_expression));
}

} // namespace ui::tables
