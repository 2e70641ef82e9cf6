// A view as the program lists it, by its id, so that tests show the views people get.
#pragma once

#include "app/gui/view_list.h"

#include <stdexcept>

namespace tests {

// Throws std::out_of_range for an id that is not in the list.
inline ui::shell::ViewEntry listed(const QString& id) {
  for (const ui::shell::ViewEntry& entry : app::gui::viewList())
    if (entry.id == id) return entry;
  throw std::out_of_range("no view is called " + id.toStdString());
}

} // namespace tests
