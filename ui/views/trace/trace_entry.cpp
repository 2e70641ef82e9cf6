#include "ui/views/trace/trace_entry.h"

#include "ui/views/trace/trace_view.h"

namespace ui::trace {

shell::ViewEntry entry() {
  shell::ViewEntry e;
  e.id = QStringLiteral("trace");
  e.title = QObject::tr("Trace");
  e.icon = QStringLiteral("trace");
  e.question = QObject::tr("What does every IPU and every tile do at every moment?");
  e.factory = [](const shell::ViewParts& parts) -> shell::View* { return new TraceView(parts); };
  return e;
}

} // namespace ui::trace
