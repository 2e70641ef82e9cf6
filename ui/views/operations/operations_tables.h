// Operations or groups of them as rows and as bars. A group keeps the shape of an operation, so both are shown alike.
#pragma once

#include "analyser/operations/operation_steps.h"
#include "ui/plot/bar_list.h"
#include "ui/tables/table.h"
#include "ui/theme/format.h"

#include <memory>

namespace ui::operations {

enum class Grouping { None, ByKind, ByLayer };

struct Entry {
  analyser::operations::Operation values;
  int64_t operations = 1; // in a group
};
// Rows in program order (None), else largest first. Row ids everywhere are indices of this list.
std::vector<Entry> entriesOf(const analyser::operations::Operations& operations, Grouping grouping);
std::shared_ptr<const tables::Table> entryTable(const std::vector<Entry>& entries, Grouping grouping);
// Characters of the folders that all names begin with: "model/block1/" of "model/block1/conv" and "model/block1/relu".
qsizetype commonFolder(const std::vector<Entry>& entries);
// The `count` entries with most cycles, largest first, split by activity.
std::vector<plot::Bar> topBars(const std::vector<Entry>& entries, std::size_t count, const theme::Theme& theme,
                               const theme::Format& format);

// The program steps of one operation; row ids are indices of `steps`.
std::shared_ptr<const tables::Table> stepTable(const std::vector<analyser::operations::OperationStep>& steps, int operation,
                                               bool dark);

} // namespace ui::operations
