// Buttons beside a table of operations that change how two reports are paired, for the selected rows. An operation that is only
// in A and one that is only in B are paired by hand; a guessed pair is separated.
#pragma once

#include "analyser/compare/operation_pairs.h"

#include <QWidget>

#include <functional>

class QPushButton;

namespace ui::shell {
class ViewState;
}
namespace ui::tables {
class TableView;
}

namespace ui::operations {

// The pair that the buttons would make (`together`) or separate (`apart`) with the selected rows; both empty if neither is
// possible.
struct PairingChoice {
  std::optional<std::pair<std::string, std::string>> together; // base name, other name
  std::optional<std::pair<std::string, std::string>> apart;
};
PairingChoice pairingChoice(const std::vector<analyser::compare::OperationPair>& operations, const std::vector<int64_t>& rows);

class PairingBar : public QWidget {
  Q_OBJECT

public:
  using Operations =
      std::function<const std::vector<analyser::compare::OperationPair>*()>; // by row id of the table; null: no operations
  PairingBar(shell::ViewState& state, tables::TableView& table, Operations operations, QWidget* parent = nullptr);

private:
  void showChoice();
  PairingChoice choice() const;

  shell::ViewState& m_state;
  tables::TableView& m_table;
  Operations m_operations;
  QPushButton *m_pair, *m_apart, *m_undo;
};

} // namespace ui::operations
