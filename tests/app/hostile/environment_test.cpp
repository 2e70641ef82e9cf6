// The environment must not change the program's output: the number of rows, a locale with another number format, screen scales,
// two hundred reports in sequence. Faults F11, F48, F50 and F51 of tests/FAULTS.md.
#include "analyser/session/session.h"
#include "analyser/summary/summary.h"
#include "tests/app/hostile/child_process.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

namespace {

fs::path programOf(const char* name) { return fs::path(TILESCOPE_BINARY_DIR) / "bin" / name; }

// A locale with decimal commas, made with the system's tool, because none may be installed. Empty if it cannot be made.
std::string localeWithCommas(const fs::path& folder) {
  const std::string command = "localedef -i de_DE -f UTF-8 '" + (folder / "de_DE.UTF-8").string() + "' >/dev/null 2>&1";
  return std::system(command.c_str()) == 0 || fs::exists(folder / "de_DE.UTF-8") ? "de_DE.UTF-8" : "";
}

// The width of a PNG image, from its header.
int widthOf(const fs::path& picture) {
  const std::string bytes = tests::contentOf(picture);
  if (bytes.size() < 24 || !bytes.ends_with(std::string("IEND\xae\x42\x60\x82"))) return -1;
  int width = 0;
  for (std::size_t i = 16; i < 20; ++i) width = width << 8 | int(uint8_t(bytes[i]));
  return width;
}

std::size_t openFiles() { return std::size_t(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator())); }

} // namespace

class EnvironmentTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  fs::path reportOf(int64_t slices) {
    const fs::path file = m_folder / (std::to_string(slices) + ".tsr");
    if (fs::exists(file)) return file;
    tests::ReportShape shape;
    shape.slices = slices;
    tests::writeSyntheticReport(file, shape);
    return file;
  }
  tests::Ended cli(std::vector<std::string> words, const fs::path& output,
                   const std::vector<std::pair<std::string, std::string>>& environment = {}) {
    words.insert(words.begin(), programOf("tilescope-cli").string());
    return tests::runLimited(words, m_folder / "errors", 120, output, environment);
  }
  // Pictures of one view in `folder`.
  tests::Ended pictures(const fs::path& folder, std::vector<std::pair<std::string, std::string>> environment) {
    environment.emplace_back("QT_QPA_PLATFORM", "offscreen");
    return tests::runLimited(
        {programOf("tilescope").string(), "--gallery", folder.string(), "--view", "memory", reportOf(1000).string()},
        m_folder / "errors", 120, "/dev/null", environment);
  }

