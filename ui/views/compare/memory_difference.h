// Memory of both reports: the curves over each other or the floor plan of the change, and below it the memory of the selected tiles in A, in B,
// and the difference. The selection of tiles is the window's.
#pragma once

#include "analyser/compare/memory_difference.h"
#include "ui/tables/table.h"
#include "ui/views/compare/pair_view.h"

class QComboBox;
class QStackedWidget;

namespace ui::plot {
class TileMap;
struct Card;
} // namespace ui::plot
namespace ui::shell {
class TileField;
}
namespace ui::tables {
class FilteredTable;
class TreeView;
} // namespace ui::tables

namespace ui::compare {

class PairPlot;

class MemoryDifference : public PairView {
  Q_OBJECT

public:
  explicit MemoryDifference(const shell::ViewParts& parts);
  QString selectionText() const override;
  bool focusFilter() override;

protected:
  void read() override;
  void drop() override;
  void formatChanged() override { show(); }

private:
  struct Answer {
    analyser::memory::TileMemory base, other;
    std::vector<reports::Bytes> differences;
  };
  struct Details {
    std::shared_ptr<const tables::Tree> tree;
    std::shared_ptr<const tables::Table> variables;
  };
  void readDetails();
  void show();
  void showMap(const Answer& answer);
  void showSelection();
  plot::Card tileCard(int tile) const;
  jobs::LatestJob<Answer> m_job;
  jobs::LatestJob<Details> m_details;
  enum class Picture { Both, Apart, Map } m_picture = Picture::Both;
  QComboBox* m_kind;
  shell::TileField* m_typed;
  QStackedWidget* m_pictures;
  PairPlot* m_curves;
  plot::TileMap* m_map;
  tables::TreeView* m_tree;
  tables::FilteredTable* m_variables;
};

} // namespace ui::compare
