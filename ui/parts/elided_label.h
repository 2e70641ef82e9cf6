// One line of text from a file, of any length: shortened in the middle to the available width, complete in the tooltip. With word
// wrap it is complete on several lines.
#pragma once

#include <QLabel>

namespace ui::shell {

class ElidedLabel : public QLabel {
  Q_OBJECT

public:
  // `name` is read by screen readers.
  explicit ElidedLabel(const QString& name = {}, QWidget* parent = nullptr);
  // An empty `tip` means the text itself if it is shortened. The first `kept` letters always stay ("Step 95: ").
  void setWhole(const QString& text, const QString& tip = {}, qsizetype kept = 0);
  const QString& whole() const { return m_whole; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  void keyPressEvent(QKeyEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

private:
  void elide();
  QString copied() const;
  QString m_whole, m_tip;
  qsizetype m_kept = 0;
};

} // namespace ui::shell
