#include "ui/plot/spoken.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QWidget>

namespace ui::plot {

namespace {

constexpr const char* kSpoken = "spoken"; // property: the last spoken text; makeSpoken() sets it to empty
constexpr const char* kShows = "shows";   // a property: the description without the keys
constexpr const char* kSpokenBySelection = "spokenBySelection";
constexpr const char* kSilent = "silent";

class SpokenPlot : public QAccessibleWidget {
public:
  explicit SpokenPlot(QWidget& plot) : QAccessibleWidget(&plot, QAccessible::Chart) {}
  QString text(QAccessible::Text what) const override {
    const QString words = spoken(*widget()), name = QAccessibleWidget::text(what);
    if (what == QAccessible::Value) return words;
    return what == QAccessible::Name && !words.isEmpty() ? QStringLiteral("%1: %2").arg(name, words) : name;
  }
  int childCount() const override { return int(children().size()); }
  QAccessibleInterface* child(int index) const override { return children().value(index); }
  int indexOfChild(const QAccessibleInterface* child) const override {
    return int(children().indexOf(const_cast<QAccessibleInterface*>(child)));
  }

private:
  QList<QAccessibleInterface*> children() const {
    QList<QAccessibleInterface*> list;
    for (int i = 0; i < QAccessibleWidget::childCount(); ++i)
      if (auto* child = QAccessibleWidget::child(i); child && child->object() && !child->object()->property(kSilent).toBool())
        list << child;
    return list;
  }
};

QAccessibleInterface* spokenPlot(const QString&, QObject* object) {
  auto* plot = qobject_cast<QWidget*>(object);
  return plot && plot->property(kSpoken).isValid() ? new SpokenPlot(*plot) : nullptr;
}

} // namespace

void makeSpoken(QWidget& plot) {
  static const bool isInstalled = [] {
    QAccessible::installFactory(&spokenPlot);
    return true;
  }();
  Q_UNUSED(isInstalled);
  plot.setProperty(kSpoken, QString());
}

void makeSpokenBySelection(QWidget& plot) {
  makeSpoken(plot);
  plot.setProperty(kSpokenBySelection, true);
}

void makeSilent(QWidget& part) { part.setProperty(kSilent, true); }

bool isSpokenBySelection(const QWidget& plot) { return plot.property(kSpokenBySelection).toBool(); }

void describe(QWidget& plot, const QString& shows, const QString& keys) {
  const QString whole = keys.isEmpty() ? shows : QStringLiteral("%1. %2").arg(shows, keys);
  if (plot.accessibleDescription() == whole) return;
  plot.setAccessibleDescription(whole);
  plot.setProperty(kShows, shows);
  if (!spoken(plot).isEmpty()) plot.setProperty(kSpoken, QString()); // the spoken text described figures that are no longer shown
}

void speak(QWidget& plot, const QString& words) {
  if (spoken(plot) == words) return;
  plot.setProperty(kSpoken, words);
  if (!QAccessible::isActive()) return;
  QAccessibleEvent event(&plot, QAccessible::NameChanged);
  QAccessible::updateAccessibility(&event);
}

QString shownBy(const QWidget& plot) { return plot.property(kShows).toString(); }

QString spoken(const QWidget& plot) { return plot.property(kSpoken).toString(); }

QString wordsOf(const Card& card) {
  QStringList rows;
  for (const CardRow& row : card.rows) rows << QStringLiteral("%1 %2").arg(row.name, row.value).trimmed();
  const QString list = rows.join(QStringLiteral(", "));
  return card.title.isEmpty() || list.isEmpty() ? card.title + list : QStringLiteral("%1. %2").arg(card.title, list);
}

} // namespace ui::plot
