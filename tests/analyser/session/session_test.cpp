#include "analyser/session/debug_contexts.h"
#include "analyser/session/session.h"
#include "reports/core/error.h"
#include "reports/sqlite/reader.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fstream>

using namespace analyser;

class SessionTest : public QObject {
  Q_OBJECT
private slots:
  void readsMachineAndIdentity() {
    const tests::TinyReport report;
    const auto session = Session::open(report.path().string());
    QCOMPARE(session->machine().ipus, 2);
    QCOMPARE(session->machine().tilesPerIpu, 8);
    QCOMPARE(session->machine().tiles(), 16);
    QCOMPARE(session->machine().ipuOf(TileId(9)), IpuId(1));
    QCOMPARE(session->identity().fileName, report.path().filename().string());
    QCOMPARE(session->identity().fileSize.value(), int64_t(std::filesystem::file_size(report.path())));
    QVERIFY(!session->identity().outOfMemory);
    QVERIFY(session->identity().machine.find("2 IPUs, 16 tiles") != std::string::npos);
  }
  // Reports of a sweep are named by a SHA-256, which is not readable and too long for a title.
  void aNameThatIsAHashIsShownByItsFirstDigits() {
    const tests::TinyReport report;
    const auto named = [&](const std::string& stem) {
      const auto file = report.path().parent_path() / (stem + ".tsr");
      std::filesystem::copy_file(report.path(), file, std::filesystem::copy_options::overwrite_existing);
      return Session::open(file.string())->identity().fileName;
    };
    QCOMPARE(named("20bdb911" + std::string(56, 'a')), std::string("20bdb911…"));
    QCOMPARE(named("20bdb911" + std::string(55, 'a')), "20bdb911" + std::string(55, 'a') + ".tsr");
    QCOMPARE(named(std::string(64, 'z')), std::string(64, 'z') + ".tsr");
  }
  // A title made of the settings is preferred. If it is cut, the hash follows, because two runs may differ only in the cut part.
  void aRunOfASweepIsCalledAfterItsSettings() {
    const auto named = [&](const std::string& line) {
      const tests::TinyReport report;
      tests::tamper(report.path(), "INSERT OR REPLACE INTO metadata (key, value) VALUES ('command_line', '" + line + "')");
      const auto file = report.path().parent_path() / ("20bdb911" + std::string(56, 'a') + ".tsr");
      std::filesystem::copy_file(report.path(), file);
      return Session::open(file.string())->identity().fileName;
    };
    QCOMPARE(named("tilescope-cli run mlp --set batch=8 --report x.tsr"), std::string("mlp batch=8"));
    const std::string cut = named("tilescope-cli run mlp " + std::string(80, 'x') + " --set batch=8");
    QVERIFY2(cut.starts_with("mlp xxx") && cut.ends_with("20bdb911…") && cut.size() < 80, cut.c_str());
  }
  void textsAreByIdAndMissingOnesDoNotThrow() {
    const tests::TinyReport report;
    const auto session = Session::open(report.path().string());
    const auto id = session->findText("model/conv0");
    QVERIFY(id.has_value());
    QCOMPARE(session->text(*id), std::string("model/conv0"));
    QCOMPARE(session->text(int64_t(1) << 40), std::string("?"));
    QCOMPARE(session->text(-1), std::string("?"));
    QVERIFY(!session->findText("no such name"));
  }
  void reopensForAWorker() {
    const tests::TinyReport report;
    const auto session = Session::open(report.path().string());
    const auto worker = session->reopen();
    QCOMPARE(&worker->texts(), &session->texts()); // shared, not read again
    QVERIFY(&worker->reader() != &session->reader());
  }
  // Views that were not looked at yet go on reading the report that is open.
  void aReplacedFileIsReadFromTheReserve() {
    const tests::TinyReport report;
    const auto session = Session::open(report.path().string());
    session->keepReserve(2);
    QVERIFY(!session->isReplaced());
    tests::writeSyntheticReport(report.path(), {1, 4, 1});
    QVERIFY(session->isReplaced());
    const auto first = session->reopen();
    QCOMPARE(first->reader().machine()->tilesPerIpu, int64_t(8));
    std::filesystem::remove(report.path());
    QCOMPARE(first->reopen()->reader().machine()->tilesPerIpu, int64_t(8));
    try {
      (void)session->reopen(); // both are taken
      QFAIL("a deleted file was opened");
    } catch (const reports::Error& error) {
      QCOMPARE(error.code(), reports::ErrorCode::NotFound);
      QVERIFY2(std::string(error.what()).find("deleted") != std::string::npos, error.what());
    }
  }
  void aReplacedFileIsNotReopened() {
    const tests::TinyReport report;
    const auto session = Session::open(report.path().string());
    tests::writeSyntheticReport(report.path(), {1, 4, 1});
    QVERIFY_EXCEPTION_THROWN(session->reopen(), reports::Error);
    QCOMPARE(session->machine().tiles(), 16); // the old one goes on
  }
  void cancels() {
    const tests::TinyReport report;
    std::stop_source stop;
    stop.request_stop();
    reports::NoProgress progress;
    QVERIFY_EXCEPTION_THROWN(Session::open(report.path().string(), stop.get_token(), progress), reports::Cancelled);
  }
  void refusesWhatIsNoReport() {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "empty.tsr").close();
    std::ofstream(folder / "text.tsr") << std::string(4096, 'x');
    for (const char* name : {"missing.tsr", "empty.tsr", "text.tsr"})
      QVERIFY_EXCEPTION_THROWN(Session::open((folder / name).string()), reports::Error);
  }
  void damageNamesTheFile() {
    const tests::TinyReport report;
    tests::tamper(report.path(), "UPDATE machine SET tile_rows = x'00'");
    try {
      Session::open(report.path().string());
      QFAIL("a floor plan of one tile is not one of eight");
    } catch (const reports::Error& error) {
      QVERIFY2(std::string(error.what()).starts_with(report.path().string() + ": machine.tile_rows: "), error.what());
    }
  }
  void contextsLeadToTheirOperation() {
    const tests::TinyReport report;
    const auto session = Session::open(report.path().string());
    // Context 2 is the library call of the first operation (model > operation > call).
    const auto chain = debugChain(*session, 2);
    QCOMPARE(chain.size(), std::size_t(3));
    QCOMPARE(chain[0].layer, std::string("library"));
    QCOMPARE(chain[1].layer, std::string("onnx"));
    QCOMPARE(chain[2].layer, std::string("model"));
    QCOMPARE(operationOf(*session, 2), std::string("model/conv0"));
    const OperationNames names(*session);
    QCOMPARE(names.of(2), std::string("model/conv0"));
    QCOMPARE(names.of(0), std::string());
    QCOMPARE(names.of(std::nullopt), std::string());
    QCOMPARE(operationOf(*session, 12345), std::string());
  }
  void searchIgnoresCase() {
    QVERIFY(containsText("model/Conv0", "conv"));
    QVERIFY(containsText("anything", ""));
    QVERIFY(!containsText("conv", "convolution"));
  }
};

TILESCOPE_TEST(SessionTest)
#include "session_test.moc"
