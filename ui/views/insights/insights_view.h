// Faults of a report, their cost and a remedy to try: findings ranked by saving at the left, the selected one in full at the
// right, its evidence one click away in its view.
#pragma once

#include "analyser/insights/insights.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/parts/view.h"
#include "ui/runs/trial_check.h"

#include <map>

class QComboBox;
class QStackedWidget;
class QTabWidget;
namespace ui::shell {
class StatePage;
}

namespace ui::insights {

class FindingList;
class FindingPanel;
class LargestPanel;

class InsightsView : public shell::View {
  Q_OBJECT

public:
  explicit InsightsView(const shell::ViewParts& parts);
  ~InsightsView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  bool isBusy() const override;
  QString selectionText() const override;
  bool focusFilter() override;
  std::vector<std::pair<QString, QString>> keys() const override;

protected:
  void takeTab() override;
  void showEvent(QShowEvent* event) override {
    View::showEvent(event);
    takeTab();
  }
  void formatChanged() override;

private:
  void read();
  void show();
  void showFinding(int finding);
  void showEvidence();
  void showEvidence(const analyser::insights::Evidence& evidence);
  void tryIt(int trial);
  void checkTrials();
  void showTried();
  const analyser::insights::Insight* current() const;

  shell::SessionPointer m_session;
  std::shared_ptr<shell::WorkerSession> m_worker;
  jobs::LatestJob<analyser::insights::Insights> m_job;
  enum class Kinds { All, Memory, Time } m_shownKinds = Kinds::All;
  QComboBox* m_kinds;
  QTabWidget* m_lists;
  QStackedWidget* m_findings; // the list and its panel, or the text for a report without findings
  shell::StatePage* m_none;
  FindingList* m_list;
  FindingPanel* m_panel;
  LargestPanel* m_largest;
  // Results of runs that tried a change, as verdicts of the comparison; by report, empty while being read.
  std::map<QString, analyser::Sentence> m_tried;
  jobs::LatestJob<std::pair<QString, analyser::Sentence>> m_triedJob;
  shell::TrialCheck* m_check;                                     // of the trials of a program that does not fit
  std::map<QString, std::map<int, shell::TrialAnswer>> m_checked; // by report, until the window is closed
};

} // namespace ui::insights
