#include "app/gui/gallery.h"

#include "reports/core/error.h"
#include "ui/parts/page.h"
#include "ui/parts/picture_menu.h"
#include "ui/state/view_link.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QDeadlineTimer>
#include <QDir>
#include <QPixmap>
#include <QRegularExpression>
#include <QTabWidget>

#include <functional>

namespace app::gui {

namespace {

constexpr int kLoadMilliseconds = 60000; // the longest loading time of one view
constexpr int kTurn = 20;                // milliseconds per wait for events
constexpr int kSettled = 4;              // idle passes of the event loop before a screenshot: layouts and queued replots

// Runs the event loop until `ready` has been true for some passes.
void waitFor(const std::function<bool()>& ready, const QString& what) {
  const QDeadlineTimer deadline(kLoadMilliseconds);
  for (int quiet = 0; quiet < kSettled;) {
    if (deadline.hasExpired())
      throw reports::Error(reports::ErrorCode::Internal, "a view did not finish loading", what.toStdString(),
                           "try again with --view to see it alone");
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, kTurn);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    quiet = ready() ? quiet + 1 : 0;
  }
}

void open(ui::shell::MainWindow& window, const QStringList& reports) {
  bool finished = false, ok = false;
  const auto connection =
      QObject::connect(&window, &ui::shell::MainWindow::openFinished, [&](bool good) { finished = true, ok = good; });
  window.openReports(reports);
  waitFor([&] { return finished; }, reports.first());
  QObject::disconnect(connection);
  if (!ok) throw reports::Error(reports::ErrorCode::InvalidInput, window.message().chopped(1).toStdString());
}

// Waits until a view has loaded. Without a second report, Compare shows only a message that asks for one; its screenshot is
// written, too.
void settle(const ui::shell::MainWindow& window, const QString& view) {
  waitFor([&] { return !window.isOpening() && !(window.currentView() && window.currentView()->isBusy()); }, view);
}

void write(ui::shell::MainWindow& window, const QString& file) {
  if (const QString why = ui::shell::writePicture(window.grab(), file); !why.isEmpty())
    throw reports::Error(reports::ErrorCode::Io, why.toStdString());
}

// Writes a screenshot of each tab of a view except the first, then shows the first again. `fileOf` names the file of a tab.
void writeTabs(ui::shell::MainWindow& window, const QString& view, const std::function<QString(const QString& tab)>& fileOf) {
  auto* tabs = window.currentView() ? window.currentView()->findChild<QTabWidget*>() : nullptr;
  if (!tabs) return;
  const int first = tabs->currentIndex();
  for (int i = 0; i < tabs->count(); ++i) {
    if (i == first || !tabs->isTabVisible(i)) continue;
    tabs->setCurrentIndex(i);
    settle(window, view);
    write(window, fileOf(QString(tabs->tabText(i)).replace(QRegularExpression("[^A-Za-z0-9]+"), "-").toLower()));
  }
  tabs->setCurrentIndex(first);
}

} // namespace

void renderGallery(ui::shell::MainWindow& window, ui::theme::Theme& theme, const Options& options) {
  const QString& folder = options.galleryFolder;
  const QStringList& reports = options.reports;
  std::vector<QSize> sizes{QSize(1280, 800), QSize(1920, 1080), QSize(1024, 600)};
  if (!options.size.isEmpty()) sizes = {options.size};
  window.move(64, 64); // away from the pointer, which stays in one place without a display
  window.show();
  if (!reports.isEmpty()) open(window, reports); // before the folder is made, so that a bad report leaves no folder
  if (!QDir().mkpath(folder)) throw reports::Error(reports::ErrorCode::Io, "the folder cannot be made", folder.toStdString());
  const auto link = ui::shell::parseLink(options.at);
  if (link) {
    ui::shell::ViewLink here = *link;
    here.reports.clear(); // keep the open reports
    window.openLink(here);
  }
  const QString shown = link ? link->place.view : options.view;
  for (const ui::shell::ViewEntry& entry : window.views()) {
    if (!shown.isEmpty() && entry.id != shown) continue;
    if (entry.needs == ui::shell::Needs::Report && reports.isEmpty()) continue;
    for (const bool dark : {false, true}) {
      if (options.dark.value_or(dark) != dark) continue;
      theme.setScheme(dark ? ui::theme::Scheme::Dark : ui::theme::Scheme::Light);
      for (const QSize size : sizes) {
        window.resize(size);
        window.showView(entry.id);
        settle(window, entry.id);
        const QString look = QStringLiteral("%1-%2x%3").arg(dark ? "dark" : "light").arg(size.width()).arg(size.height());
        write(window, QStringLiteral("%1/%2-%3.png").arg(folder, entry.id, look));
        if (options.everyTab)
          writeTabs(window, entry.id,
                    [&](const QString& tab) { return QStringLiteral("%1/%2-%3-%4.png").arg(folder, entry.id, tab, look); });
      }
    }
  }
}

} // namespace app::gui
