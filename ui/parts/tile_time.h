// How the parts of tile-cycles look, the same in every view: the colours of the activities they are, and paler or grey where
// tiles do nothing.
#pragma once

#include "analyser/trace/tile_cycles.h"

#include <QColor>
#include <QString>

namespace ui::theme {
class Theme;
}

namespace ui::shell {

QColor tileTimeColour(const theme::Theme& theme, analyser::trace::TileTime kind);
QString wasteTitle(analyser::trace::TileTime kind);

} // namespace ui::shell
