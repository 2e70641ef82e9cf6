// The product's own line icons, tinted with the theme when they are painted: a change of theme needs no new QIcon.
#pragma once

#include <QColor>
#include <QIcon>
#include <QPixmap>
#include <QString>

namespace ui::theme {

class Theme;

enum class Tint { Text, Secondary, Accent, Good, Warning, Bad, OnAccent };

// `name` is a file of resources/icons without its extension. The theme must outlive the icon.
QIcon icon(const Theme& theme, const QString& name, Tint tint = Tint::Text);
QPixmap iconPixmap(const QString& name, int size, const QColor& colour, double devicePixelRatio);
QColor tintColour(const Theme& theme, Tint tint);

} // namespace ui::theme
