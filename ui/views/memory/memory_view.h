// Which tiles are full, and of what: the curve over tiles or the floor plan, and under it what the selected tiles hold.
// The legend filters both pictures; the selection of tiles is the window's, so other views follow it.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/shell/view.h"
#include "ui/shell/on_worker.h"
#include "ui/views/memory/memory_geometry.h"

class QAction;
class QComboBox;
class QLabel;
class QLineEdit;

namespace ui::plot {
class Histogram;
class Legend;
} // namespace ui::plot
namespace ui::tables {
class FilteredTable;
class TreeView;
struct Table;
struct Tree;
} // namespace ui::tables

namespace ui::memory {

class MemoryPicture;
class TileStrip;

class MemoryView : public shell::View {
  Q_OBJECT

public:
  explicit MemoryView(const shell::ViewParts& parts);
  ~MemoryView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  bool isBusy() const override { return m_memoryJob.isBusy() || m_detailsJob.isBusy() || m_variableJob.isBusy(); }
  QString selectionText() const override;
  bool focusFilter() override;
  std::vector<std::pair<QString, QString>> keys() const override;

protected:
  void themeChanged() override;
  void formatChanged() override;
  void forgetReport() override;

private:
  struct Details { // of the selected tiles; tables are made on the worker
    std::shared_ptr<const tables::Tree> tree;
    std::shared_ptr<const analyser::memory::TileLayout> layout;
    std::shared_ptr<const tables::Table> placed, vertices, variables;
    bool fullestInstead = false; // nothing is selected: the strip shows the fullest tile
  };

  void buildTools();
  void buildTabs();
  const analyser::Machine& machine() const { return m_session->machine(); }
  analyser::memory::Breakdown breakdown() const;
  void readMemory();
  void selectFullest();
  static Details detailsOf(analyser::Session& session, const std::vector<reports::TileId>& selected,
                           std::optional<reports::IpuId> ipu, bool dark, const std::stop_token& stop);
  void readDetails();
  std::optional<reports::IpuId> ipu() const;
  void chooseVariables(const std::vector<int64_t>& ids);
  void choosePlaced(const std::vector<int64_t>& places);
  void followVariable();
  void readVariables();
  void selectVariableRows();
  void showMemory();
  void showHistogram(const analyser::memory::TileMemory& memory);
  void showDetails(const Details& details);
  void showSelection();
  void selectTyped();
  void selectTile(int tile, Qt::KeyboardModifiers modifiers);
  QString tilesText() const;

  shell::SessionPointer m_session;
  std::shared_ptr<shell::WorkerSession> m_worker;
  jobs::LatestJob<analyser::memory::TileMemory> m_memoryJob;
  jobs::LatestJob<Details> m_detailsJob;
  using Curves = std::vector<std::shared_ptr<const analyser::memory::TileSeries>>;
  jobs::LatestJob<Curves> m_variableJob;
  int m_ipu = -1;
  std::vector<reports::VariableId> m_variables; // whose curves are drawn; the first is the window's

  QComboBox *m_kind, *m_breakdown, *m_order, *m_ipus;
  QLineEdit* m_typed;
  QAction *m_showLimit, *m_showGaps;
  plot::Legend* m_legend;
  MemoryPicture* m_picture;
  tables::TreeView* m_tree;
  TileStrip* m_strip;
  QLabel* m_stripTitle;
  tables::FilteredTable *m_placed, *m_vertices, *m_largest;
  plot::Histogram* m_histogram;
};

} // namespace ui::memory
