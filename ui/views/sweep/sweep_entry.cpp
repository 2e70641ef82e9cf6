#include "ui/views/sweep/sweep_entry.h"

#include "ui/views/sweep/sweep_view.h"

namespace ui::sweep {

shell::ViewEntry entry() {
  return {"sweep",
          QObject::tr("Sweep"),
          "sweep",
          QObject::tr("Which settings take the fewest cycles, and fit?"),
          shell::Section::Bottom,
          shell::Needs::Nothing,
          [](const shell::ViewParts& parts) -> shell::View* { return new SweepView(parts); }};
}

} // namespace ui::sweep
