// What a stranger's report holds is shown as text, and no more of it than a window can hold.
#include "reports/rows/metadata.h"
#include "reports/sqlite/writer.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/fact_list.h"
#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"

#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;
using tests::listed;

class HostileReportTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;

  static shell::ViewList views() {
    return {listed("summary"), listed("memory"), listed("liveness"), listed("program"), listed("operations"), listed("trace")};
  }
  QString write(const QString& name, const std::string& title, int facts) {
    const QString file = m_folder.filePath(name);
    reports::Writer writer(file.toStdString());
    for (int i = 0; i < facts; ++i) writer.add(reports::MetadataRow{"fact." + std::to_string(i), std::string(20, 'v')});
    tests::writeSyntheticReport(writer, {.ipus = 1, .tilesPerIpu = 4, .operations = 2, .title = title.c_str()});
    writer.commit();
    return file;
  }
  static bool showsAll(shell::MainWindow& window, const QString& file) {
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports({file});
    if (!QTest::qWaitFor([&] { return finished.count() > 0; }, 20000)) return false;
    for (const auto& entry : window.views()) {
      window.showView(entry.id);
      if (!QTest::qWaitFor([&] { return window.currentView() && !window.currentView()->isBusy(); }, 20000)) return false;
    }
    return true;
  }

private slots:
  void noLabelReadsTags() {
    const QString file = write("<b>bold<img src=x>.tsr", "<img src=\"file:///etc/hostname\"> & <b>title</b>", 1);
    shell::Settings settings(m_folder.filePath("tags.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QVERIFY(showsAll(window, file));
    int labels = 0;
    for (const auto* label : window.findChildren<QLabel*>()) {
      ++labels;
      QVERIFY2(label->textFormat() == Qt::PlainText, qPrintable(label->text()));
    }
    QVERIFY(labels > 30);
    // A tip that would be read as HTML shows the tags instead.
    for (const auto* widget : window.findChildren<QWidget*>())
      QVERIFY2(!widget->toolTip().contains("<img"), qPrintable(widget->toolTip()));
  }

  void aBookOfATitleIsCut() {
    const QString file = write("title.tsr", std::string(4'000'000, 'T'), 1);
    shell::Settings settings(m_folder.filePath("title.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QVERIFY(showsAll(window, file));
    for (const auto* label : window.findChildren<QLabel*>())
      QVERIFY2(label->text().size() < 10'000, qPrintable(label->text().left(50)));
  }

  void ofManyFactsTheFirstAreShown() {
    const QString file = write("facts.tsr", "many facts", 3000);
    shell::Settings settings(m_folder.filePath("facts.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.show();
    QVERIFY(showsAll(window, file));
    window.showView("summary");
    bool isSaid = false;
    for (const auto* list : window.findChildren<shell::FactList*>()) {
      QVERIFY2(list->findChildren<shell::ElidedLabel*>().size() < 300, qPrintable(list->accessibleName()));
      isSaid = isSaid || list->valueOf("and more").contains("not shown");
    }
    QVERIFY(isSaid);
  }
};

TILESCOPE_TEST(HostileReportTest)
#include "hostile_report_test.moc"
