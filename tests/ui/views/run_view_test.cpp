#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/shell/wrapped_label.h"
#include "ui/theme/theme.h"
#include "ui/views/run/estimate_card.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace ui;

// The page with a command line that a script plays.
class RunViewTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;

  static QPushButton* button(const tests::ViewWorld& world, const QString& text) {
    for (QPushButton* candidate : world.view->findChildren<QPushButton*>())
      if (candidate->text() == text) return candidate;
    return nullptr;
  }

private slots:
  // What stood in the way of an estimate goes when the estimate begins.
  void theEstimateTakesThePlaceOfTheProblem() {
    theme::Theme theme;
    run::EstimateCard card(theme);
    const auto words = [&] {
      QString all;
      for (const QLabel* label : card.findChildren<QLabel*>()) all += label->text();
      return all;
    };
    card.showNothing("Choose an ONNX file.");
    QVERIFY2(words().contains("Choose"), qPrintable(words()));
    emit card.estimate().begun();
    QVERIFY2(!words().contains("Choose") && words().contains("Estimating"), qPrintable(words()));
  }
  void initTestCase() {
    QFile file(m_folder.filePath("fake-cli"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const QByteArray words = "Look at the trace, at the memory and at how the one follows from the other. ";
    file.write("#!/bin/sh\n"
               "case \"$1\" in\n"
               "samples) echo '[{\"name\": \"short\", \"text\": \"Brief.\"}, {\"name\": \"long\", \"text\": \"" +
               words.repeated(8) +
               "\"}]';;\n"
               "machines) echo '[{\"name\": \"tiny\", \"title\": \"Tiny\", \"ipus\": [1], \"tiles_per_ipu\": 4}]';;\n"
               "run) while [ $# -gt 0 ]; do [ \"$1\" = -o ] && echo report > \"$2\"; shift; done;;\n"
               "esac\n");
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    qputenv("TILESCOPE_CLI", file.fileName().toUtf8());
    qputenv("XDG_DATA_HOME", m_folder.filePath("data").toUtf8());
  }
  void cleanupTestCase() {
    qunsetenv("TILESCOPE_CLI");
    qunsetenv("XDG_DATA_HOME");
  }

  void whoWentOnIsOfferedTheReportAndNotTornAway() {
    tests::ViewWorld world;
    world.open("run");
    QTRY_VERIFY(button(world, "Run")->isEnabled());
    QSignalSpy opened(world.view.get(), &shell::View::openRequested), offered(world.view.get(), &shell::View::offerRequested);
    button(world, "Run")->click();
    QTRY_COMPARE(opened.count(), 1);
    QCOMPARE(offered.count(), 0);
    const auto* log = world.child<QPlainTextEdit>("Log of the run");
    QVERIFY2(log->toPlainText().startsWith("tilescope-cli run short --machine tiny"), qPrintable(log->toPlainText()));
    button(world, "Run")->click();
    world.view->hide();
    QTRY_COMPARE(offered.count(), 1);
    QCOMPARE(opened.count(), 1);
    QVERIFY(QFile::exists(offered[0][1].toStringList().first()));
  }

  void theTextOfASampleIsWhole() {
    tests::ViewWorld world;
    world.open("run");
    QTRY_VERIFY(button(world, "Run")->isEnabled());
    auto* samples = world.child<QComboBox>("Sample");
    const auto* words = world.view->findChild<shell::WrappedLabel*>();
    for (const char* name : {"long", "short", "long"}) {
      samples->setCurrentText(name);
      QTRY_COMPARE(words->height(), words->heightForWidth(words->width()));
    }
    world.view->resize(1000, 640);
    QTRY_COMPARE(words->height(), words->heightForWidth(words->width()));
    QVERIFY(words->height() > 80);
  }
};

TILESCOPE_TEST(RunViewTest)
#include "run_view_test.moc"
