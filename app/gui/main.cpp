// tilescope: the desktop application. This file and view_list.cpp assemble everything; errors of the command line and of the
// gallery end as one line on stderr and exit code 2.
#include "app/gui/crash_note.h"
#include "app/gui/crash_trail.h"
#include "app/gui/end_signals.h"
#include "app/gui/free_memory.h"
#include "app/gui/gallery.h"
#include "app/gui/options.h"
#include "app/gui/running_window.h"
#include "app/gui/trace_state.h"
#include "app/gui/view_list.h"
#include "reports/core/error.h"
#include "ui/state/report_file.h"
#include "ui/state/settings.h"
#include "ui/state/view_link.h"
#include "ui/theme/desktop_scheme.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QDesktopServices>
#include <QProcess>
#include <QTemporaryDir>
#include <QUrl>

#include <csignal>
#include <cstdio>

namespace {

constexpr QPoint kBesideTheOther(32, 32); // so that a second window does not cover the first exactly

using namespace app::gui;

int explain(const reports::Error& error) {
  std::string line = "tilescope: " + error.message();
  if (!error.where().empty()) line += " (" + error.where() + ")";
  if (!error.advice().empty()) line += "; " + error.advice();
  std::fprintf(stderr, "%s\n", line.c_str());
  return 2;
}

// The gallery needs no display, and neither do --help and --version.
bool needsDisplay(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const QByteArray argument(argv[i]);
    if (argument.startsWith("--gallery") || argument == "--help" || argument == "-h" || argument == "--version" ||
        argument == "-v")
      return false;
  }
  return true;
}

bool hasDisplay() { return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY"); }

void go(ui::shell::MainWindow& window, const Destination& to) {
  if (!to.at.isEmpty()) {
    auto link = *ui::shell::parseLink(to.at);
    if (!to.reports.isEmpty()) link.reports = to.reports; // a report may have another path on this computer
    for (QString& report : link.reports) report = ui::shell::wholeName(report);
    to.isAsked ? window.offerLink(link) : window.openLink(link);
  } else if (!to.reports.isEmpty()) {
    window.openReports(to.reports, to.view);
  } else if (!to.view.isEmpty()) {
    window.showView(to.view);
  }
}

// Passes the reports to the running window; true if it has taken them. A start with options for the look of its window gets a
// separate window, which takes later reports if no other window does. A window that follows a trace (--follow) is separate, too,
// and takes none.
bool isHandedOver(RunningWindow& running, const Options& options) {
  if (!options.follow.isEmpty()) return false;
  if (options.newInstance || options.dark || !options.size.isEmpty()) {
    running.listenIfFree();
    return false;
  }
  const auto start = running.begin(wholeDestination(options));
  if (start == RunningWindow::Start::NoAnswer)
    std::fprintf(stderr, "tilescope: the open window does not answer, so a new one opens\n");
  return start == RunningWindow::Start::HandedOver;
}

int runWindow(QApplication& application, const Options& options) {
  const auto views = viewList();
  if (!options.view.isEmpty() &&
      std::none_of(views.begin(), views.end(), [&](const auto& view) { return view.id == options.view; }))
    throw reports::Error(reports::ErrorCode::NotFound, "no view has this name", options.view.toStdString(),
                         "see the rail at the left");
  RunningWindow running(RunningWindow::standardSocket());
  if (isHandedOver(running, options)) return 0;
  const CrashNote note(CrashNote::standardFolder());
  const CrashTrail trail(application);
  qInfo("Tilescope %s, Qt %s, %s", TILESCOPE_VERSION, qVersion(), qPrintable(QGuiApplication::platformName()));
  ui::shell::Settings settings;
  ui::theme::Theme theme;
  theme.setScheme(options.dark ? (*options.dark ? ui::theme::Scheme::Dark : ui::theme::Scheme::Light) : settings.scheme());
  theme.setPointSize(settings.pointSize());
  theme.setScale(settings.scale());
  theme.setTilesPerRow(settings.tilesPerRow());
  theme.apply(application);
  const ui::theme::DesktopScheme desktop(ui::theme::DesktopScheme::sessionBus(),
                                         [&theme](std::optional<bool> dark) { theme.setDesktopDark(dark); });
  ui::shell::MainWindow window(theme, settings, views);
  if (!options.size.isEmpty()) window.resize(options.size);
  if (options.newInstance) window.move(window.pos() + kBesideTheOther);
  QObject::connect(&window, &ui::shell::MainWindow::newWindowRequested, [](const QStringList& files) {
    QProcess::startDetached(QCoreApplication::applicationFilePath(), QStringList("--new-instance") + files);
  });
  QObject::connect(&window, &ui::shell::MainWindow::followRequested, &window,
                   [&window](const QString& file) { window.follow(file, &traceState); });
  QObject::connect(&window, &ui::shell::MainWindow::reportsChanged, &trailReports);
  QObject::connect(&window.state(), &ui::shell::ViewState::viewChanged, &trailView);
  QObject::connect(&window, &ui::shell::MainWindow::logFolderRequested,
                   [] { QDesktopServices::openUrl(QUrl::fromLocalFile(CrashNote::standardFolder())); });
  QObject::connect(&running, &RunningWindow::requested, &window, [&window](const Destination& to) {
    if (window.isMinimized()) window.showNormal();
    window.raise();
    window.activateWindow();
    go(window, to);
  });
  const EndSignals ends;
  QObject::connect(&ends, &EndSignals::asked, &window, [&window] {
    window.keep();
    QApplication::exit();
  });
  window.show();
  if (!options.follow.isEmpty()) {
    window.follow(options.follow, &traceState);
  } else if (!options.at.isEmpty() || !options.reports.isEmpty() || !options.view.isEmpty()) {
    go(window, options);
  } else if (!options.newInstance) { // the last reports may still be open in the other window
    const QString last = note.takeLast();
    window.offerSession(last.isEmpty() ? QString() : crashText(last));
  }
  return QApplication::exec();
}

int runGallery(QApplication& application, const Options& options) {
  // Separate settings: screenshots neither depend on the user's settings nor change them.
  const QTemporaryDir folder;
  ui::shell::Settings settings(folder.filePath("gallery.ini"));
  ui::theme::Theme theme;
  theme.apply(application);
  ui::shell::MainWindow window(theme, settings, viewList());
  if (!options.view.isEmpty() && !window.hasView(options.view))
    throw reports::Error(reports::ErrorCode::NotFound, "no view has this name", options.view.toStdString());
  renderGallery(window, theme, options);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  app::gui::mapLargeBlocks();
  std::signal(SIGPIPE, SIG_IGN); // a closed pipe becomes a failed write
  std::signal(SIGXFSZ, SIG_IGN); // a write beyond the file size limit fails, too
  if (!hasDisplay() && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
    if (needsDisplay(argc, argv)) {
      std::fprintf(stderr, "tilescope: no display found; use --gallery DIR REPORT for screenshots, or tilescope-cli\n");
      return 2;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  QGuiApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
  QGuiApplication::setDesktopFileName(QStringLiteral("org.tilescope.Tilescope"));
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("Tilescope"));
  QApplication::setApplicationVersion(QStringLiteral(TILESCOPE_VERSION));
  try {
    bool done = false;
    const Options options = parseOptions(QApplication::arguments(), done);
    if (done) return 0;
    return options.galleryFolder.isEmpty() ? runWindow(application, options) : runGallery(application, options);
  } catch (const reports::Error& error) {
    return explain(error);
  } catch (const std::exception& error) {
    return explain({reports::ErrorCode::Internal, error.what()});
  }
}
