#include "ui/parts/message_place.h"

#include "ui/theme/theme.h"

#include <QLayout>
#include <QRect>

#include <algorithm>

namespace ui::shell {

QRect placeOfMessage(const QRect& area, const QLayout& content) {
  constexpr int kWidest = 560;
  const int wide = std::clamp(area.width() - 2 * theme::kMargin, 0, kWidest);
  const int high = content.totalHeightForWidth(wide); // the size hint is for text in narrow lines
  return {area.right() + 1 - wide - theme::kMargin, area.bottom() + 1 - high - theme::kGrid, wide, high};
}

} // namespace ui::shell
