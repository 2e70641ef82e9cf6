#include "ui/views/query/query_entry.h"

#include "ui/views/query/query_view.h"

namespace ui::query {

shell::ViewEntry entry() {
  shell::ViewEntry e;
  e.id = QStringLiteral("query");
  e.title = QObject::tr("Query");
  e.icon = QStringLiteral("query");
  e.question = QObject::tr("What else does the report know? Ask it in SQL");
  e.factory = [](const shell::ViewParts& parts) -> shell::View* { return new QueryView(parts); };
  return e;
}

} // namespace ui::query
