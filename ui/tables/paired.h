// The same table of two reports as one: each number as A, B and the change B − A, a text that differs as "before → after". A view makes the table
// of each report as ever, and this joins them, so that a new column of one report is a column of the comparison too.
#pragma once

#include "ui/tables/table.h"

#include <QStringList>

#include <memory>

namespace ui::tables {

// Rows with equal `keys` (ids of columns) are one row, the n-th of A with the n-th of B. Those with the largest change of the column with a bar
// come first; without a bar it is the first number. A row keeps A's id, and has -1 if only B has it. Either table may be null.
std::shared_ptr<const Table> paired(const std::shared_ptr<const Table>& a, const std::shared_ptr<const Table>& b,
                                    const QStringList& keys);

// A row of two tables or trees: the index of its rows in A and in B, -1 in the one that lacks it. `parent` is an earlier row of the list of a tree.
struct RowPair {
  int parent = -1, inA = -1, inB = -1;
};
// The same with the rows of `pairs`; a row's id is its index there.
std::shared_ptr<Table> paired(const std::shared_ptr<const Table>& a, const std::shared_ptr<const Table>& b,
                              const std::vector<RowPair>& pairs, const QStringList& keys);
// The same of two trees, with the rows of `pairs` in their order.
std::shared_ptr<Tree> paired(const Tree& a, const Tree& b, const std::vector<RowPair>& pairs, const QStringList& keys);
// The children of a pair with equal keys are a pair, the n-th with the n-th; those that only B has follow. Either tree may be null.
std::shared_ptr<const Tree> paired(const std::shared_ptr<const Tree>& a, const std::shared_ptr<const Tree>& b,
                                   const QStringList& keys);

} // namespace ui::tables
