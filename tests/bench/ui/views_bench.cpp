// Waiting times in the window, at 1920x1080 without a screen: the first picture of a trace, frames while it is zoomed and
// moved, another breakdown of 94,208 tiles, a step of a long liveness curve, a search. Time is wall time of the window's thread until
// all that it asked for is drawn. `peak_mib` is of the whole program: ask for one size alone (--benchmark_filter) to read it.
#include "analyser/liveness/liveness.h"
#include "analyser/session/session.h"
#include "app/gui/free_memory.h"
#include "app/gui/view_list.h"
#include "tests/reports/exchange/exported.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/temporary_folder.h"
#include "ui/jobs/job_board.h"
#include "ui/parts/page.h"
#include "ui/parts/view.h"
#include "ui/plot/cell_map.h"
#include "ui/plot/timeline.h"
#include "ui/state/settings.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_model.h"
#include "ui/tables/table_view.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QProcess>
#include <QThread>
#include <QWheelEvent>

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <stdexcept>

namespace {

constexpr int kWidth = 1920, kHeight = 1080;

void startQt() {
  static int count = 1;
  static char name[] = "bench_views";
  static char* arguments[] = {name, nullptr};
  qputenv("QT_QPA_PLATFORM", "offscreen");
  app::gui::mapLargeBlocks(); // as the window does
  static auto* const application =
      new QApplication(count, arguments); // lives to the end: Qt's own statics may go before one here
  Q_UNUSED(application);
}

// Written once a shape; TILESCOPE_BENCH_REPORTS=FOLDER keeps the reports for the next start.
std::string reportOf(const tests::ReportShape& shape) {
  static const tests::TemporaryFolder temporary;
  const char* kept = std::getenv("TILESCOPE_BENCH_REPORTS");
  const auto file = (kept ? std::filesystem::path(kept) : temporary.path()) / (std::string(shape.title) + ".tsr");
  if (!std::filesystem::exists(file)) tests::writeSyntheticReport(file, shape);
  return file.string();
}

double peakMebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

// One view with one report, as the window shows it.
class Shown {
public:
  Shown(const std::string& file, const QString& id)
      : m_settings(QString::fromStdString((m_folder.path() / "settings.ini").string())) {
    m_session = analyser::Session::open(file);
    m_state.setFigures(double(m_session->machine().clockHz));
    for (const ui::shell::ViewEntry& entry : app::gui::viewList())
      if (entry.id == id) m_view.reset(entry.factory({m_theme, m_state, m_jobs, m_settings}));
    if (!m_view) throw std::runtime_error("no such view");
    m_view->resize(kWidth, kHeight);
    m_view->show();
    m_view->setSessions(m_session, nullptr);
  }

  // Lets the view work until nothing is left to read or draw. Every iteration of the event loop that does something is a frame.
  void settle() {
    settleUntil([this] { return !m_view->isBusy(); });
  }
  template<class Done> void settleUntil(Done done) {
    QElapsedTimer turn;
    do {
      QThread::usleep(200); // waits because the threads that read need the cores
      turn.start();
      const double before = ownMilliseconds();
      QCoreApplication::processEvents();
      const double milliseconds = double(turn.nsecsElapsed()) / 1e6;
      if (milliseconds > 0.1) m_frames.push_back(milliseconds), m_work.push_back(ownMilliseconds() - before);
    } while (m_view->findChild<ui::shell::Page*>()->isLoading() || !done());
    QCoreApplication::processEvents();
  }

  template<class T> T& child(const QString& name) {
    for (T* candidate : m_view->template findChildren<T*>())
      if (candidate->accessibleName() == name) return *candidate;
    throw std::runtime_error("the view has no " + name.toStdString());
  }
  ui::shell::View& view() { return *m_view; }
  ui::shell::ViewState& state() { return m_state; }
  analyser::Session& session() { return *m_session; }

