// The search of a view's toolbar: a field, the number of matches, and arrows to the previous and the next match (Shift+F3, F3).
#pragma once

#include <QObject>

class QLabel;
class QLineEdit;

namespace ui::theme {
class Theme;
}

namespace ui::shell {

class Page;

class SearchTools : public QObject {
  Q_OBJECT

public:
  // Adds itself to the toolbar of `page`; `what` is the field's placeholder and its name for screen readers.
  SearchTools(Page& page, const theme::Theme& theme, const QString& what);
  QString text() const; // trimmed
  QLineEdit& field() const { return *m_field; }
  void clear();
  void setNote(const QString& note);
  void focus();

signals:
  void edited();
  void left(); // Escape in an empty field; in a field with text, Escape first empties it
  void asked(bool forward);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  QLineEdit* m_field;
  QLabel *m_note, *m_beside; // inside the field; outside, if the text is too long
};

} // namespace ui::shell
