#include "ui/parts/splitter_places.h"

#include "ui/parts/splitter_keys.h"
#include "ui/state/settings.h"

#include <QCoreApplication>
#include <QResizeEvent>
#include <QSplitter>

namespace ui::shell {

namespace {
constexpr auto kByHand = "placedByHand", kAtFirst = "placeAtFirst"; // properties of a splitter

// The sizes of a splitter are useless while a pane is hidden.
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
    const QString key = QStringLiteral("%1/%2/%3").arg(kSplitterSettings, view).arg(number++);
    splitter->setProperty(kAtFirst, splitter->saveState());
    moveByKeys(*splitter);
    QObject::connect(splitter, &QSplitter::splitterMoved, splitter, [splitter] { splitter->setProperty(kByHand, true); });
    if (const QList<int> sizes = sizesFrom(settings.value(key), splitter->count()); !sizes.isEmpty()) {
      splitter->setSizes(sizes);
      emit splitter->splitterMoved(sizes.front(), 1); // like a drag by hand, so that the view no longer sets the sizes
    }
    QObject::connect(splitter, &QSplitter::splitterMoved, splitter, [splitter, key, &settings] {
      if (!showsAll(*splitter)) return;
      QVariantList sizes;
      for (const int size : splitter->sizes()) sizes << size;
      settings.setValue(key, sizes);
    });
  }
}

bool isPlacedByHand(const QSplitter& splitter) { return splitter.property(kByHand).toBool(); }

void resetSplitters(QWidget& widget) {
  for (QSplitter* splitter : widget.findChildren<QSplitter*>()) {
    splitter->setProperty(kByHand, false);
    splitter->restoreState(splitter->property(kAtFirst).toByteArray());
    QResizeEvent resized(splitter->size(), splitter->size()); // makes views that fit their splitter to the content do so again
    QCoreApplication::sendEvent(splitter, &resized);
  }
}

} // namespace ui::shell
