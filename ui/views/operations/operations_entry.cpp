#include "ui/views/operations/operations_entry.h"

#include "ui/views/operations/operations_view.h"

namespace ui::operations {

shell::ViewEntry entry() {
  shell::ViewEntry e;
  e.id = QStringLiteral("operations");
  e.title = QObject::tr("Operations");
  e.icon = QStringLiteral("operations");
  e.question = QObject::tr("Which operations of the model cost most?");
  e.factory = [](const shell::ViewParts& parts) -> shell::View* { return new OperationsView(parts); };
  return e;
}

} // namespace ui::operations
