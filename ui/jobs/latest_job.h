// Background work where only the newest request matters. At most one request runs and one waits; older ones are dropped. A result
// is delivered on the thread of the object, and only if no newer request came. The last delivered result stays valid meanwhile,
// so a view shows an old image at once and the new one when it is ready. The worker thread is joined in the destructor: work must
// look at its stop token.
#pragma once

#include "reports/core/progress.h"

#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>
#include <memory>
#include <stop_token>

namespace ui::jobs {

class JobBoard;

class JobBase : public QObject {
  Q_OBJECT

public:
  // `title` is what the status line calls the work, e.g. "Reading liveness". `board` may be null.
  JobBase(QString title, JobBoard* board, QObject* parent = nullptr);
  ~JobBase() override;

  const QString& title() const { return m_title; }
  void setTitle(const QString& title) { m_title = title; }
  // For results prepared in advance: the worker runs at a lower priority. Call before the first request.
  void giveWay() { m_givesWay = true; }
  bool isBusy() const { return m_busy; }
  QString phase() const { return m_phase; }
  double fraction() const { return m_fraction; }
  // Drops the running and the waiting request; neither is delivered. The delivered result stays.
  void cancel();
  // Also drops the delivered result.
  virtual void forget() = 0;
  void drop() { cancel(), forget(); }

signals:
  void busyChanged(bool busy);
  void progressed();
  void cancelled();

protected:
  using Delivery = std::function<void()>;
  using Work = std::function<Delivery(std::stop_token, reports::Progress&)>;
  using Failure = std::function<void(const reports::Error&)>;
  // `work` runs on the worker and returns what to do with its result on this object's thread.
  void launch(Work work, Failure failure);

private:
  struct Worker;
  friend struct Worker;
  void finish(quint64 request, const Delivery& delivery);
  void setBusy(bool busy);

  QString m_title, m_phase;
  double m_fraction = 0;
  QPointer<JobBoard> m_board;
  bool m_busy = false, m_givesWay = false;
  quint64 m_newest = 0;
  std::unique_ptr<Worker> m_worker;
};

template<class Result> class LatestJob : public JobBase {
public:
  using JobBase::JobBase;

  // work(stop, progress) -> Result runs elsewhere: it must capture values and shared pointers, never a widget.
  // done(const Result&) and failed(const reports::Error&) run here; a cancelled request calls neither.
  template<class Function, class Done> void start(Function work, Done done, Failure failed = {}) {
    launch(
        [this, work = std::move(work), done = std::move(done)](std::stop_token stop,
                                                               reports::Progress& progress) mutable -> Delivery {
          auto result = std::make_shared<const Result>(work(stop, progress));
          return [this, result, done] {
            m_result = result;
            done(*result);
          };
        },
        std::move(failed));
  }
  // The last delivered result, perhaps of an older request; null before the first.
  std::shared_ptr<const Result> result() const { return m_result; }
  void forget() override { m_result.reset(); }

private:
  std::shared_ptr<const Result> m_result;
};

} // namespace ui::jobs