  void forgetFrames() { m_frames.clear(), m_work.clear(); }
  // Milliseconds that this share of the frames does not exceed: on the clock, and of this thread's work, which a busy machine does
  // not lengthen.
  double frame(double share) { return percentile(m_frames, share); }
  double frameWork(double share) { return percentile(m_work, share); }

private:
  static double percentile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, std::size_t(share * double(values.size())))];
  }
  static double ownMilliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
  }

  tests::TemporaryFolder m_folder;
  ui::theme::Theme m_theme;
  ui::shell::ViewState m_state;
  ui::jobs::JobBoard m_jobs;
  ui::shell::Settings m_settings;
  ui::shell::SessionPointer m_session;
  std::unique_ptr<ui::shell::View> m_view; // last: it uses all the others
  std::vector<double> m_frames, m_work;
};

tests::ReportShape traceShape(int64_t slices) {
  static std::map<int64_t, std::string> titles;
  titles[slices] = "trace-" + std::to_string(slices);
  return {.ipus = 4, .tilesPerIpu = 64, .operations = 12, .slices = slices, .title = titles[slices].c_str()};
}

// From the file to the drawn lanes; `tiles_ms` is when tiles by cycles have a first picture, `all_ms` when they are exact and
// every table is filled.
void traceFirstPicture(benchmark::State& state) {
  startQt();
  const std::string file = reportOf(traceShape(state.range(0)));
  double tiles = 0, all = 0;
  for (auto _ : state) {
    QElapsedTimer time;
    time.start();
    Shown shown(file, "trace");
    auto& lanes = shown.child<ui::plot::Timeline>("Execution trace");
    shown.settleUntil([&] { return !lanes.isBusy(); });
    state.PauseTiming();
    auto& map = shown.child<ui::plot::CellMap>("Tiles by cycles");
    shown.settleUntil([&] { return map.hasPicture(); });
    tiles = double(time.nsecsElapsed()) / 1e6;
    shown.settle();
    all = double(time.nsecsElapsed()) / 1e6;
    state.ResumeTiming();
  }
  state.counters["tiles_ms"] = tiles;
  state.counters["all_ms"] = all;
  state.counters["peak_mib"] = peakMebibytes();
}
BENCHMARK(traceFirstPicture)->Arg(1'000'000)->Arg(10'000'000)->Arg(100'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();

void wheel(QWidget& plot, int steps) {
  const QPointF at(plot.width() * 0.6, plot.height() * 0.4);
  QWheelEvent event(at, plot.mapToGlobal(at), {}, {0, 120 * steps}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(&plot, &event);
}

void press(QWidget& plot, Qt::Key key) {
  QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
  QCoreApplication::sendEvent(&plot, &event);
}

// A trace of 16 threads, nested six deep, with four counters that change a hundred thousand times each.
std::string hostReport(int64_t slices) {
  static const tests::TemporaryFolder temporary;
  const char* kept = std::getenv("TILESCOPE_BENCH_REPORTS");
  const auto folder = kept ? std::filesystem::path(kept) : temporary.path();
  const auto file = folder / ("host-" + std::to_string(slices) + ".tsr");
  if (std::filesystem::exists(file)) return file.string();
  constexpr int64_t kThreads = 16, kDepths = 6, kCounters = 4, kChanges = 100'000;
  std::ofstream out(folder / "host.json");
  const int64_t perDepth = slices / (kThreads * kDepths);
  out << '[';
  for (int64_t thread = 0; thread < kThreads; ++thread)
    for (int64_t i = 0; i < perDepth; ++i)
      for (int64_t depth = 0; depth < kDepths; ++depth)
        out << R"({"ph":"X","pid":1,"tid":)" << thread << R"(,"cat":"c)" << depth << R"(","name":"work )" << (i * 7 + depth) % 97
            << R"(","ts":)" << i * 20 + depth << R"(,"dur":)" << 18 - 2 * depth << "},\n";
  for (int64_t counter = 0; counter < kCounters; ++counter)
    for (int64_t i = 0; i < kChanges; ++i)
      out << R"({"ph":"C","pid":1,"name":"counter )" << counter << R"(","ts":)" << i * perDepth * 20 / kChanges
          << R"(,"args":{"value":)" << (i * 7919 + counter * 131) % 1000 << "}},\n";
  out << "{}]";
  out.close();
  tests::importTo(file, folder / "host.json");
  return file.string();
}

