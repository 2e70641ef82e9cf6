// Names of variables and operations are paths: shortened between their parts they stay readable ("bert/…/matmul/Convolve"),
// shortened anywhere else they do not.
#pragma once

#include <QString>

#include <functional>

class QFontMetrics;

namespace ui::theme {

// `text` whole if it fits, else a sentence without its end, a path with parts left out of its middle, a name with letters left out.
// A step "OnTileExecute · net/layer3/add #412" keeps its kind and its number where there is room for a third of its path.
QString elided(const QFontMetrics& metrics, const QString& text, int width);
// As many whole parts of a path, from its end, as fit; the last part at least, whether it fits or not.
QString endOfPath(const QFontMetrics& metrics, const QString& path, int width);
// The longest elided form of the path that `fits`; empty if none does or the text is not a path.
QString pathWithoutMiddle(const QString& text, const std::function<bool(const QString&)>& fits);

} // namespace ui::theme
