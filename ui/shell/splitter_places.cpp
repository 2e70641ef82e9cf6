#include "ui/shell/splitter_places.h"

#include "ui/shell/settings.h"

#include <QSplitter>

namespace ui::shell {

namespace {

// Sizes say nothing of panes that are hidden.
bool showsAll(const QSplitter& splitter) {
  for (int i = 0; i < splitter.count(); ++i)
    if (splitter.widget(i)->isHidden()) return false;
  return true;
}

QList<int> sizesFrom(const QVariant& stored, int count) {
  QList<int> sizes;
  for (const QVariant& size : stored.toList()) sizes << size.toInt();
  const bool whole = sizes.size() == count && std::all_of(sizes.begin(), sizes.end(), [](int size) { return size > 0; });
  return whole ? sizes : QList<int>();
}

} // namespace

void keepSplitters(QWidget& widget, const QString& view, Settings& settings) {
  int number = 0;
  for (QSplitter* splitter : widget.findChildren<QSplitter*>()) {
    const QString key = QStringLiteral("splitters/%1/%2").arg(view).arg(number++);
    if (const QList<int> sizes = sizesFrom(settings.value(key), splitter->count()); !sizes.isEmpty()) {
      splitter->setSizes(sizes);
      emit splitter->splitterMoved(sizes.front(), 1); // as if by hand: the view no longer fits them itself
    }
    QObject::connect(splitter, &QSplitter::splitterMoved, splitter, [splitter, key, &settings] {
      if (!showsAll(*splitter)) return;
      QVariantList sizes;
      for (const int size : splitter->sizes()) sizes << size;
      settings.setValue(key, sizes);
    });
  }
}

} // namespace ui::shell
