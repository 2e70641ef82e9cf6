#include "ui/tables/paired.h"

#include <QObject>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace ui::tables {

namespace {

// The kind of a difference; nullopt if a difference of such numbers has no meaning.
std::optional<Kind> changeOf(Kind kind) {
  switch (kind) {
  case Kind::Count: return Kind::CountDelta;
  case Kind::TileCycles: return Kind::TileCyclesDelta; // never shown as a time
  case Kind::Bytes: return Kind::BytesDelta;
  case Kind::Cycles: return Kind::CyclesDelta;
  case Kind::Nanoseconds: return Kind::NanosecondsDelta;
  case Kind::Flops: return Kind::FlopsDelta;
  default: return {};
  }
}

template<class T> int indexOf(const T* table, const QString& id) {
  for (int i = 0; table && i < int(table->columns.size()); ++i)
    if (table->columns[std::size_t(i)].id == id) return i;
  return -1;
}

struct PairedColumn {
  Column of;
  int inA = -1, inB = -1;
  bool isKey = false;
  bool isMain = false;                                        // the first column with a bar: its A and B stay in a narrow window
  bool isAmount = false;                                      // a report without the row has the value 0
  bool isOne() const { return isKey || !isNumeric(of.kind); } // a key or a text has one column for both
};

template<class T> std::vector<PairedColumn> columnsOfBoth(const T* a, const T* b, const QStringList& keys) {
  std::vector<PairedColumn> columns;
  const auto add = [&](const T* table, bool isSecond) {
    for (const Column& column : table ? table->columns : std::vector<Column>())
      if (!isSecond || indexOf(a, column.id) < 0)
        columns.push_back({column, indexOf(a, column.id), indexOf(b, column.id), keys.contains(column.id)});
  };
  add(a, false), add(b, true);
  // A change with a bar stays in a narrow window. If no change has a bar, the first change gets one.
  const auto changes = [](const PairedColumn& column) { return !column.isOne() && changeOf(column.of.kind); };
  for (PairedColumn& column : columns) {
    column.of.bar = column.of.bar && changes(column);
    column.isAmount = column.of.bar || column.of.total; // set before a bar is given to another column
  }
  const auto first = std::find_if(columns.begin(), columns.end(), changes);
  if (first != columns.end() && std::none_of(columns.begin(), columns.end(), [](const auto& column) { return column.of.bar; }))
    first->of.bar = true;
  const auto main = std::find_if(columns.begin(), columns.end(), [](const auto& column) { return column.of.bar; });
  if (main != columns.end()) main->isMain = true;
  return columns;
}

QString textOf(const Cell& cell) {
  if (const auto* text = std::get_if<QString>(&cell)) return *text;
  if (const auto* whole = std::get_if<int64_t>(&cell)) return QString::number(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return QString::number(*real);
  return {};
}

using Key = std::pair<QStringList, int>; // the texts, and the index of the row among rows with equal texts

template<class T> std::vector<Key> keysOf(const T* table, const QStringList& keys) {
  std::vector<Key> found;
  std::map<std::pair<int, QStringList>, int> seen; // counts rows with equal texts, by parent
  for (std::size_t r = 0; table && r < table->rows.size(); ++r) {
    QStringList texts;
    for (const QString& key : keys)
      if (const int at = indexOf(table, key); at >= 0) texts << textOf(table->rows[r].cells[std::size_t(at)]);
    int parent = -1;
    if constexpr (requires { table->rows[r].parent; }) parent = table->rows[r].parent;
    const int number = seen[{parent, texts}]++;
    found.emplace_back(std::move(texts), number);
  }
  return found;
}

Cell cellAt(const Row* row, int column) {
  return row && column >= 0 && std::size_t(column) < row->cells.size() ? row->cells[std::size_t(column)] : Cell();
}

// For an amount (e.g. bytes), a report without the row counts as 0. Other numbers (e.g. of a step) then have no change.
Cell changeIn(const Cell& a, const Cell& b, bool isAmount) {
  const auto *x = std::get_if<int64_t>(&a), *y = std::get_if<int64_t>(&b);
  return (x && y) || (isAmount && (x || y)) ? Cell((y ? *y : 0) - (x ? *x : 0)) : Cell();
}

Cell bothTexts(const Cell& a, const Cell& b) {
  const QString before = textOf(a), after = textOf(b);
  if (before.isEmpty()) return b;
  return after.isEmpty() || after == before ? a : Cell(QObject::tr("%1 → %2").arg(before, after));
}

void addColumns(std::vector<Column>& columns, const PairedColumn& from) {
  if (from.isOne()) return columns.push_back(from.of);
  const auto add = [&](const char* suffix, const QString& title, Kind kind, bool isBar) {
    Column column = from.of;
    column.id += QLatin1String(suffix), column.title = title, column.kind = kind, column.bar = isBar;
    column.isOptional = !from.isMain && !isBar;
    columns.push_back(std::move(column));
  };
  add("A", QObject::tr("%1, A").arg(from.of.title), from.of.kind, false);
  add("B", QObject::tr("%1, B").arg(from.of.title), from.of.kind, false);
  if (const auto change = changeOf(from.of.kind))
    add("Change", QObject::tr("%1, B − A").arg(from.of.title), *change, from.of.bar);
}

void addCells(Row& row, const PairedColumn& from, const Row* a, const Row* b) {
  const Cell inA = cellAt(a, from.inA), inB = cellAt(b, from.inB);
  const bool hasKinds = (a && !a->kinds.empty()) || (b && !b->kinds.empty());
  const Kind kind = a ? a->kindAt(from.inA, from.of.kind) : b->kindAt(from.inB, from.of.kind);
  const auto add = [&](Cell cell, Kind of) {
    row.cells.push_back(std::move(cell));
    if (hasKinds) row.kinds.push_back(of);
  };
  if (from.isOne()) return add(from.isKey ? (inA != Cell() ? inA : inB) : bothTexts(inA, inB), kind);
  add(inA, kind), add(inB, kind);
  if (const auto change = changeOf(from.of.kind)) add(changeIn(inA, inB, from.isAmount), *change);
}

Row rowOf(const std::vector<PairedColumn>& columns, const Row* a, const Row* b) {
  using analyser::columns::Subject;
  Row row;
  row.id = a ? a->id : -1;
  row.swatch = (a ? a : b)->swatch;
  for (const auto& [from, in] : {std::pair{a, Subject::In::Base}, {b, Subject::In::Other}})
    for (std::size_t i = 0; from && i < from->about.size(); ++i) {
      row.about.push_back(from->about[i]);
      row.about.back().in = in;
    }
  for (const PairedColumn& column : columns) addCells(row, column, a, b);
  return row;
}

} // namespace

std::shared_ptr<const Table> paired(const std::shared_ptr<const Table>& a, const std::shared_ptr<const Table>& b,
                                    const QStringList& keys) {
  std::map<Key, int> others;
  const auto keysInA = keysOf(a.get(), keys), keysInB = keysOf(b.get(), keys);
  for (std::size_t r = 0; r < keysInB.size(); ++r) others.emplace(keysInB[r], int(r));
  std::vector<RowPair> pairs;
  std::vector<bool> isPaired(keysInB.size());
  for (std::size_t r = 0; r < keysInA.size(); ++r) {
    const auto match = others.find(keysInA[r]);
    pairs.push_back({-1, int(r), match == others.end() ? -1 : match->second});
    if (match == others.end()) continue;
    isPaired[std::size_t(match->second)] = true;
    others.erase(match);
  }
  for (std::size_t r = 0; r < isPaired.size(); ++r)
    if (!isPaired[r]) pairs.push_back({-1, -1, int(r)});
  auto table = paired(a, b, pairs, keys);
  for (Row& row : table->rows) {
    const int inA = pairs[std::size_t(row.id)].inA;
    row.id = inA < 0 ? -1 : a->rows[std::size_t(inA)].id;
  }
  return table;
}

std::shared_ptr<Table> paired(const std::shared_ptr<const Table>& a, const std::shared_ptr<const Table>& b,
                              const std::vector<RowPair>& pairs, const QStringList& keys) {
  const auto columns = columnsOfBoth(a.get(), b.get(), keys);
  auto table = std::make_shared<Table>();
  table->total = a ? a->total : b ? b->total : QString();
  int largest = -1; // the column of the change that orders the rows
  for (const PairedColumn& column : columns) {
    addColumns(table->columns, column);
    if (largest < 0 && column.of.bar && changeOf(column.of.kind)) largest = int(table->columns.size()) - 1;
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const RowPair& pair = pairs[i];
    table->rows.push_back(rowOf(columns, pair.inA < 0 ? nullptr : &a->rows[std::size_t(pair.inA)],
                                pair.inB < 0 ? nullptr : &b->rows[std::size_t(pair.inB)]));
    table->rows.back().id = int64_t(i);
  }
  const auto changeIn = [largest](const Row& row) {
    const auto* change = std::get_if<int64_t>(&row.cells[std::size_t(largest)]);
    return change ? std::abs(*change) : int64_t(0);
  };
  if (largest >= 0)
    std::stable_sort(table->rows.begin(), table->rows.end(),
                     [&](const Row& x, const Row& y) { return changeIn(x) > changeIn(y); });
  return table;
}

std::shared_ptr<Tree> paired(const Tree& a, const Tree& b, const std::vector<RowPair>& pairs, const QStringList& keys) {
  const auto columns = columnsOfBoth(&a, &b, keys);
  auto tree = std::make_shared<Tree>();
  for (const PairedColumn& column : columns) addColumns(tree->columns, column);
  for (const RowPair& pair : pairs) {
    TreeRow row{rowOf(columns, pair.inA < 0 ? nullptr : &a.rows[std::size_t(pair.inA)],
                      pair.inB < 0 ? nullptr : &b.rows[std::size_t(pair.inB)])};
    row.parent = pair.parent;
    tree->rows.push_back(std::move(row));
  }
  return tree;
}

std::shared_ptr<const Tree> paired(const std::shared_ptr<const Tree>& a, const std::shared_ptr<const Tree>& b,
                                   const QStringList& keys) {
  const Tree inA = a ? *a : Tree(), inB = b ? *b : Tree();
  const auto keysInA = keysOf(&inA, keys), keysInB = keysOf(&inB, keys);
  std::vector<RowPair> pairs;
  std::map<std::pair<int, Key>, int> at; // pairs by their parent and key
  std::vector<int> ofA, ofB;             // the pair of each row
  for (std::size_t r = 0; r < inA.rows.size(); ++r) {
    const int parent = inA.rows[r].parent < 0 ? -1 : ofA[std::size_t(inA.rows[r].parent)];
    ofA.push_back(int(pairs.size())), at.emplace(std::pair(parent, keysInA[r]), int(pairs.size()));
    pairs.push_back({parent, int(r), -1});
  }
  for (std::size_t r = 0; r < inB.rows.size(); ++r) {
    const int parent = inB.rows[r].parent < 0 ? -1 : ofB[std::size_t(inB.rows[r].parent)];
    const auto [same, isNew] = at.emplace(std::pair(parent, keysInB[r]), int(pairs.size()));
    ofB.push_back(same->second);
    if (isNew) pairs.push_back({parent, -1, -1});
    pairs[std::size_t(same->second)].inB = int(r);
  }
  return paired(inA, inB, pairs, keys);
}

} // namespace ui::tables
