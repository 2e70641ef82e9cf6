// The dialog that asks for the model of a run.
#pragma once

#include <QString>

class QWidget;

namespace ui::shell {

// Empty if the user cancelled. The dialog begins in the folder of `from`, if that is not empty.
QString chooseModel(QWidget* parent, const QString& from = {});

} // namespace ui::shell
