// Whatever an importer writes, the reader opens and every analysis answers.
#include "tests/support/every_analysis.h"
#include "tests/support/imports.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

class ImportedReportsTest : public QObject {
  Q_OBJECT
private slots:
  void open_data() { tests::addImportableRows(4u << 20); }
  void open() {
    QFETCH(QStringList, files);
    const tests::TemporaryFolder folder;
    const auto report = folder / "report.tsr";
    try {
      tests::importInto(report, files);
    } catch (const reports::Error& error) {
      QVERIFY2(error.code() != reports::ErrorCode::Internal, error.what());
      return; // refused: nothing is written
    }
    const auto session = analyser::Session::open(report.string()); // checks that its rows agree
    tests::everyAnalysis(*session, [&](const auto& question) {
      try {
        question();
      } catch (const reports::Error& error) {
        if (error.code() == reports::ErrorCode::Damaged || error.code() == reports::ErrorCode::Internal) QFAIL(error.what());
      }
    });
  }
};

TILESCOPE_TEST(ImportedReportsTest)
#include "imported_reports_test.moc"
