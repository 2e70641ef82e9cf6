// Which tiles are full, and of what: the curve over tiles or the floor plan, and below it the contents of the selected tiles. The
// legend filters both plots. The selection of tiles is the window's, so other views follow it. For two reports the view shows
// both curves or the change, and tables of A, B and the change; every control acts on both.
#pragma once

#include "analyser/memory/tile_metrics.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/reports_of_view.h"
#include "ui/parts/view.h"
#include "ui/views/memory/memory_reading.h"
#include "ui/views/memory/memory_scene.h"

class QAction;
class QComboBox;

namespace ui::shell {
class DebugTab;
class TileField;
class TryButton;
} // namespace ui::shell
namespace ui::plot {
class Legend;
}

namespace ui::memory {

class MemoryPicture;

inline constexpr const char* kIpus = "ipus";   // order offered only if the machine has several IPUs
inline constexpr const char* kApart = "apart"; // plot kind offered only if two reports are compared

// The values of the view's controls.
struct MemoryState {
  enum class Picture { Curve, Apart, Map } picture = Picture::Curve;
  std::optional<analyser::memory::TileMetric> figure; // none: memory
  analyser::memory::Breakdown breakdown = analyser::memory::Breakdown::ByCategory;
  Order order = Order::Software;
  bool toLimit = false, withGaps = false, withBand = false, isLogarithmic = false, isPerIpu = false;
};

class MemoryView : public shell::View {
  Q_OBJECT

public:
  explicit MemoryView(const shell::ViewParts& parts);
  ~MemoryView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  QString selectionText() const override;
  bool focusFilter() override;
  std::vector<std::pair<QString, QString>> keys() const override;

protected:
  void themeChanged() override;
  void formatChanged() override;
  void showEvent(QShowEvent* event) override;
  void takeTab() override;
  void widen() override;
  void forgetReport() override;

private:
  void buildTools();
  void buildTabs();
  const analyser::Machine& machine() const { return m_reports.machine(); }
  void offer(QComboBox& box, const char* choice, bool isOffered);
  void readMemory();
  void selectFullest();
  void readRest();
  void readDetails();
  void readSteps();
  void showSteps();
  void readMetric();
  std::optional<reports::IpuId> ipu() const;
  void chooseVariables(const std::vector<int64_t>& ids);
  void followVariable();
  void readVariables();
  void showPlaces();
  void showMaker();
  void showMemory();
  void showFigures(const analyser::memory::TileMemory& memory);
  bool areTwo() const { return m_reports.areTwo(); }
  void readTiles();
  void showSelection();
  QString tilesText() const;

  shell::ReportsOfView m_reports;
  using Memory = analyser::memory::TileMemory;
  jobs::LatestJob<shell::Both<Memory>> m_memoryJob;
  std::shared_ptr<const Memory> memory() const; // of the report, or of A
  jobs::LatestJob<Details> m_detailsJob;
  jobs::LatestJob<ChosenVariables> m_variableJob;
  using TileRows = std::shared_ptr<const tables::Table>;
  jobs::LatestJob<TileRows> m_tilesJob;
  using Metric = std::shared_ptr<const analyser::memory::TileMetricValues>;
  Metric shownMetric() const;              // of the report, or of A; null: memory is shown
  Metric m_tilesFigure;                    // figure in the tab of tiles; null: memory
  std::shared_ptr<const Memory> m_tilesOf; // memory that these rows show, or will once they are made
  jobs::LatestJob<MemorySteps> m_stepsJob;
  jobs::LatestJob<shell::Both<Metric>> m_metricJob;
  MemoryState m_state;
  int m_ipu = -1;
  bool m_fresh = true;                          // true until something of this report has been shown
  std::vector<reports::VariableId> m_variables; // variables whose curves are drawn; the first is the window's
  reports::VariableId m_ofOther;                // variable of B, chosen in the table of a tile where A lacks it
  int m_notDrawn = 0;                           // number of selected variables that are not drawn

  QComboBox *m_picturesBox, *m_figures, *m_breakdowns, *m_orders, *m_ipus;
  shell::TileField* m_typed;
  QAction *m_showLimit, *m_showGaps, *m_perIpu;
  shell::TryButton* m_try;
  plot::Legend* m_legend;
  MemoryPicture* m_picture;
  StepBar* m_steps; // of the metric
  MemoryTabs* m_tabs;
  shell::DebugTab* m_maker; // of the selected variable
};

} // namespace ui::memory
