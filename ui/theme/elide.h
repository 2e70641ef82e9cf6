// Names of variables and operations are paths: they stay readable if shortened between their parts ("bert/…/matmul/Convolve"),
// but not elsewhere.
#pragma once

#include <QString>

#include <functional>

class QFontMetrics;

namespace ui::theme {

// `text` whole if it fits; else a sentence without its end, a path without parts of its middle, or a name without some letters. A step
// "OnTileExecute · net/layer3/add #412" keeps its kind and its number if a third of its path still fits.
QString elided(const QFontMetrics& metrics, const QString& text, int width);
// The longest sequence of whole parts, from the end of a path, that fits; at least the last part, even if it does not fit.
QString endOfPath(const QFontMetrics& metrics, const QString& path, int width);
// The name of a slice or frame in a lane: the function stays, its file and its scopes lose their beginning: "dumps (…/__init__.py:183)",
// "module.py(1501): forward", "…::Conv::run(int)". Other names are paths.
QString functionThatFits(const QFontMetrics& metrics, const QString& name, int width);
// The longest elided form of the path that `fits`; empty if none does or the text is not a path.
QString pathWithoutMiddle(const QString& text, const std::function<bool(const QString&)>& fits);

} // namespace ui::theme
