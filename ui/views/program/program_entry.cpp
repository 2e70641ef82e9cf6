#include "ui/views/program/program_entry.h"

#include "ui/views/program/program_view.h"

namespace ui::program {

shell::ViewEntry entry() {
  shell::ViewEntry e;
  e.id = QStringLiteral("program");
  e.title = QObject::tr("Program");
  e.icon = QStringLiteral("program");
  e.question = QObject::tr("What does the program do, step by step, and what does each step cost?");
  e.factory = [](const shell::ViewParts& parts) -> shell::View* { return new ProgramView(parts); };
  return e;
}

} // namespace ui::program
