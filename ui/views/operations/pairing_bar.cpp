#include "ui/views/operations/pairing_bar.h"

#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QPushButton>

#include <algorithm>

namespace ui::operations {

using analyser::compare::OperationPair;
using analyser::compare::PairingRules;
using analyser::compare::Presence;

PairingChoice pairingChoice(const std::vector<OperationPair>& operations, const std::vector<int64_t>& rows) {
  PairingChoice choice;
  const auto row = [&](std::size_t i) -> const OperationPair* {
    return rows[i] >= 0 && std::size_t(rows[i]) < operations.size() ? &operations[std::size_t(rows[i])] : nullptr;
  };
  if (rows.size() == 1) {
    if (const OperationPair* o = row(0); o && !o->otherName.empty()) choice.apart = {o->name, o->otherName};
  } else if (rows.size() == 2) {
    const OperationPair *a = row(0), *b = row(1);
    if (a && b && a->presence() == Presence::OtherOnly) std::swap(a, b);
    if (a && b && a->presence() == Presence::BaseOnly && b->presence() == Presence::OtherOnly)
      choice.together = {a->name, b->name};
  }
  return choice;
}

PairingBar::PairingBar(shell::ViewState& state, tables::TableView& table, Operations operations, QWidget* parent)
    : QWidget(parent), m_state(state), m_table(table), m_operations(std::move(operations)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(theme::kGrid);
  row->addWidget(m_pair = new QPushButton(tr("Pair")));
  row->addWidget(m_apart = new QPushButton(tr("Keep apart")));
  row->addWidget(m_undo = new QPushButton(tr("As found")));
  m_undo->setToolTip(theme::tipText(tr("Forget the pairs made and broken by hand")));
  table.setSelectionMode(QAbstractItemView::ExtendedSelection);
  connect(&table, &tables::TableView::idsSelected, this, &PairingBar::showChoice);
  connect(&state.notes(), &shell::ReportNotes::pairingChanged, this, &PairingBar::showChoice);
  connect(m_pair, &QPushButton::clicked, this, [this] {
    const PairingChoice now = choice();
    if (!now.together) return;
    PairingRules rules = m_state.notes().pairing();
    const auto& base = now.together->first; // clang 14 cannot capture names of a structured binding
    const auto& other = now.together->second;
    std::erase_if(rules.together, [&](const auto& pair) { return pair.first == base || pair.second == other; });
    rules.apart.erase(base), rules.apart.erase(other);
    rules.together.emplace_back(base, other);
    m_state.notes().setPairing(std::move(rules));
  });
  connect(m_apart, &QPushButton::clicked, this, [this] {
    const PairingChoice now = choice();
    if (!now.apart) return;
    PairingRules rules = m_state.notes().pairing();
    std::erase(rules.together, *now.apart);
    rules.apart.insert(now.apart->first), rules.apart.insert(now.apart->second);
    m_state.notes().setPairing(std::move(rules));
  });
  connect(m_undo, &QPushButton::clicked, this, [this] { m_state.notes().setPairing({}); });
  showChoice();
}

PairingChoice PairingBar::choice() const {
  const auto* operations = m_operations();
  return operations ? pairingChoice(*operations, m_table.selectedIds()) : PairingChoice();
}

void PairingBar::showChoice() {
  const PairingChoice now = choice();
  const auto name = [](const std::string& text) { return theme::reportText(text); };
  m_pair->setEnabled(now.together.has_value());
  m_pair->setToolTip(theme::tipText(
      now.together ? tr("Compare %1 with %2").arg(name(now.together->first), name(now.together->second))
                   : tr("Select an operation that is only in A and, with Ctrl, one that is only in B: they become one row")));
  m_apart->setEnabled(now.apart.has_value());
  m_apart->setToolTip(
      theme::tipText(now.apart ? tr("%1 and %2 are not the same operation").arg(name(now.apart->first), name(now.apart->second))
                               : tr("Select a row with an arrow (a guessed pair) to split it into two rows")));
  m_undo->setVisible(!m_state.notes().pairing().together.empty() || !m_state.notes().pairing().apart.empty());
}

} // namespace ui::operations
