#include "ui/shell/wrapped_label.h"

namespace ui::shell {

WrappedLabel::WrappedLabel(const QString& text, QWidget* parent) : QLabel(text, parent) {
  setTextFormat(Qt::PlainText);
  setWordWrap(true);
}

void WrappedLabel::setWords(const QString& text) {
  setText(text);
  fit();
}

void WrappedLabel::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  fit();
}

void WrappedLabel::fit() {
  const int height = heightForWidth(width());
  if (height > 0 && height != minimumHeight()) setFixedHeight(height);
}

} // namespace ui::shell
