#include "ui/jobs/latest_job.h"

#include "ui/jobs/job_board.h"

#include <sys/resource.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace ui::jobs {

struct JobBase::Worker : reports::Progress {
  struct Request {
    quint64 number = 0;
    QString title; // the job's title when the request was made; it may change later
    Work work;
    Failure failure;
    std::stop_source stop;
  };

  explicit Worker(JobBase& owner)
      : m_owner(owner), m_givesWay(owner.m_givesWay), m_thread([this](const std::stop_token& quit) { run(quit); }) {}

  ~Worker() override { replace(std::nullopt); } // the destructor of m_thread then requests a stop and joins

  // Makes `next` the waiting request and asks the running request to stop.
  void replace(std::optional<Request> next) {
    const std::lock_guard lock(m_mutex);
    m_running.request_stop();
    m_waiting = std::move(next);
    m_wake.notify_all();
  }

  void phase(std::string_view name) override { report(QString::fromUtf8(name.data(), qsizetype(name.size())), 0); }
  void update(double fraction) override {
    // Reports steps of at least 1 %: a progress bar shows no more, and more events would only fill the event queue.
    if (fraction < m_reported + 0.01 && fraction < 1 && fraction >= m_reported) return;
    report(m_phase, fraction);
  }

private:
  void report(const QString& phase, double fraction) {
    m_phase = phase, m_reported = fraction;
    QMetaObject::invokeMethod(&m_owner, [owner = &m_owner, number = m_number, phase, fraction] {
      if (number != owner->m_newest || !owner->m_busy) return;
      owner->m_phase = phase, owner->m_fraction = fraction;
      emit owner->progressed();
    });
  }

  void run(const std::stop_token& quit) {
    if (m_givesWay) giveWay();
    std::unique_lock lock(m_mutex);
    while (true) {
      // The wait also ends when `quit` is requested. A separate check before the wait could miss a request that comes in between.
      if (!m_wake.wait(lock, quit, [&] { return m_waiting.has_value(); })) return;
      Request request = std::move(*m_waiting);
      m_waiting.reset();
      m_running = request.stop;
      lock.unlock();
      perform(request);
      lock.lock();
    }
  }

  // Reads for the visible view keep the user's priority: with a lower one they took minutes beside other programs. Only results
  // that are prepared in advance are niced, by TILESCOPE_READER_NICE (default 10; 0: no nice value, for tests beside other
  // programs).
  static void giveWay() {
    static const int nicer =
        qEnvironmentVariableIsSet("TILESCOPE_READER_NICE") ? qEnvironmentVariableIntValue("TILESCOPE_READER_NICE") : 10;
    if (nicer > 0) setpriority(PRIO_PROCESS, id_t(gettid()), nicer);
  }

  void perform(Request& request) {
    m_number = request.number, m_phase.clear(), m_reported = 0;
    Delivery delivery;
    const auto fail = [&](const reports::Error& error) {
      qInfo("%s: %s", qPrintable(request.title), error.what());
      if (request.failure) delivery = [failure = request.failure, error] { failure(error); };
    };
    try {
      delivery = request.work(request.stop.get_token(), *this);
    } catch (const reports::Cancelled&) {
    } catch (const reports::Error& error) {
      fail(error);
    } catch (const std::bad_alloc&) {
      fail({reports::ErrorCode::OutOfMemory, "not enough memory on this computer", request.title.toStdString(),
            "close other reports or programs and try again"});
    } catch (const std::exception& error) {
      fail({reports::ErrorCode::Internal, error.what(), request.title.toStdString(), "please report this with the details"});
    }
    request.work = {}; // releases captured data here, not on the GUI thread
    QMetaObject::invokeMethod(&m_owner,
                              [owner = &m_owner, number = request.number, delivery] { owner->finish(number, delivery); });
  }

  JobBase& m_owner;
  const bool m_givesWay;
  std::mutex m_mutex;
  std::condition_variable_any m_wake;
  std::optional<Request> m_waiting;
  std::stop_source m_running;
  quint64 m_number = 0; // worker thread only, like the two below
  QString m_phase;
  double m_reported = 0;
  std::jthread m_thread; // last: it must end before the rest is destroyed
};

JobBase::JobBase(QString title, JobBoard* board, QObject* parent) : QObject(parent), m_title(std::move(title)), m_board(board) {}

JobBase::~JobBase() {
  m_worker.reset();
  if (m_board) m_board->remove(this);
}

void JobBase::launch(Work work, Failure failure) {
  if (!m_worker) m_worker = std::make_unique<Worker>(*this);
  m_phase.clear(), m_fraction = 0;
  Worker::Request request{++m_newest, m_title, std::move(work), std::move(failure), std::stop_source()};
  m_worker->replace(std::move(request));
  setBusy(true);
}

void JobBase::cancel() {
  if (!m_busy) return;
  ++m_newest;
  m_worker->replace(std::nullopt);
  setBusy(false);
  emit cancelled();
}

void JobBase::finish(quint64 request, const Delivery& delivery) {
  const auto isNewest = [this, request] { return request == m_newest && m_busy; };
  if (!isNewest()) return;
  auto deliver = [this, isNewest, delivery] {
    if (!isNewest()) return;
    setBusy(false);
    if (delivery) delivery();
  };
  m_board ? m_board->deliveries().add(*this, std::move(deliver)) : deliver();
}

void JobBase::setBusy(bool busy) {
  if (m_busy == busy) return;
  m_busy = busy;
  if (m_board) busy ? m_board->add(this) : m_board->remove(this);
  emit busyChanged(busy);
}

} // namespace ui::jobs
