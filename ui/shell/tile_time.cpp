#include "ui/shell/tile_time.h"

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

QString wasteTitle(TileTime kind) {
  switch (kind) {
  case TileTime::Busy: return QObject::tr("Busy");
  case TileTime::Unused: return QObject::tr("Unused tiles");
  case TileTime::Imbalance: return QObject::tr("Imbalance");
  case TileTime::Exchange: return QObject::tr("Exchange");
  case TileTime::Sync: return QObject::tr("Sync");
  case TileTime::Host: return QObject::tr("Host");
  case TileTime::Idle: return QObject::tr("Idle");
  }
  return {};
}

QString tileTimeTip(TileTime kind) {
  switch (kind) {
  case TileTime::Busy: return QObject::tr("Tile-cycles in which tiles compute or copy");
  case TileTime::Unused: return QObject::tr("Tile-cycles of tiles without work in compute steps");
  case TileTime::Imbalance: return QObject::tr("Tile-cycles of tiles that wait for the slowest of a compute step");
  case TileTime::Exchange: return QObject::tr("Tile-cycles of all tiles while exchanges last");
  case TileTime::Sync: return QObject::tr("Tile-cycles of all tiles while syncs last");
  case TileTime::Host: return QObject::tr("Tile-cycles of all tiles while the host transfers or is waited for");
  case TileTime::Idle: return QObject::tr("Tile-cycles of IPUs that wait for other IPUs");
  }
  return {};
}

} // namespace ui::shell