private slots:
  // Forty times the rows take hardly more memory, so that a hundred times as many again do not either.
  void F11_memoryDoesNotGrowWithTheRows() {
    for (const std::string command : {"summary", "query"}) {
      int64_t kibibytes[2] = {};
      for (const int which : {0, 1}) {
        std::vector<std::string> words{command, reportOf(which ? 4'000'000 : 100'000).string()};
        if (command == "query") words.emplace_back("SELECT count(*), sum(duration_ticks) FROM slice");
        const tests::Ended ended = cli(words, m_folder / "out");
        QVERIFY2(ended.code == 0, ended.error.c_str());
        kibibytes[which] = ended.kibibytes;
      }
      qInfo("%s: %lld KiB, %lld KiB", command.c_str(), static_cast<long long>(kibibytes[0]),
            static_cast<long long>(kibibytes[1]));
      QVERIFY(kibibytes[1] < kibibytes[0] + 64 * 1024);
    }
  }

  // 600 MB in 600 kB: unpacking ends, and the error says why. No part of a report stays.
  void F43_aBombIsCutOff() {
    const fs::path bomb = m_folder / "bomb.json.gz";
    const std::string content = "(printf '['; head -c 600000000 /dev/zero | tr '\\000' ' '; printf '{}]')";
    if (std::system((content + " | gzip > '" + bomb.string() + "'").c_str()) != 0) QSKIP("there is no gzip here");
    const fs::path report = m_folder / "bomb.tsr";
    const tests::Ended ended = cli({"import", bomb.string(), "-o", report.string()}, m_folder / "out");
    QCOMPARE(ended.code, 2);
    QVERIFY2(ended.error.find("times its size") != std::string::npos, ended.error.c_str());
    QVERIFY2(ended.kibibytes < 256 * 1024, std::to_string(ended.kibibytes).c_str());
    QVERIFY(!fs::exists(report));
  }

  // Ten times the iterations: their inputs and outputs are not kept in memory.
  void memoryDoesNotGrowWithTheIterations() {
    int64_t kibibytes[2] = {};
    for (const int which : {0, 1}) {
      const tests::Ended ended = cli({"run", "mlp", "--set", "layers=1", "--set", "width=16", "--iterations",
                                      which ? "600" : "60", "-o", (m_folder / "i.tsr").string()},
                                     m_folder / "out");
      QVERIFY2(ended.code == 0, ended.error.c_str());
      kibibytes[which] = ended.kibibytes;
    }
    qInfo("%lld KiB, %lld KiB", static_cast<long long>(kibibytes[0]), static_cast<long long>(kibibytes[1]));
    QVERIFY(kibibytes[1] < kibibytes[0] + 540 * 10); // a batch of its data alone is 98 KiB
  }

  void F48_anotherLocaleChangesNothing() {
    const std::string locale = localeWithCommas(m_folder.path());
    if (locale.empty()) QSKIP("localedef cannot make a locale with commas here (package locales)");
    const std::vector<std::pair<std::string, std::string>> german{{"LOCPATH", m_folder.path().string()}, {"LC_ALL", locale}};
    const std::string report = reportOf(1000).string();
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"summary", report},
                                               {"summary", report, "--json"},
                                               {"query", report, "SELECT 1.5, 1e-7, count(*) FROM slice", "--format", "csv"}}) {
      QCOMPARE(cli(words, m_folder / "plain").code, 0);
      QCOMPARE(cli(words, m_folder / "german", german).code, 0);
      QVERIFY(!tests::contentOf(m_folder / "plain").empty());
      QCOMPARE(tests::contentOf(m_folder / "german"), tests::contentOf(m_folder / "plain"));
    }
    if (!fs::exists(programOf("tilescope"))) QSKIP("this build has no window");
    const tests::Ended plain = pictures(m_folder / "plain pictures", {}), other = pictures(m_folder / "german pictures", german);
    QVERIFY2(plain.code == 0, plain.error.c_str());
    QVERIFY2(other.code == 0, other.error.c_str());
    int compared = 0;
    for (const auto& entry : fs::directory_iterator(m_folder / "plain pictures")) {
      const std::string picture = tests::contentOf(entry.path());
      QVERIFY2(picture == tests::contentOf(m_folder / "german pictures" / entry.path().filename()), entry.path().c_str());
      ++compared;
    }
    QVERIFY(compared > 0);
  }

  void F50_screensOfAnyScale() {
    if (!fs::exists(programOf("tilescope"))) QSKIP("this build has no window");
    for (const char* scale : {"0.8", "1", "1.25", "1.5", "2", "3"}) {
      const fs::path folder = m_folder / ("scale " + std::string(scale));
      const tests::Ended ended = pictures(folder, {{"QT_SCALE_FACTOR", scale}});
      QVERIFY2(ended.code == 0, ended.error.c_str());
      int found = 0;
      for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().stem().string(); // memory-light-1280x800
        const int width = std::atoi(name.substr(name.rfind('-') + 1).c_str());
        QCOMPARE(widthOf(entry.path()), int(std::lround(width * std::atof(scale))));
        ++found;
      }
      QCOMPARE(found, 6); // light and dark, in three sizes
    }
  }

  // A file may not grow beyond 8 KiB, as on a disk that fills up.
  void F24_diskFullWhilePicturesAreWritten() {
    if (!fs::exists(programOf("tilescope"))) QSKIP("this build has no window");
    const fs::path folder = m_folder / "full";
    const tests::Ended ended =
        tests::runLimited({"/bin/sh", "-c", "ulimit -f 16; exec \"$0\" \"$@\"", programOf("tilescope").string(), "--gallery",
                           folder.string(), "--view", "memory", reportOf(1000).string()},
                          m_folder / "errors", 120, "/dev/null", {{"QT_QPA_PLATFORM", "offscreen"}});
    QVERIFY2(ended.code == 2, (std::to_string(ended.code) + ended.error).c_str());
    QVERIFY2(ended.error.find(".png") != std::string::npos, ended.error.c_str());
    if (fs::exists(folder))
      for (const auto& entry : fs::directory_iterator(folder)) QVERIFY2(widthOf(entry.path()) > 0, entry.path().c_str()); // whole
  }

  void F51_twoHundredReportsOpenedAndClosed() {
    const std::string small = reportOf(1000).string(), large = reportOf(100'000).string();
    const auto open = [](const std::string& file) {
      const auto session = analyser::Session::open(file);
      QVERIFY(analyser::summary::summarise(*session).cycles.total.value() > 0);
    };
    open(small), open(large); // one-time allocations happen now
    const std::size_t before = openFiles();
    for (int i = 0; i < 200; ++i) open(i % 10 ? small : large);
    QCOMPARE(openFiles(), before);
  }
};

TILESCOPE_TEST(EnvironmentTest)
#include "environment_test.moc"
