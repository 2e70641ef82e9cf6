// The colours of the kinds of tile-cycles, the same in every view: the colour of the activity, paler or grey for idle tiles.
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
