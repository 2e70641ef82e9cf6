// The style sheet, kept by pages. Qt styles all widgets below the one whose sheet changes, hidden or not, and with a sheet of the
// application it styles each widget again for every level above it. So the application has no sheet: each page has one, and a
// page that is hidden gets its new one when it is shown.
#pragma once

#include <QObject>
#include <QString>

class QApplication;
class QWidget;

namespace ui::theme {

// The pages of `frame` are its children, now and later, instead of itself. A frame must be a window or the child of another frame.
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
