#include "ui/theme/elide.h"

#include <QFontMetrics>
#include <QStringList>

namespace ui::theme {

QString pathWithoutMiddle(const QString& text, const std::function<bool(const QString&)>& fits) {
  const QStringList parts = text.split('/');
  if (parts.size() < 3) return {};
  const auto joined = [&](qsizetype head, qsizetype tail) {
    return QStringList(parts.mid(0, head) + QStringList{QString(QChar(0x2026))} + parts.mid(parts.size() - tail)).join('/');
  };
  // The end of a path tells most, and what is left out is better one piece than two: the first part, which all names of a
  // program share, stays only where it costs no other.
  qsizetype head = 0, tail = 0;
  while (tail + 1 < parts.size() && fits(joined(0, tail + 1))) ++tail;
  if (tail == 0) return {};
  if (tail + 2 < parts.size() && fits(joined(1, tail))) head = 1;
  while (head > 0 && head + tail + 2 < parts.size() && fits(joined(head + 1, tail))) ++head;
  return joined(head, tail);
}

QString elided(const QFontMetrics& metrics, const QString& text, int width) {
  const auto fits = [&](const QString& t) { return metrics.horizontalAdvance(t) <= width; };
  if (fits(text)) return text;
  const QString path = pathWithoutMiddle(text, fits);
  return path.isEmpty() ? metrics.elidedText(text, Qt::ElideMiddle, width) : path;
}

} // namespace ui::theme
