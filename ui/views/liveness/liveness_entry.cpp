#include "ui/views/liveness/liveness_entry.h"

#include "ui/views/liveness/liveness_view.h"

namespace ui::liveness {

shell::ViewEntry entry() {
  shell::ViewEntry e;
  e.id = QStringLiteral("liveness");
  e.title = QObject::tr("Liveness");
  e.icon = QStringLiteral("liveness");
  e.question = QObject::tr("When is memory needed, and which variables need it then?");
  e.factory = [](const shell::ViewParts& parts) -> shell::View* { return new LivenessView(parts); };
  return e;
}

} // namespace ui::liveness
