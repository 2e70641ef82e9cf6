// The tab of a step's exchange: why its operands move, the bytes from each sender to each receiver, and the bytes of each tile.
#pragma once

#include "analyser/program/exchange_traffic.h"
#include "ui/tables/table.h"
#include "ui/theme/format.h"

#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;

namespace ui::theme {
class Theme;
}
namespace ui::plot {
class Legend;
class StepPlot;
} // namespace ui::plot
namespace ui::shell {
class ViewFields;
}
namespace ui::tables {
class FilteredTable;
}

namespace ui::program {

struct ExchangeTablesOfStep {
  std::shared_ptr<const tables::Table> pairs, senders, receivers, operands;
};
ExchangeTablesOfStep exchangeTables(const analyser::program::ExchangeTraffic& traffic);
// A's and B's rows side by side.
ExchangeTablesOfStep pairedTables(const ExchangeTablesOfStep& a, const ExchangeTablesOfStep& b);

class ExchangePage : public QWidget {
  Q_OBJECT

public:
  explicit ExchangePage(const theme::Theme& theme, QWidget* parent = nullptr);
  plot::Legend& legend() const { return *m_legend; }
  plot::StepPlot& bytes() const { return *m_bytes; }
  // `other`: B's, of two reports; either may be null.
  void show(const analyser::program::ExchangeTraffic* traffic, const analyser::program::ExchangeTraffic* other,
            const ExchangeTablesOfStep& tables, const theme::Format& format);
  void addFields(shell::ViewFields& fields);

signals:
  void tileActivated(int tile);
  void variableSelected(int64_t variable);

private:
  enum class By { Pairs, Senders, Receivers, Operands };
  void showTable();

  QLabel* m_why;
  plot::Legend* m_legend;
  plot::StepPlot* m_bytes;
  tables::FilteredTable* m_table;
  QComboBox* m_choice;
  By m_by = By::Pairs;
  ExchangeTablesOfStep m_tables;
};

} // namespace ui::program
