// The selected program step: facts, cycles by tile, vertices, exchanged bytes, the variables live then, and its debug layers.
// Tabs without content for this kind of step are hidden.
#pragma once

#include "analyser/program/program_tree.h"
#include "ui/tables/table.h"
#include "ui/theme/format.h"
#include "ui/views/program/exchange_page.h"

#include <QWidget>

#include <memory>
#include <optional>

class QLabel;
class QTabWidget;
class QVBoxLayout;

namespace ui::theme {
class Theme;
}
namespace ui::plot {
class StepPlot;
}
namespace ui::shell {
class ViewFields;
class ElidedLabel;
class FactList;
} // namespace ui::shell
namespace ui::tables {
class TableView;
class TreeView;
} // namespace ui::tables

namespace ui::program {

// For a sequence, loop, function or condition: the steps inside it. Steps of functions that it calls are not included.
struct StepsInside {
  int64_t steps = 0;
  reports::Cycles cycles, inclusive; // without and with the functions it calls
  double share = 0;                  // of the program's cycles
};

struct StepAnswer {
  analyser::program::StepDetails details;
  std::string layer; // of the model
  int64_t tilesPerIpu = 0;
  std::optional<StepsInside> inside; // for a step that contains others
  std::shared_ptr<const tables::Table> vertices;
  std::shared_ptr<const analyser::program::ExchangeTraffic> traffic; // null: no exchange
  ExchangeTablesOfStep partners;
  std::shared_ptr<const tables::Tree> variables, debug;
  std::shared_ptr<const StepAnswer> other; // B's answer; A's tables then have A, B and the change

  bool isThere() const { return details.id.valid(); } // false: only the other report has the step
};

class StepPanel : public QWidget {
  Q_OBJECT

public:
  explicit StepPanel(const theme::Theme& theme, QWidget* parent = nullptr);
  void showStep(const StepAnswer& answer, const theme::Format& format);
  // Call before anything is selected.
  void addFields(shell::ViewFields& fields);
  void showHint(const QString& text);

signals:
  void tileClicked(int tile);
  void variableSelected(int64_t variable);
  void sourceActivated(const QString& place);

private:
  void placeFacts(bool ofTwo);
  void showCycles(const StepAnswer& answer, bool isNew, const theme::Format& format);
  void showBytes(const StepAnswer& answer, bool isNew, const theme::Format& format);

  const theme::Theme& m_theme;
  shell::ElidedLabel* m_title;
  QLabel* m_hint;
  shell::FactList* m_facts;
  QVBoxLayout *m_column, *m_factColumn; // the layouts for the facts: above the tabs, or in a tab
  QWidget* m_factPage;
  QTabWidget* m_tabs;
  ExchangePage* m_exchange;
  plot::StepPlot* m_cycles;
  tables::TableView* m_vertices;
  tables::TreeView *m_variables, *m_debug;
  int m_firstTile = 0;
  std::pair<reports::ProgramStepId, reports::ProgramStepId> m_shown; // in A and in B
};

} // namespace ui::program
