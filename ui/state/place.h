// Where a user is in the open reports: the shown view, the visible range and the selection. Back, links and bookmarks restore it whole.
#pragma once

#include "reports/core/ids.h"
#include "reports/core/range.h"

#include <QMap>
#include <QString>

#include <vector>

namespace ui::shell {

// Which of two compared reports the views of a report show. With one report open it means nothing.
enum class Shown { Base, Other, Difference };

struct Place {
  QString view;                       // id of the shown view
  reports::TickRange range;           // visible cycles of the execution trace; empty: all
  reports::TickRange measured;        // the ruler on it; empty: none
  std::vector<reports::TileId> tiles; // sorted, no duplicates
  reports::ProgramStepId step;
  reports::OperationId operation; // the selected one, because operations may share steps; none: any that has the step
  reports::VariableId variable;
  std::vector<reports::VariableId> beside; // further ones, drawn beside it
  Shown shown = Shown::Base;
  bool operator==(const Place&) const = default;
};

// How the controls of a view stand, by the ids of its fields (ViewFields).
using FieldValues = QMap<QString, QString>;

} // namespace ui::shell
