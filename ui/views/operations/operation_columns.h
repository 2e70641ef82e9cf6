// The columns an operation can show; which are shown is the user's choice and kept.
#pragma once

#include "analyser/operations/operations.h"
#include "ui/tables/table.h"

#include <QStringList>

#include <vector>

namespace ui::operations {

struct OperationColumn {
  QString id; // in settings
  tables::Column column;
  bool shownAtFirst = false;
  tables::Cell (*value)(const analyser::operations::Operation& operation) = nullptr;
};
const std::vector<OperationColumn>& operationColumns();
QStringList columnsShownAtFirst();

} // namespace ui::operations
