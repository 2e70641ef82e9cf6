// One style sheet per page. When a sheet changes, Qt restyles all widgets below it, also hidden ones, and it styles each widget
// again for every level between it and a sheet of the application. So the application has no sheet: each page has one, and a
// hidden page gets its new sheet when it is shown.
#pragma once

#include <QObject>
#include <QString>

class QApplication;
class QWidget;

namespace ui::theme {

// From now on the children of `frame` are pages, instead of `frame` itself. A frame must be a window or the child of another
// frame.
void holdPages(QWidget& frame);

// One for an application, made by the first call of setSheet. A page is a window, or a child of a frame.
class StylePages : public QObject {
public:
  // Styles the visible pages now and the others when they are shown.
  static void setSheet(QApplication& application, const QString& sheet);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  explicit StylePages(QApplication& application);
  void styleVisible(QWidget& widget);
  void style(QWidget& page);

  QString m_sheet;
};

} // namespace ui::theme
