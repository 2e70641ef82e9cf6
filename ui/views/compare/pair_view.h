// Base of all views of the difference of two reports: handles their sessions. Each view reads both reports on its own
// workers; `read` starts that, and `drop` forgets the results.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
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
  virtual void begin() {} // other sessions, before they are read; there may be fewer than two
  bool hasBoth() const { return m_base && m_other; }
  const shell::SessionPointer& base() const { return m_base; }
  const shell::SessionPointer& other() const { return m_other; }

  // Runs work(base session, other session, stop) on a worker; `done` gets its result here. An error fills the page.
  template<class Result, class Work, class Done> void ask(jobs::LatestJob<Result>& job, Work work, Done done) {
    job.start(
        [a = m_baseWorker, b = m_otherWorker, work](const std::stop_token& stop, reports::Progress&) {
          return a->use([&](analyser::Session& base) {
            return b->use([&](analyser::Session& other) { return Result(work(base, other, stop)); });
          });
        },
        std::move(done), [this](const reports::Error& error) { showFailure(error); });
  }
  // The same for the main result of the page.
  template<class Result, class Work, class Show> void fill(jobs::LatestJob<Result>& job, Work work, Show show) {
    showLoading(job.title());
    ask(job, std::move(work), [this, show = std::move(show)](const Result& answer) {
      show(answer);
      showContent();
    });
  }
  std::shared_ptr<shell::WorkerSession> baseWorker() const { return m_baseWorker; }
  std::shared_ptr<shell::WorkerSession> otherWorker() const { return m_otherWorker; }

private:
  void showLoading(const QString& title);
  void showContent();
  void showFailure(const reports::Error& error);
  shell::SessionPointer m_base, m_other;
  std::shared_ptr<shell::WorkerSession> m_baseWorker, m_otherWorker;
};

} // namespace ui::compare
