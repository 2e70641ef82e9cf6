// The same table of two reports as one: each number as A, B and the change B − A. A view makes the table of each report as ever, and this
// joins them, so that a new column of one report is a column of the comparison too.
#pragma once

#include "ui/tables/table.h"

#include <QStringList>

#include <memory>

namespace ui::tables {

// Rows with equal `keys` (ids of columns) are one row, the n-th of A with the n-th of B. Those with the largest change of the column with a bar
// come first. A row keeps A's id, and has -1 if only B has it. Either table may be null.
std::shared_ptr<const Table> paired(const std::shared_ptr<const Table>& a, const std::shared_ptr<const Table>& b,
                                    const QStringList& keys);

} // namespace ui::tables
