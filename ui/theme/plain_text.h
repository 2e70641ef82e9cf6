// Text from files as text. Qt takes a label or a tool tip that looks like HTML for HTML and then opens the files it names, so
// names of a report reach the screen through here alone: labels never read tags, tool tips show them.
// tests/ui/theme/plain_text_test.cpp searches the sources for other ways.
#pragma once

#include <QString>

class QLabel;
class QWidget;

namespace ui::theme {

// A label that shows its text as it is written.
QLabel* plainLabel(const QString& text = {}, QWidget* parent = nullptr);
// Text for setToolTip and QToolTip::showText: lines are wrapped, and a text beyond all measure is cut.
QString tipText(const QString& text);
// At most `most` characters, and how many were left out.
QString bounded(const QString& text, qsizetype most = 4096);

} // namespace ui::theme
