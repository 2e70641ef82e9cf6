#include "ui/theme/report_text.h"

#include "analyser/session/format.h"
#include "reports/core/option.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"

#include <QObject>

namespace ui::theme {

QString reportText(std::string_view text) {
  constexpr std::size_t kMost = 16 * 1024; // bytes that are read: four times the displayed characters, enough for any encoding
  const QString shown = QString::fromStdString(analyser::printable(text.substr(0, kMost)));
  if (text.size() <= kMost) return bounded(shown);
  // The cut may have split the last character.
  constexpr qsizetype kShown = 4096;
  return shown.left(kShown) + QObject::tr("… (%1 more characters)").arg(count(int64_t(text.size()) - kShown));
}

QString messageText(std::string_view text) { return reportText(reports::withOptionNames(text)); }

} // namespace ui::theme
