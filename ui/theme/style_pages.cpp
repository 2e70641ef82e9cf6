#include "ui/theme/style_pages.h"

#include <QApplication>
#include <QEvent>
#include <QWidget>

namespace ui::theme {

namespace {
constexpr const char* kHoldsPages = "holdsPages";

bool isFrame(const QWidget& widget) { return widget.property(kHoldsPages).toBool(); }

bool isPage(const QWidget& widget) {
  const QWidget* parent = widget.parentWidget();
  return !isFrame(widget) && (!parent || isFrame(*parent));
}
} // namespace

void holdPages(QWidget& frame) { frame.setProperty(kHoldsPages, true); }

StylePages::StylePages(QApplication& application) : QObject(&application) { application.installEventFilter(this); }

void StylePages::setSheet(QApplication& application, const QString& sheet) {
  const QString kName = QStringLiteral("style-pages");
  auto* pages = static_cast<StylePages*>(application.findChild<QObject*>(kName, Qt::FindDirectChildrenOnly));
  if (!pages) {
    pages = new StylePages(application);
    pages->setObjectName(kName);
  }
  pages->m_sheet = sheet;
  for (QWidget* window : QApplication::topLevelWidgets()) pages->styleVisible(*window);
}

void StylePages::styleVisible(QWidget& widget) {
  if (isPage(widget)) {
    if (widget.isVisible()) style(widget);
  } else if (isFrame(widget)) {
    for (QObject* child : widget.children())
      if (auto* part = qobject_cast<QWidget*>(child)) styleVisible(*part);
  }
}

void StylePages::style(QWidget& page) {
  if (page.styleSheet() != m_sheet) page.setStyleSheet(m_sheet);
}

bool StylePages::eventFilter(QObject* watched, QEvent* event) {
  // Polish comes before a widget is laid out for the first time.
  if ((event->type() == QEvent::Polish || event->type() == QEvent::Show) && watched->isWidgetType())
    if (auto& widget = static_cast<QWidget&>(*watched); isPage(widget)) style(widget);
  return QObject::eventFilter(watched, event);
}

} // namespace ui::theme
