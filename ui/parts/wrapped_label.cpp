#include "ui/parts/wrapped_label.h"

namespace ui::shell {

namespace {
// Prevents line breaks after the hyphens of an option.
QString unbroken(QString text) { return text.replace(QStringLiteral("--"), QString(2, QChar(0x2011))); }
} // namespace

WrappedLabel::WrappedLabel(const QString& text, QWidget* parent) : QLabel(unbroken(text), parent) {
  setTextFormat(Qt::PlainText);
  setWordWrap(true);
}

void WrappedLabel::setWords(const QString& text) {
  setText(unbroken(text));
  fit();
}

void WrappedLabel::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  fit();
}

void WrappedLabel::fit() {
  setMinimumHeight(0); // a label never asks for less than its minimum height: a shorter text would keep the old height
  const int height = heightForWidth(width());
  if (height > 0) setFixedHeight(height);
}

} // namespace ui::shell
