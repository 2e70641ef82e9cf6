#include "ui/views/compare/compare_entry.h"

#include "ui/views/compare/compare_view.h"

namespace ui::compare {

shell::ViewEntry entry() {
  shell::ViewEntry e;
  e.id = QStringLiteral("compare");
  e.title = QObject::tr("Compare");
  e.icon = QStringLiteral("compare");
  e.question = QObject::tr("What changed between two reports?");
  e.section = shell::Section::Bottom;
  e.needs = shell::Needs::Comparison;
  e.factory = [](const shell::ViewParts& parts) -> shell::View* { return new CompareView(parts); };
  return e;
}

} // namespace ui::compare
