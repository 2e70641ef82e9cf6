#include "ui/views/insights/insights_entry.h"

#include "ui/views/insights/insights_view.h"

namespace ui::insights {

shell::ViewEntry entry() {
  shell::ViewEntry e;
  e.id = QStringLiteral("insights");
  e.title = QObject::tr("Insights");
  e.icon = QStringLiteral("insights");
  e.question = QObject::tr("What is wrong, what does it cost, and what should I try?");
  e.factory = [](const shell::ViewParts& parts) -> shell::View* { return new InsightsView(parts); };
  return e;
}

} // namespace ui::insights
