// A bar over the content that says what happened and offers one action: a failed open, a changed file, out of memory. It never
// blocks the window.
#pragma once

#include "reports/core/error.h"
#include "ui/parts/page.h"

#include <QFrame>

class QLabel;
class QPushButton;
class QTimer;
class QToolButton;

namespace ui::shell {

class MessageBar : public QFrame {
  Q_OBJECT

public:
  explicit MessageBar(const theme::Theme& theme, QWidget* parent = nullptr);
  void say(const QString& text, Tone tone, const QString& action = {}, std::function<void()> run = {});
  void say(const reports::Error& error, const QString& action = {}, std::function<void()> run = {});
  QString text() const;
  // The bar covers the lower end of `area` in its full width, so that a message never moves the content under the pointer.
  void floatOver(QWidget& area);
  void setVisible(bool visible) override;

signals:
  void shownChanged(bool shown);
  void dismissed(); // by the user

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void restyle();
  void place();
  const theme::Theme& m_theme;
  Tone m_tone = Tone::Neutral;
  QString m_details;
  QLabel *m_icon, *m_text;
  QPushButton *m_action, *m_copy;
  QToolButton* m_close;
  QTimer* m_leave;
  QWidget* m_area = nullptr;
};

} // namespace ui::shell
