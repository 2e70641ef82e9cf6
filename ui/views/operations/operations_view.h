// Which operations of the model cost most, and which waste most. A plot shows them as bars, as a graph or over the roofline; a
// list shows them as a table, as a tree of their names, or by the layer that made them. All share one selection, whose program
// steps are listed. For two reports, a row is a pair of operations with A, B and the change; pairs can be changed by hand.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/parts/view.h"
#include "ui/views/operations/flow_graphs.h"
#include "ui/views/operations/operations_reading.h"
#include "ui/views/operations/tile_tab.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
class QStackedWidget;

namespace ui::shell {
class DebugTab;
class TryButton;
} // namespace ui::shell
namespace ui::plot {
class Legend;
}
namespace ui::tables {
class FilteredTable;
class TreeView;
} // namespace ui::tables

namespace ui::operations {

class GraphPlot;
class PairingBar;
enum class GraphMeasure;
class Roofline;

class OperationsView : public shell::View {
  Q_OBJECT

public:
  explicit OperationsView(const shell::ViewParts& parts);
  ~OperationsView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  QString selectionText() const override;
  bool focusFilter() override;

protected:
  void forgetReport() override;
  void takeTab() override;
  void widen() override;
  void showEvent(QShowEvent* event) override {
    View::showEvent(event);
    follow();
    takeTab();
  }
  void formatChanged() override { show(); }

private:
  enum class Picture { Cycles, Waste, Roofline, Graph };

  void buildTabs();
  void sortLikePicture();
  void buildColumns();
  void read();
  void readRowsOfLayer(const std::string& layer);
  void listGroupings();
  void changeRows();
  void keepSelection();      // before the rows change
  int64_t rowOfKept() const; // -1: no row has the kept operation
  Rows rows() const;
  bool isGrouped() const { return rows() == Rows::ByKind || rows() == Rows::Layer; }
  bool isTree() const { return rows() == Rows::Tree || rows() == Rows::ByIpu; }
  std::string chosenLayer() const;
  void show();
  void showTable();
  void showPicture();
  void showGraph();
  void foldGraph();
  int rowOfGraph(int row) const; // the row for a row of the graph's tree; -1: none
  int inGraph(int64_t row) const;
  void showLegend();
  void offerPictures();
  void showRoofs();
  void showRoofline();
  void select(int64_t row, bool tell);
  void selectLargest();
  void showSteps();
  void showMaker();
  void follow();
  void followOperation(int operation); // index of A's Operations::rows
  void selectOperation(int operation);
  int selectedOperation(Report report = InA) const; // index of Operations::rows; -1: none, or a group is selected
  std::vector<int> selectedMembers(Report report = InA) const;
  TileTab::Steps stepsOfRows(Report report = InA) const; // the steps of the rows; null: not known yet
  const analyser::Machine& machineOf(Report report) const;

  shell::ReportsOfView m_reports;
  jobs::LatestJob<OperationsAnswer> m_job;
  jobs::LatestJob<LayerAnswer> m_layerJob;
  FlowGraphs m_graphs;
  ShownRows m_rows;
  QStringList m_columns;
  int64_t m_selected = -1;
  struct {
    int operation = -1; // as selectedOperation()
    std::string name;
  } m_kept;                               // the selection before the rows changed
  Picture m_sortedLike = Picture::Cycles; // the plot whose order the table has
  std::optional<Picture> m_wanted;        // the user's choice, if these rows do not have the plot
  struct {
    Picture picture = Picture::Cycles;
    GraphMeasure measure{};
    int levels = 0; // of the graph; 0: collapsed to fit
  } m_state;
  QComboBox *m_grouping, *m_pictures, *m_colours, *m_levels; // the last two belong to the graph
  plot::Legend* m_legend;
  QStackedWidget *m_plots, *m_lists;
  plot::BarList* m_bars;
  Roofline* m_roofline;
  GraphPlot* m_graph;
  tables::FilteredTable *m_table, *m_steps;
  TileTab* m_tiles;
  tables::TreeView* m_tree;
  shell::DebugTab* m_maker;
  QLineEdit* m_treeFilter;
  shell::TryButton* m_try;
  PairingBar* m_pairing;
};

} // namespace ui::operations
