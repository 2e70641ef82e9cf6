#include "ui/parts/tile_time.h"

#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

namespace ui::shell {

using analyser::trace::TileTime;
using reports::Activity;

QColor tileTimeColour(const theme::Theme& theme, TileTime kind) {
  switch (kind) {
  case TileTime::Busy: return theme.activity(Activity::Compute);
  case TileTime::Unused: return theme.activity(Activity::Idle);
  case TileTime::Imbalance: return theme::mix(theme.activity(Activity::Compute), theme.tokens().surface, 0.5);
  case TileTime::Exchange: return theme.activity(Activity::InternalExchange);
  case TileTime::Sync: return theme.activity(Activity::Sync);
  case TileTime::Host: return theme.activity(Activity::HostStream);
  case TileTime::Idle: return theme.tokens().grid;
  }
  return {};
}

QString wasteTitle(TileTime kind) { return theme::reportText(analyser::trace::tileTimeTitle(kind)); }

} // namespace ui::shell
