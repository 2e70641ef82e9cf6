// Shows text from files as plain text. Qt reads a label or a tooltip that looks like HTML as HTML and opens the files it names,
// so names of a report reach the screen only through here: labels never interpret tags, tooltips show them.
// tests/ui/theme/plain_text_test.cpp searches the sources for other ways.
#pragma once

#include <QString>

class QLabel;
class QWidget;

namespace ui::theme {

// A label that shows its text as it is written.
QLabel* plainLabel(const QString& text = {}, QWidget* parent = nullptr);
// Text for setToolTip and QToolTip::showText: lines are wrapped, and a very long text is cut.
QString tipText(const QString& text);
// Cuts a text to at most `most` characters and appends the number of characters left out.
QString bounded(const QString& text, qsizetype most = 4096);

} // namespace ui::theme
