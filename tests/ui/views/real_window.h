// The real window with the real simulator, acted on with mouse and keys. TILESCOPE_PICTURES=FOLDER keeps a screenshot of each
// step in both themes.
#pragma once

#include "tests/ui/views/listed.h"
#include "ui/state/settings.h"
#include "ui/tables/table_view.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"
#include "ui/window/nav_rail.h"

#include <QAbstractButton>
#include <QApplication>
#include <QContextMenuEvent>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QMenu>
#include <QProcess>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTabBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

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
  // What the command line prints; empty if it failed.
  static QByteArray run(const QStringList& words) {
    QProcess process;
    process.start(cli(), words);
    return process.waitForFinished(kLongestRunMs) && process.exitCode() == 0 ? process.readAllStandardOutput() : QByteArray();
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
  // A table, in front or not.
  ui::tables::TableView* table(const QString& name) const {
    for (auto* candidate : m_window->currentView()->findChildren<ui::tables::TableView*>())
      if (candidate->accessibleName() == name) return candidate;
    return nullptr;
  }
  static QString buttonText(const QWidget* widget) {
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    return button ? button->text().replace(QChar(10), QChar(32)) : QString(); // long titles have two lines
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
  // One click on a tab of the view, whose title may end with a count.
  bool showTab(const QString& title) {
    for (auto* tabs : m_window->currentView()->findChildren<QTabWidget*>())
      for (int i = 0; i < tabs->count(); ++i)
        if (tabs->isVisible() && tabs->isTabVisible(i) && tabs->tabText(i).section(" (", 0, 0) == title) {
          QTest::mouseClick(tabs->tabBar(), Qt::LeftButton, {}, tabs->tabBar()->tabRect(i).center());
          ++m_clicks;
          return settled();
        }
    return false;
  }
  // The view that the rail names: one click.
  bool show(const QString& view) { return click(rail(view)) && settled(); }
  // A click into a field, and what is typed there in place of its text: one action.
  bool type(QLineEdit* field, const QString& text, bool enters = false) {
    if (!click(field)) return false;
    QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(field, text);
    if (enters) QTest::keyClick(field, Qt::Key_Return);
    return settled();
  }
  // One click on a row of a table; a double click opens what it is about.
  bool clickRow(QAbstractItemView* view, const QModelIndex& row, bool isDouble = false) {
    if (!view || !row.isValid()) return false;
    view->scrollTo(row);
    const QPoint at = view->visualRect(row).center();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, at);
    if (isDouble) QTest::mouseDClick(view->viewport(), Qt::LeftButton, {}, at);
    ++m_clicks;
    return settled();
  }
  static QModelIndex rowAt(const ui::tables::TableView& table, int row) { return table.model()->index(row, 0); }
  // The first row below the line of totals; -1: none.
  static int firstRow(const ui::tables::TableView& table) {
    for (int row = 0; row < table.rows().rowCount(); ++row)
      if (!plain(table.model()->index(row, 0).data().toString()).startsWith("Total")) return row;
    return -1;
  }
  // As a program reads it; an invalid value if the table has no such column.
  static QVariant value(const ui::tables::TableView& table, int row, const char* column) {
    for (int c = 0; c < table.rows().columnCount(); ++c)
      if (table.rows().headerData(c, Qt::Horizontal, ui::tables::IdRole).toString() == QLatin1String(column))
        return table.rows().index(row, c).data(ui::tables::PlainRole);
    return {};
  }
  // With ordinary spaces.
  static QString plain(QString text) {
    for (QChar& c : text)
      if (c.isSpace()) c = u' ';
    return text;
  }
  // "1 472" as 1472.
  static qint64 digits(const QString& text) {
    QString kept;
    for (const QChar c : text)
      if (c.isDigit()) kept += c;
    return kept.toLongLong();
  }
  qint64 number(const QString& report, const QString& sql) const {
    const QJsonArray rows = asked(report, sql);
    return rows.isEmpty() ? -1 : rows[0].toObject().value("n").toInteger(-1);
  }
  QString text(const QString& report, const QString& sql) const {
    const QJsonArray rows = asked(report, sql);
    return rows.isEmpty() ? QString() : rows[0].toObject().value("n").toString();
  }
  // A right click on a plot, and an entry of its menu: two actions. `file` answers the dialog that the entry opens.
  bool chooseOf(QWidget* plot, const QString& entry, const QString& file = {}) {
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    bool isChosen = false;
    QTimer::singleShot(0, plot, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      if (!menu) return;
      for (QAction* action : menu->actions())
        if (action->text() == entry) {
          if (!file.isEmpty()) answer(file);
          isChosen = true;
          QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
          return;
        }
      menu->close();
    });
    const QPoint at = plot->rect().center();
    QContextMenuEvent asked(QContextMenuEvent::Mouse, at, plot->mapToGlobal(at));
    QApplication::sendEvent(plot, &asked);
    m_clicks += 2;
    return isChosen && (file.isEmpty() || QTest::qWaitFor([&] { return QFileInfo::exists(file); }, kLongestRunMs));
  }
  // Types the name of a file into the next dialog that asks for one.
  void answer(const QString& file) {
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QTimer::singleShot(0, m_window.get(), [this, file] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      if (!dialog) return answer(file); // not there yet
      if (auto* name = dialog->findChild<QLineEdit*>("fileNameEdit")) {
        name->setText(file);
        QTest::keyClick(name, Qt::Key_Return);
      }
    });
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
    m_window = std::make_unique<ui::shell::MainWindow>(m_theme, *m_settings, app::gui::viewList());
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
