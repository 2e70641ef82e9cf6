// A regular expression that a user types or that a link contains. Uses RE2: a match takes time linear in the text, so no
// expression can block the window. The syntax is Perl's without look-around and back references
// (https://github.com/google/re2/wiki/Syntax).
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

// A pattern that ignores case and matches anywhere in a text. An empty pattern matches every text.
class TypedPattern {
public:
  TypedPattern() = default;
  explicit TypedPattern(const QString& expression);
  // Why the pattern is invalid, in English; empty if it is valid.
  QString problem() const;
  // false if the pattern is invalid.
  bool matches(const QString& text) const;
  bool matches(const std::string& utf8) const;

private:
  std::shared_ptr<const re2::RE2> m_expression;
};

} // namespace ui::tables
