// Frames a field whose value cannot be used, or removes the frame.
#pragma once

class QWidget;

namespace ui::shell {

void setInvalid(QWidget* field, bool isInvalid);

} // namespace ui::shell
