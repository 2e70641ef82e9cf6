#include "ui/views/summary/summary_entry.h"

#include "ui/views/summary/summary_view.h"

namespace ui::summary {

shell::ViewEntry entry() {
  shell::ViewEntry e;
  e.id = QStringLiteral("summary");
  e.title = QObject::tr("Summary");
  e.icon = QStringLiteral("summary");
  e.question = QObject::tr("Does it fit, how long does it take, and where do bytes and cycles go?");
  e.factory = [](const shell::ViewParts& parts) -> shell::View* { return new SummaryView(parts); };
  return e;
}

} // namespace ui::summary
