// Text on as many lines as it needs. A QLabel in a form inside a scroll area gets a guessed height, which cuts off its first and
// last line. This label sets its height as soon as it knows its width.
#pragma once

#include <QLabel>

namespace ui::shell {

class WrappedLabel : public QLabel {
  Q_OBJECT

public:
  explicit WrappedLabel(const QString& text = {}, QWidget* parent = nullptr);
  void setWords(const QString& text);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  void fit();
};

} // namespace ui::shell
