#include "ui/views/home/home_entry.h"

#include "ui/views/home/home_view.h"

namespace ui::home {

shell::ViewEntry entry() {
  return {"home",
          QObject::tr("Home"),
          "home",
          QObject::tr("Open a report, go back to a recent one, or run a sample"),
          shell::Section::Top,
          shell::Needs::Nothing,
          [](const shell::ViewParts& parts) -> shell::View* { return new HomeView(parts); }};
}

} // namespace ui::home
