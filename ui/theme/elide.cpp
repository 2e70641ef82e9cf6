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
  // The end of a path tells most, its beginning next.
  qsizetype head = 1, tail = 1;
  if (!fits(joined(head, tail))) {
    head = 0;
    if (!fits(joined(head, tail))) return {};
  }
  while (head + tail + 2 < parts.size() && fits(joined(head, tail + 1))) ++tail;
  while (head + tail + 2 < parts.size() && fits(joined(head + 1, tail))) ++head;
  // One part left out may be shorter than the dots that stand for it, so what is left is tried as well.
  if (head + tail + 1 < parts.size() && fits(joined(head, tail + 1))) ++tail;
  return joined(head, tail);
}

QString elided(const QFontMetrics& metrics, const QString& text, int width) {
  const auto fits = [&](const QString& t) { return metrics.horizontalAdvance(t) <= width; };
  if (fits(text)) return text;
  const QString path = pathWithoutMiddle(text, fits);
  return path.isEmpty() ? metrics.elidedText(text, Qt::ElideMiddle, width) : path;
}

} // namespace ui::theme
