// The location of the user in the open reports: the shown view, the visible range and the selection. Back, links and bookmarks
// restore all of it.
#pragma once

#include "reports/core/ids.h"
#include "reports/core/range.h"

#include <QMap>
#include <QString>

#include <vector>

namespace ui::shell {

// Which of two compared reports the views of a report show. Not used if one report is open.
enum class Shown { Base, Other, Difference };

struct Place {
  QString view;                       // id of the shown view
  reports::TickRange range;           // visible cycles of the execution trace; empty: all
  reports::TickRange measured;        // the ruler in the trace; empty: none
  std::vector<reports::TileId> tiles; // sorted, no duplicates
  reports::ProgramStepId step;
  reports::OperationId operation; // the selected one, as operations may share steps; none: any operation of the step
  reports::VariableId variable;
  std::vector<reports::VariableId> beside; // further variables, drawn beside the selected one
  Shown shown = Shown::Base;
  bool operator==(const Place&) const = default;
};

// The values of a view's controls, by the ids of its fields (ViewFields).
using FieldValues = QMap<QString, QString>;

} // namespace ui::shell
