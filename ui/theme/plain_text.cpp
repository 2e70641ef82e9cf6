#include "ui/theme/plain_text.h"

#include "ui/theme/format.h"

#include <QLabel>
#include <QTextDocument>

#include <algorithm>

namespace ui::theme {

namespace {
constexpr qsizetype kWideLine = 100; // characters; Qt wraps only the lines of a rich tooltip
} // namespace

QLabel* plainLabel(const QString& text, QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  label->setText(text);
  return label;
}

QString bounded(const QString& text, qsizetype most) {
  if (text.size() <= most) return text;
  return text.left(most) + QObject::tr("… (%1 more characters)").arg(count(text.size() - most));
}

QString tipText(const QString& text) {
  const QString shown = bounded(text);
  const QStringList lines = shown.split('\n');
  const bool isWide = std::any_of(lines.begin(), lines.end(), [](const QString& line) { return line.size() > kWideLine; });
  return isWide || Qt::mightBeRichText(shown) ? Qt::convertFromPlainText(shown, Qt::WhiteSpaceNormal) : shown;
}

} // namespace ui::theme
