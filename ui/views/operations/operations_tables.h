// Operations, and groups of operations, as rows, as a tree and as bars. An Entry is either, so that both are shown in the same
// way.
#pragma once

#include "analyser/columns/column.h"
#include "analyser/columns/subject.h"
#include "analyser/operations/operation_steps.h"
#include "analyser/operations/rollup.h"
#include "ui/plot/bar_list.h"
#include "ui/tables/table.h"
#include "ui/theme/format.h"

#include <QStringList>

#include <memory>

namespace ui::operations {

struct Entry {
  analyser::operations::Operation values;
  int64_t operations = 1;        // in a group
  int operation = -1;            // index of Operations::rows; -1: a group, or a row of another layer
  std::vector<int> members = {}; // ascending indices of the entry's operations; empty if this report lacks the entry
  int parent = -1;               // index of an earlier entry; -1: none
  std::string title = {};        // in a tree; empty: the name
  int pair = -1;                 // for two reports: index of the pair; -1: a group
};
analyser::columns::Subjects subjectsOf(const Entry& entry); // a group: its costliest step

// The rows of all lists and tables are entries; row ids are their indices everywhere.
std::vector<Entry> operationEntries(const analyser::operations::Operations& operations); // in program order
std::vector<Entry> kindEntries(const analyser::operations::Operations& operations);      // largest first
std::vector<Entry> treeEntries(const std::vector<analyser::operations::TreeRow>& tree);  // entry i is row i
std::vector<Entry> layerEntries(const analyser::operations::Operations& ofLayer);

// The columns that the user can choose, and the ids of those shown at first.
const analyser::columns::Columns<analyser::operations::Operation>& choosableColumns();
QStringList columnsShownAtFirst();
// `first` is the title of the first column; `columns` are ids of choosableColumns(), shown in that list's order.
std::shared_ptr<const tables::Table> entryTable(const std::vector<Entry>& entries, const QString& first,
                                                const QStringList& columns);
std::shared_ptr<const tables::Tree> entryTree(const std::vector<Entry>& entries, const QStringList& columns);

// Length of the folders that all names begin with: "model/block1/" of "model/block1/conv" and "model/block1/relu".
qsizetype commonFolder(const std::vector<Entry>& entries);

enum class Measure { Cycles, Waste };
// The `count` entries with most of the measure, largest first, split by activity or by the kind of waste. Folders of a tree are
// left out, because their parts are entries too. `rootsAlone`: only the roots of a tree, e.g. IPUs. `inB`: the same entries of
// the other report; the bars then show B, a tick on each shows A, and the largest change is first.
std::vector<plot::Bar> topBars(const std::vector<Entry>& entries, Measure measure, std::size_t count, const theme::Theme& theme,
                               const theme::Format& format, bool rootsAlone = false, const std::vector<Entry>& inB = {});

// The program steps of the operations `members` (ascending), in program order. A step that several of them share is one row. Row
// ids are indices of `steps`.
std::shared_ptr<const tables::Table> stepTable(const std::vector<analyser::operations::OperationStep>& steps,
                                               std::span<const int> members);

} // namespace ui::operations
