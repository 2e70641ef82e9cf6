// The handles of a splitter take the keyboard focus: arrow keys move them, Home and End go as far as the panes allow.
#pragma once

class QSplitter;

namespace ui::shell {

void moveByKeys(QSplitter& splitter); // call once its panes are there

} // namespace ui::shell