// A recorded path: in at one place, along, and out again, an event a frame.
void framesOf(benchmark::State& state, Shown& shown, const char* timeline) {
  auto& plot = shown.child<ui::plot::Timeline>(timeline);
  shown.settle();
  shown.forgetFrames();
  for (auto _ : state) {
    for (int i = 0; i < 40; ++i) wheel(plot, 1), shown.settle();
    for (int i = 0; i < 20; ++i) press(plot, Qt::Key_D), shown.settle();
    for (int i = 0; i < 20; ++i) press(plot, Qt::Key_A), shown.settle();
    for (int i = 0; i < 40; ++i) wheel(plot, -1), shown.settle();
  }
  state.counters["p50_ms"] = shown.frame(0.5);
  state.counters["p95_ms"] = shown.frame(0.95);
  state.counters["p95_work_ms"] = shown.frameWork(0.95);
  state.counters["longest_ms"] = shown.frame(1);
  state.counters["peak_mib"] = peakMebibytes();
}

void traceFrames(benchmark::State& state) {
  startQt();
  Shown shown(reportOf(traceShape(state.range(0))), "trace");
  framesOf(state, shown, "Execution trace");
}
BENCHMARK(traceFrames)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Arg(100'000'000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(3);

void hostFrames(benchmark::State& state) {
  startQt();
  Shown shown(hostReport(state.range(0)), "host");
  framesOf(state, shown, "Host timeline");
}
BENCHMARK(hostFrames)->Arg(200'000)->Arg(2'000'000)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

// 64 IPUs: category to region, to liveness, and back.
void memoryBreakdown(benchmark::State& state) {
  startQt();
  Shown shown(reportOf({.ipus = 64, .tilesPerIpu = 1472, .operations = 20, .title = "memory-of-64-ipus"}), "memory");
  shown.settle();
  auto& breakdown = shown.child<QComboBox>("Breakdown");
  int next = 1;
  for (auto _ : state) {
    next = next % 3 + 1;
    breakdown.setCurrentIndex(next);
    shown.settle();
  }
}
BENCHMARK(memoryBreakdown)->Unit(benchmark::kMillisecond)->UseRealTime();

// Steps far apart: each is read anew.
void livenessStep(benchmark::State& state) {
  startQt();
  static std::map<int64_t, std::string> titles;
  titles[state.range(0)] = "liveness-" + std::to_string(state.range(0));
  Shown shown(reportOf({.ipus = 1, .tilesPerIpu = 8, .operations = int(state.range(0)), .title = titles[state.range(0)].c_str()}),
              "liveness");
  shown.settle();
  const auto steps = analyser::liveness::stepsOf(shown.session());
  std::size_t at = 1;
  for (auto _ : state) {
    at = (at * 7919 + 13) % steps.size();
    shown.state().setStep(steps[at].programStep);
    shown.settle();
  }
  state.counters["steps"] = double(steps.size());
}
BENCHMARK(livenessStep)->Arg(1'000)->Arg(200'000)->Arg(430'000)->Unit(benchmark::kMillisecond)->UseRealTime();

// Words that occur in many names, each searched for the first time: until every match is counted and listed. `first_ms`: until the
// list has the first of them.
void traceSearch(benchmark::State& state) {
  startQt();
  Shown shown(reportOf(traceShape(state.range(0))), "trace");
  shown.settle();
  QLineEdit* field = nullptr;
  for (auto* candidate : shown.view().findChildren<QLineEdit*>())
    if (candidate->placeholderText().contains("search", Qt::CaseInsensitive) ||
        candidate->accessibleName().contains("search", Qt::CaseInsensitive))
      field = candidate;
  if (!field) return state.SkipWithError("the view has no search field");
  const char* words[] = {"exchange", "compute", "sync", "op"};
  auto& list = shown.child<ui::tables::TableView>("Matches");
  std::size_t word = 0;
  std::vector<double> first;
  for (auto _ : state) {
    const auto before = list.rows().table();
    QElapsedTimer time;
    time.start();
    field->setText(words[word++ % std::size(words)]);
    shown.settleUntil([&] { return list.rows().table() != before && list.rows().rowCount() > 0; });
    first.push_back(double(time.nsecsElapsed()) / 1e6);
    shown.settle();
  }
  std::sort(first.begin(), first.end());
  state.counters["first_ms"] = first[first.size() / 2];
}
BENCHMARK(traceSearch)->Arg(10'000'000)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(8);

// Light to dark and back, with every view made and a report in each: the window's thread until all is drawn again.
void themeSwitch(benchmark::State& state) {
  startQt();
  const tests::TemporaryFolder folder;
  ui::theme::Theme theme;
  theme.apply(*qApp);
  ui::shell::Settings settings(QString::fromStdString((folder.path() / "settings.ini").string()));
  ui::shell::MainWindow window(theme, settings, app::gui::viewList());
  window.resize(kWidth, kHeight);
  window.show();
  window.openReports({QString::fromStdString(reportOf(traceShape(1'000'000)))});
  constexpr int kLongestMilliseconds = 5000; // Run and Sweep wait for a program that is not there
  const auto settle = [&] {
    QElapsedTimer time;
    time.start();
    do QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    while ((window.isOpening() || !window.currentView() || window.currentView()->isBusy()) &&
           time.elapsed() < kLongestMilliseconds);
  };
  settle();
  for (const auto& entry : window.views()) window.showView(entry.id), settle();
  window.showView("summary");
  settle();
  bool isDark = false;
  for (auto _ : state) {
    isDark = !isDark;
    theme.setScheme(isDark ? ui::theme::Scheme::Dark : ui::theme::Scheme::Light);
    QCoreApplication::processEvents();
  }
  state.counters["widgets"] = double(QApplication::allWidgets().size());
}
BENCHMARK(themeSwitch)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(4);

// A report of a real run on 64 IPUs (390 MiB): the time until each view has the right verdict, and until it has read everything.
// TILESCOPE_BENCH_POD names the report; without it, `tilescope-cli` beside this program makes one.
std::string podReport() {
  if (const char* given = std::getenv("TILESCOPE_BENCH_POD")) return given;
  static const tests::TemporaryFolder folder;
  const auto file = folder.path() / "pod64.tsr";
  if (!std::filesystem::exists(file)) {
    QProcess run;
    run.start(QCoreApplication::applicationDirPath() + "/tilescope-cli",
              {"run", "bert-pipeline", "--set", "layers=64", "--machine", "bow-pod64", "--ipus", "64", "--pipeline", "64",
               "--accumulation", "128", "--no-numbers", "-o", QString::fromStdString(file.string())});
    run.waitForFinished(-1);
  }
  return file.string();
}

void podView(benchmark::State& state, const char* id) {
  startQt();
  const std::string file = podReport();
  if (!std::filesystem::exists(file)) return state.SkipWithError("the report of 64 IPUs could not be made");
  double all = 0;
  for (auto _ : state) {
    QElapsedTimer time;
    time.start();
    Shown shown(file, id);
    shown.settleUntil([&] { return !shown.view().verdict().isEmpty(); });
    state.PauseTiming();
    shown.settle();
    all = double(time.nsecsElapsed()) / 1e6;
    state.ResumeTiming();
  }
  state.counters["all_ms"] = all;
  state.counters["peak_mib"] = peakMebibytes();
}
BENCHMARK_CAPTURE(podView, summary, "summary")->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);
BENCHMARK_CAPTURE(podView, memory, "memory")->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);
BENCHMARK_CAPTURE(podView, liveness, "liveness")->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);
BENCHMARK_CAPTURE(podView, program, "program")->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);
BENCHMARK_CAPTURE(podView, operations, "operations")->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);
BENCHMARK_CAPTURE(podView, trace, "trace")->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);
BENCHMARK_CAPTURE(podView, insights, "insights")->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

} // namespace
