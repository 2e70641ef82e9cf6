// The real window with the real simulator, acted on with mouse and keys. TILESCOPE_PICTURES=FOLDER keeps a screenshot of each step in both themes.
#pragma once

#include "tests/ui/views/listed.h"
#include "ui/state/settings.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"
#include "ui/window/nav_rail.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace tests {

struct RealWindow {
  static constexpr int kLongestRunMs = 120'000; // for a run of the simulator on a busy machine

  int m_clicks = 0;
  QTemporaryDir m_folder;
  ui::theme::Theme m_theme;
  std::unique_ptr<ui::shell::Settings> m_settings;
  std::unique_ptr<ui::shell::MainWindow> m_window;

  static QString cli() { return QStringLiteral(TILESCOPE_BINARY_DIR "/bin/tilescope-cli"); }
  QString runs() const { return qEnvironmentVariable("XDG_DATA_HOME") + QStringLiteral("/tilescope/runs"); }
  QString made(const QString& name, const QStringList& words) const {
    const QString file = m_folder.filePath(name);
    QProcess process;
    process.start(cli(), QStringList{"run"} + words + QStringList{"--no-numbers", "--progress", "none", "-o", file});
    return process.waitForFinished(kLongestRunMs) && process.exitCode() == 0 ? file : QString();
  }
  static ui::shell::ViewList views() {
    ui::shell::ViewList list;
    for (const char* id : {"home", "summary", "insights", "memory", "program", "operations", "trace", "compare", "run", "sweep"})
      list.push_back(listed(QString::fromLatin1(id)));
    return list;
  }
  bool settled() const {
    return QTest::qWaitFor(
        [this] { return !m_window->isOpening() && m_window->currentView() && !m_window->currentView()->isBusy(); },
        kLongestRunMs);
  }
  bool open(const QStringList& files) {
    QSignalSpy finished(m_window.get(), &ui::shell::MainWindow::openFinished);
    m_window->openReports(files);
    return QTest::qWaitFor([&] { return finished.count() > 0; }, kLongestRunMs) && settled();
  }
  void picture(const QString& name) const {
    const QString folder = qEnvironmentVariable("TILESCOPE_PICTURES");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    for (const bool dark : {false, true}) {
      const_cast<ui::theme::Theme&>(m_theme).setScheme(dark ? ui::theme::Scheme::Dark : ui::theme::Scheme::Light);
      QCoreApplication::processEvents();
      m_window->grab().save(QStringLiteral("%1/%2-%3.png").arg(folder, name, dark ? "dark" : "light"));
    }
  }
  template<class T> T* named(const QString& name) const {
    for (T* candidate : m_window->findChildren<T*>())
      if (candidate->isVisible() && (candidate->accessibleName() == name || buttonText(candidate) == name)) return candidate;
    return nullptr;
  }
  static QString buttonText(const QWidget* widget) {
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    return button ? button->text() : QString();
  }
  // One click, counted; the widget is scrolled into sight first, as a person does.
  bool click(QWidget* widget) {
    if (!widget || !widget->isEnabled()) return false;
    for (QWidget* parent = widget->parentWidget(); parent; parent = parent->parentWidget())
      if (auto* scroll = qobject_cast<QScrollArea*>(parent)) scroll->ensureWidgetVisible(widget);
    QTest::mouseClick(widget, Qt::LeftButton);
    ++m_clicks;
    return true;
  }
  QWidget* rail(const QString& title) const {
    for (auto* item : m_window->findChild<ui::shell::NavRail*>()->findChildren<QAbstractButton*>())
      if (item->accessibleName() == title) return item;
    return nullptr;
  }
  // The answer of SQL on a report, as a table of JSON rows.
  QJsonArray asked(const QString& report, const QString& sql) const {
    QProcess process;
    process.start(cli(), {"query", report, sql, "--json"});
    if (!process.waitForFinished(kLongestRunMs)) return {};
    return QJsonDocument::fromJson(process.readAllStandardOutput()).array();
  }
  bool hasCli() {
    if (!QFileInfo::exists(cli())) return false;
    if (qEnvironmentVariableIsSet("TILESCOPE_PICTURES")) m_theme.apply(*qApp); // with the style sheet, as people see it
    qputenv("TILESCOPE_CLI", cli().toUtf8());
    return true;
  }
  void makeWindow() {
    m_settings = std::make_unique<ui::shell::Settings>(m_folder.filePath("stories.ini"));
    m_window = std::make_unique<ui::shell::MainWindow>(m_theme, *m_settings, views());
    m_window->resize(1280, 800);
    m_window->show();
    m_clicks = 0;
  }
  void closeWindow() {
    m_window.reset();
    QFile::remove(m_folder.filePath("stories.ini"));
  }
};

} // namespace tests
