// When memory is needed, and by which variables: the curve of live memory at every program step, and below it the variables live
// at the selected one. The peak is selected at first, because it is the main result. Two reports have both curves, a step of A
// and the step of B with its name, and tables of A, B and the change; every control acts on both.
#pragma once

#include "analyser/liveness/shrink.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/view.h"
#include "ui/views/liveness/liveness_geometry.h"
#include "ui/views/liveness/liveness_reading.h"

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

// The values of the view's controls.
struct LivenessState {
  enum class Picture { Merged, Apart } picture = Picture::Merged; // with two reports
};

class LivenessView : public shell::View {
  Q_OBJECT

public:
  explicit LivenessView(const shell::ViewParts& parts);
  ~LivenessView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  QString selectionText() const override;
  bool focusFilter() override;
  std::vector<std::pair<QString, QString>> keys() const override;
  int64_t selectedStep() const { return m_step; }                   // of A, of two reports; -1: only B has it
  int64_t stepInOther() const { return m_stepInOther; }             // of B; -1: none
  reports::Range<int64_t> selectedRange() const { return m_range; } // of steps; empty: none

protected:
  void widen() override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void formatChanged() override;
  void resizeEvent(QResizeEvent* event) override;

private:
  using Answer = LivenessAnswer;
  using AtStep = AliveAtStep;
  using Selected = SelectedSteps;
  void listScopes();
  void showMaker();
  void buildTools();
  void buildTabs();
  void read();
  void readStep();
  void show();
  void showLegend(const Answer& answer);
  void showCurve(const Answer& answer);
  void showCurveOf(plot::StepPlot& curve, const Answer& answer);
  void showBothCurves(const Answer& answer);
  bool isMerged() const { return m_reports.areTwo() && m_state.picture == LivenessState::Picture::Merged; }
  void showFrame(plot::StepPlot& plot, const Answer& answer, reports::Bytes always, reports::Bytes capacity);
  bool showsAlways() const;
  void setAlwaysShown(bool shown);
  void showStep(const AtStep& at);
  void placeStepTitle();
  void selectStep(int64_t ordinal, bool tell);
  void selectStepOfOther(int64_t ordinal);
  void selectPeak();
  int64_t matchInOther(int64_t step) const; // -1: none
  Selected selectedInOther() const;
  void selectRange(reports::Range<int64_t> steps, bool tell);
  void extendRange(int64_t by);
  QString rangeText() const; // "749-832"; empty: no range
  void setRangeText(const QString& text);
  void showTitle(const AtStep& at);
  QString stepsText() const; // with two reports
  void tellStep();           // sends the selected step to the other views
  void compareWith(int64_t ordinal);
  void showSelection();
  const analyser::liveness::LiveVariable* selectedVariable() const;
  plot::Card stepCard(int64_t ordinal) const;
  plot::Card cardOfBoth(const Answer& answer, int64_t position) const;
  StepAxis lifetimeAxis() const;

  shell::ReportsOfView m_reports;
  LivenessState m_state;
  jobs::LatestJob<Answer> m_job;
  jobs::LatestJob<AtStep> m_stepJob;
  QString m_scope;                    // empty until the report has been read
  QString m_firstScope;               // the initial scope: a tile that is too full, else "all"
  int64_t m_step = -1, m_second = -1; // the second is compared with the first
  int64_t m_stepInOther = -1;         // step of B
  reports::Range<int64_t> m_range;    // the selected range; m_step is then its step with most live memory
  int64_t m_anchor = -1;              // the end of the range that keys do not move
  bool m_fresh = true;                // true until something of this report has been shown

  bool m_toLimit = false; // the axis goes up to the available memory
  QComboBox *m_scopes, *m_pictures;
  QAction* m_showLimit;
  plot::Legend* m_legend;
  plot::StepPlot *m_curve, *m_below; // below: B, if the curves are apart
  tables::FilteredTable *m_notAlways, *m_always, *m_difference, *m_work, *m_shrink, *m_steps;
  shell::WrappedLabel *m_shrinkWords, *m_rangeWords;
  shell::DebugTab* m_maker; // of the selected variable
  LifetimeChart* m_lifetimes;
  shell::ElidedLabel* m_stepTitle;
};

} // namespace ui::liveness
