#include "ui/plot/step_scene.h"

namespace ui::plot {

QString StepScene::valueText(int64_t value) const {
  switch (kind) {
  case ValueKind::Bytes: return format.bytes(reports::Bytes(value));
  case ValueKind::Cycles: return format.cycles(reports::Cycles(value));
  case ValueKind::Share: return theme::percent(double(value) / 1e6);
  case ValueKind::Count: break;
  }
  return theme::countShort(double(value));
}

QString StepScene::positionText(int64_t position) const {
  return textOfPosition ? textOfPosition(position) : theme::count(position);
}

} // namespace ui::plot
