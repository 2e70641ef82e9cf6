#include "ui/views/run/run_entry.h"

#include "ui/views/run/run_view.h"

namespace ui::run {

shell::ViewEntry entry() {
  return {"run",
          QObject::tr("Run"),
          "run",
          QObject::tr("Simulate a sample or an ONNX model on a machine of your choice"),
          shell::Section::Bottom,
          shell::Needs::Nothing,
          [](const shell::ViewParts& parts) -> shell::View* { return new RunView(parts); }};
}

} // namespace ui::run
