// Joins the tables of two reports into one: each number as A, B and the change B − A; a text that differs as "before → after". A
// view makes the table of each report as for a single report, so a new column there appears in the comparison too.
#pragma once

#include "ui/tables/table.h"

#include <QStringList>

#include <memory>

namespace ui::tables {

// Rows with equal texts in the columns `keys` (ids) form a pair, the n-th of A with the n-th of B. Rows are sorted by the size of
// the change in the first column with a bar (without bars: by the first change), largest first. The id of a row is A's, or -1 if
// only B has it. Either table may be null.
std::shared_ptr<const Table> paired(const std::shared_ptr<const Table>& a, const std::shared_ptr<const Table>& b,
                                    const QStringList& keys);

// A pair of rows: their indices in A and in B, -1 if the report lacks the row. In a tree, `parent` is the index of an earlier
// pair.
struct RowPair {
  int parent = -1, inA = -1, inB = -1;
};
// The same for given pairs; the id of a row is the index of its pair.
std::shared_ptr<Table> paired(const std::shared_ptr<const Table>& a, const std::shared_ptr<const Table>& b,
                              const std::vector<RowPair>& pairs, const QStringList& keys);
// The same for two trees and given pairs, in their order.
std::shared_ptr<Tree> paired(const Tree& a, const Tree& b, const std::vector<RowPair>& pairs, const QStringList& keys);
// The same for two trees: children of a pair are paired by equal keys, the n-th of A with the n-th of B; children that only B has
// follow. Either tree may be null.
std::shared_ptr<const Tree> paired(const std::shared_ptr<const Tree>& a, const std::shared_ptr<const Tree>& b,
                                   const QStringList& keys);

} // namespace ui::tables
