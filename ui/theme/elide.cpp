#include "ui/theme/elide.h"

#include <QFontMetrics>
#include <QStringList>

#include <utility>

namespace ui::theme {

QString pathWithoutMiddle(const QString& text, const std::function<bool(const QString&)>& fits) {
  const QStringList parts = text.split('/');
  if (parts.size() < 3) return {};
  const auto joined = [&](qsizetype head, qsizetype tail) {
    return QStringList(parts.mid(0, head) + QStringList{QString(QChar(0x2026))} + parts.mid(parts.size() - tail)).join('/');
  };
  // The last two parts tell most ("conv2d_4/depthwise"), the first one next.
  qsizetype head = -1, tail = 0;
  for (const auto& [h, t] : {std::pair<qsizetype, qsizetype>{1, 2}, {0, 2}, {1, 1}, {0, 1}})
    if (head < 0 && h + t < parts.size() && fits(joined(h, t))) head = h, tail = t;
  if (head < 0) return {};
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
