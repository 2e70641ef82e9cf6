// When memory is needed, and by which variables: the curve of live memory at every program step, and below it the variables live
// at the selected one. The peak is selected at first, because it is the main result.
#pragma once

#include "analyser/liveness/shrink.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/parts/view.h"
#include "ui/views/liveness/liveness_geometry.h"

#include <optional>

class QAction;
class QComboBox;

namespace ui::plot {
class Legend;
class StepPlot;
struct Card;
} // namespace ui::plot
namespace ui::shell {
class DebugTab;
class ElidedLabel;
class WrappedLabel;
} // namespace ui::shell
namespace ui::tables {
class FilteredTable;
struct Table;
} // namespace ui::tables

namespace ui::liveness {

class LifetimeChart;

class LivenessView : public shell::View {
  Q_OBJECT

public:
  explicit LivenessView(const shell::ViewParts& parts);
  ~LivenessView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  QString selectionText() const override;
  bool focusFilter() override;
  std::vector<std::pair<QString, QString>> keys() const override;
  int64_t selectedStep() const { return m_step; }
  reports::Range<int64_t> selectedRange() const { return m_range; } // of steps; empty: none

protected:
  void widen() override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void formatChanged() override;
  void resizeEvent(QResizeEvent* event) override;

private:
  struct Answer {
    analyser::liveness::Liveness liveness;
    std::vector<reports::TileId> tiles; // of its scope; empty: all
    std::vector<analyser::liveness::Lifetime> lifetimes;
    std::shared_ptr<const tables::Table> steps;
    std::shared_ptr<const analyser::liveness::LifeIndex> lives;
    std::shared_ptr<const analyser::liveness::Gains> gains;
    std::shared_ptr<const tables::Table> always; // variables that are live at every step
    analyser::liveness::Shrink shrink;
    std::shared_ptr<const tables::Table> shrinkRows;
  };
  struct AtStep {
    analyser::liveness::LiveAtStep live;
    std::shared_ptr<const tables::Table> notAlways, work;
    std::shared_ptr<const tables::Table> difference; // of two steps only
    std::optional<analyser::liveness::LiveRange> range;
    std::shared_ptr<const tables::Table> inRange; // its variables
  };
  // Without a requested scope: the one that decides whether the program fits.
  static Answer answerOf(analyser::Session& session, const std::string& asked, const std::vector<reports::TileId>& tiles,
                         const std::stop_token& stop);
  static AtStep atStep(analyser::Session& session, const Answer& answer, int64_t step, int64_t second,
                       reports::Range<int64_t> selected, const std::stop_token& stop);
  void listScopes();
  void showMaker();
  void buildTools();
  void buildTabs();
  void read();
  void readStep();
  void show();
  void showCurve(const Answer& answer);
  void showStep(const AtStep& at);
  void placeStepTitle();
  void selectStep(int64_t ordinal, bool tell);
  void selectRange(reports::Range<int64_t> steps, bool tell);
  void extendRange(int64_t by);
  QString rangeText() const; // "749-832"; empty: no range
  void setRangeText(const QString& text);
  void showTitle(const AtStep& at);
  void tellStep(); // sends the selected step to the other views
  void compareWith(int64_t ordinal);
  void showSelection();
  const analyser::liveness::LiveVariable* selectedVariable() const;
  plot::Card stepCard(int64_t ordinal) const;
  StepAxis lifetimeAxis() const;

  std::shared_ptr<shell::WorkerSession> m_worker;
  jobs::LatestJob<Answer> m_job;
  jobs::LatestJob<AtStep> m_stepJob;
  QString m_scope;                    // empty until the report names the deciding scope
  QString m_firstScope;               // the scope that decides
  int64_t m_step = -1, m_second = -1; // the second is compared with the first
  reports::Range<int64_t> m_range;    // selected steps; then m_step is where the most of them is alive
  int64_t m_anchor = -1;              // the end of the range that keys do not move
  bool m_fresh = true;                // nothing of this report was shown yet

  bool m_toLimit = false; // the axis goes up to the available memory
  QComboBox* m_scopes;
  QAction* m_showLimit;
  plot::Legend* m_legend;
  plot::StepPlot* m_curve;
  tables::FilteredTable *m_notAlways, *m_always, *m_difference, *m_work, *m_shrink, *m_steps;
  shell::WrappedLabel *m_shrinkWords, *m_rangeWords;
  shell::DebugTab* m_maker; // of the selected variable
  LifetimeChart* m_lifetimes;
  shell::ElidedLabel* m_stepTitle;
};

} // namespace ui::liveness
