// The first page: four key figures, then the use of time and memory, the fullest tiles, and beside them the program, the machine,
// the options and the origin. One request to the analyser fills all of it.
#pragma once

#include "analyser/summary/summary.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/parts/view.h"
#include "ui/views/summary/summary_texts.h"

class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace ui::plot {
class BarList;
class Histogram;
class SplitBar;
} // namespace ui::plot
namespace ui::shell {
class FactList;
} // namespace ui::shell

namespace ui::summary {

class FigureButton;
class FindingsCard;

class SummaryView : public shell::View {
  Q_OBJECT

public:
  explicit SummaryView(const shell::ViewParts& parts);
  ~SummaryView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  bool focusFilter() override;

protected:
  void themeChanged() override;
  void formatChanged() override;
  void forgetReport() override;

private:
  QWidget* buildFigures();
  // Facts that only some reports have: the frame is hidden if there are none.
  struct NamedCard {
    QWidget* frame = nullptr;
    shell::FactList* facts = nullptr;
  };
  QVBoxLayout* addCard(QVBoxLayout* column, const QString& title);
  void addNamedCard(QVBoxLayout* column, const QString& title, NamedCard& card, int columns);
  void buildLeft(QVBoxLayout* column);
  void buildRight(QVBoxLayout* column);
  void read();
  void show(const analyser::summary::Summary& summary);
  void showFigures(const analyser::summary::Summary& summary);
  void showTime(const analyser::summary::Summary& summary);
  void showMemory(const analyser::summary::Summary& summary);
  void showFullest(const analyser::summary::Summary& summary);
  void showPlans(const analyser::summary::Summary& summary);
  void readCut(const analyser::summary::Summary& summary);
  void showFacts(const analyser::summary::Summary& summary);
  // Shows the metadata that `nameOf` has a name for.
  void showNamed(const analyser::summary::Summary& summary, const NamedCard& card,
                 std::optional<QString> (*nameOf)(const std::string& key));
  void showOptions();
  void showBanner(const analyser::summary::Summary& summary);
  void showTilesBetween(int64_t begin, int64_t end);

  std::shared_ptr<shell::WorkerSession> m_worker;
  jobs::LatestJob<analyser::summary::Summary> m_job;
  jobs::LatestJob<std::vector<reports::TileId>> m_barJob; // tiles of a bar of the histogram
  jobs::LatestJob<LayersByIpu> m_cutJob;
  std::vector<FigureButton*> m_figures;
  std::vector<QLabel*> m_titles;
  plot::SplitBar *m_time = nullptr, *m_memory = nullptr;
  plot::BarList *m_fullest = nullptr, *m_plans = nullptr;
  plot::Histogram* m_histogram = nullptr;
  NamedCard m_tags, m_parameters;
  shell::FactList *m_program = nullptr, *m_machine = nullptr, *m_graph = nullptr, *m_options = nullptr, *m_provenance = nullptr;
  FindingsCard* m_findings = nullptr;
  QLineEdit* m_optionFilter = nullptr;
  QLabel *m_optionNote = nullptr, *m_timeNote = nullptr, *m_memoryNote = nullptr, *m_planNote = nullptr;
  QWidget* m_planCard = nullptr; // hidden if a report has no plans
};

} // namespace ui::summary
