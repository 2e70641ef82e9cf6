// A regular expression that a user types, or that a link brings. RE2: a match takes time linear in the text, so no expression can hold the
// window. Its syntax is Perl's without look-around and back references (https://github.com/google/re2/wiki/Syntax).
#pragma once

#include <QString>

#include <memory>
#include <optional>

namespace re2 {
class RE2;
}

namespace ui::tables {

// The regular expression that is typed between slashes: /fwd.*weights$/; none in any other text.
std::optional<QString> typedExpression(const QString& text);

// Case aside; finds a match anywhere in a text. An empty one matches every text.
class TypedPattern {
public:
  TypedPattern() = default;
  explicit TypedPattern(const QString& expression);
  // Why it is not valid, in English; empty: it is.
  QString problem() const;
  // false if the pattern is invalid.
  bool matches(const QString& text) const;
  bool matches(const std::string& utf8) const;

private:
  std::shared_ptr<const re2::RE2> m_expression;
};

} // namespace ui::tables
