// The texts of plots for screen readers. The description says what a plot shows, then its keys. When keys move its cursor, the
// new text becomes the accessible value of the plot and is appended to its name at once: screen readers read a changed name of
// the widget with the focus.
#pragma once

#include "ui/plot/hover_card.h"

class QWidget;

namespace ui::plot {

// Call once for each plot: makes it a chart for screen readers.
void makeSpoken(QWidget& plot);
// Like makeSpoken(), for a plot whose keys only change the selection: the view describes the selection, in the text of the status
// line.
void makeSpokenBySelection(QWidget& plot);
bool isSpokenBySelection(const QWidget& plot);
// For a child that only draws what the plot around it describes: a screen reader does not list it.
void makeSilent(QWidget& part);
void describe(QWidget& plot, const QString& shows, const QString& keys = {});
// Sets the text for the cursor or the selection; empty: none. Equal texts are announced once.
void speak(QWidget& plot, const QString& words);
QString spoken(const QWidget& plot);  // the last text set for the figures that are shown
QString shownBy(const QWidget& plot); // the description without the keys
// "Tile 458. code 12 KiB, data 40 KiB"
QString wordsOf(const Card& card);

} // namespace ui::plot
