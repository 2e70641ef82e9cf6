#include "ui/views/host/host_entry.h"

#include "ui/views/host/host_view.h"

namespace ui::host {

shell::ViewEntry entry() {
  shell::ViewEntry e;
  e.id = QStringLiteral("host");
  e.title = QObject::tr("Host");
  e.icon = QStringLiteral("host");
  e.question = QObject::tr("What does the host do while the machine waits for it?");
  e.factory = [](const shell::ViewParts& parts) -> shell::View* { return new HostView(parts); };
  return e;
}

} // namespace ui::host
