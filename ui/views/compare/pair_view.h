// Base of all views of the difference of two reports: handles their sessions. Each view reads both reports on its own
// workers; `read` starts that, and `drop` forgets the results.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/parts/reports_of_view.h"
#include "ui/parts/view.h"

#include <functional>

namespace ui::compare {

class PairView : public shell::View {
  Q_OBJECT

public:
  explicit PairView(const shell::ViewParts& parts);
  ~PairView() override;
  void setSessions(shell::SessionPointer base, shell::SessionPointer other) final;

protected:
  virtual void read() = 0;
  virtual void drop() { work().drop(); }
  virtual void begin() {} // called for other sessions (maybe fewer than two) before they are read
  bool hasBoth() const { return m_reports.areTwo(); }
  const shell::SessionPointer& base() const { return m_reports.base(); }
  const shell::SessionPointer& other() const { return m_reports.other(); }

  // Runs work(base session, other session, stop) on a worker and calls `done` with its result on this thread. On an error the
  // page shows it.
  template<class Result, class Work, class Done> void ask(jobs::LatestJob<Result>& job, Work work, Done done) {
    job.start(
        [reports = m_reports, work](const std::stop_token& stop, reports::Progress&) {
          return reports.together(
              [&](analyser::Session& base, analyser::Session& other) { return Result(work(base, other, stop)); });
        },
        std::move(done), [this](const reports::Error& error) { showFailure(error); });
  }
  // Like ask(), for the page's main result: the page shows that it is loading, then its content.
  template<class Result, class Work, class Show> void fill(jobs::LatestJob<Result>& job, Work work, Show show) {
    showLoading(job.title());
    ask(job, std::move(work), [this, show = std::move(show)](const Result& answer) {
      show(answer);
      showContent();
    });
  }

private:
  void showLoading(const QString& title);
  void showContent();
  void showFailure(const reports::Error& error);
  shell::ReportsOfView m_reports;
};

} // namespace ui::compare
