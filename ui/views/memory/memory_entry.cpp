#include "ui/views/memory/memory_entry.h"

#include "ui/views/memory/memory_view.h"

namespace ui::memory {

shell::ViewEntry entry() {
  shell::ViewEntry e;
  e.id = QStringLiteral("memory");
  e.title = QObject::tr("Memory");
  e.icon = QStringLiteral("memory");
  e.question = QObject::tr("Which tiles are full, and of what?");
  e.factory = [](const shell::ViewParts& parts) -> shell::View* { return new MemoryView(parts); };
  return e;
}

} // namespace ui::memory
