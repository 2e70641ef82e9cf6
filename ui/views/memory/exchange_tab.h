// The tab of exchanges: bytes and code by step, by operation or by the tile at the other end.
#pragma once

#include "analyser/memory/exchange_uses.h"
#include "ui/tables/table_view.h"

#include <memory>

class QComboBox;

namespace ui::shell {
class ViewFields;
}

namespace ui::memory {

// "from tile 12 (896 B) and 3 more: 4 (64 B), …; to tile 7 (128 B)"; estimated bytes have a "≈". Empty without partners.
QString partnersText(const analyser::memory::Partners& partners);

struct ExchangeTables {
  std::shared_ptr<const tables::Table> bySteps, byOperations, byPartners;
};
// Row id: the program step; for an operation, its exchange with the most code (-1: none); for a partner, the tile.
// `ofNoExchange`: code that belongs to no exchange. `isOfAll`: all tiles, not only the selected ones.
ExchangeTables exchangeTables(const analyser::memory::ExchangesOfTiles& exchanges, const analyser::Machine& machine,
                              reports::Bytes ofNoExchange, bool isOfAll);

class ExchangeTab : public tables::FilteredTable {
  Q_OBJECT

public:
  explicit ExchangeTab(const theme::Theme& theme, QWidget* parent = nullptr);
  void setTables(ExchangeTables tables);
  void addFields(shell::ViewFields& fields);

signals:
  void stepChosen(int64_t step);
  void stepActivated(int64_t step);
  void tileActivated(int64_t tile);

private:
  enum class By { Steps, Operations, Partners };
  void show();
  ExchangeTables m_tables;
  By m_by = By::Steps;
  QComboBox* m_choice;
};

} // namespace ui::memory
