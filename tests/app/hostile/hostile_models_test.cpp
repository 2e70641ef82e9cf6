// Models that were made to break the program, each run by a tilescope-cli of its own: it must end by itself within a limit of processor
// time and 4 GiB, with a documented exit code, and with one line if it fails. The folder ../shared/attacks has some
// four hundred; hostile_models.h makes more than a thousand, of which every tenth is run. TILESCOPE_ATTACKS=all runs each of them,
// TILESCOPE_CLI names another program to try, e.g. one with sanitizers.
#include "tests/app/hostile/child_process.h"
#include "tests/app/hostile/hostile_models.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

namespace fs = std::filesystem;

namespace {

// Seconds of processor time that a run may take. The default leaves room for slow computers and sanitizers: it finds only endless
// runs. TILESCOPE_ATTACK_SECONDS=20 sets the limit that the simulator should keep on an idle machine.
unsigned mostSeconds() {
  const char* asked = std::getenv("TILESCOPE_ATTACK_SECONDS");
  return asked ? unsigned(std::strtoul(asked, nullptr, 10)) : 120;
}
constexpr int64_t kMostKibibytes = int64_t(4) << 20;

struct Attack {
  fs::path model;
  std::string words; // of the error that must come; empty: any end will do
};

fs::path programUnderTest() {
  if (const char* other = std::getenv("TILESCOPE_CLI")) return other;
  return fs::path(TILESCOPE_BINARY_DIR) / "bin" / "tilescope-cli";
}

// The fault in how a run ended; empty if it ended properly.
std::string faultOf(const tests::Ended& ended, const std::string& words) {
  if (ended.code < 0 || ended.code > 2) return "it does not end by itself";
  if (ended.error.find("Sanitizer") != std::string::npos || ended.error.find("runtime error:") != std::string::npos)
    return "a sanitizer complains";
  if (ended.kibibytes > kMostKibibytes) return "it takes too much memory";
  if (!words.empty() && (ended.code != 2 || ended.error.find(words) == std::string::npos)) return "the error is another one";
  if (ended.code != 2) return {};
  if (!ended.error.starts_with("tilescope-cli: ") && ended.error.find("\ntilescope-cli: ") == std::string::npos)
    return "no line names the error";
  if (ended.error.find("internal error") != std::string::npos) return "the error is an internal one";
  return {};
}

} // namespace

class HostileModelsTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  // Runs each model in each mode, as many at a time as there are processors.
  void verifyEnds(const std::vector<Attack>& attacks) {
    const fs::path program = programUnderTest();
    QVERIFY2(fs::exists(program), "build the target tilescope-cli first");
    QVERIFY(!attacks.empty());
    const std::vector<std::string> modes{"", "--no-numbers", "--vertex-by-vertex"};
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::string faults;
    const auto work = [&](unsigned worker) {
      const fs::path own = m_folder / ("worker" + std::to_string(worker));
      fs::create_directory(own);
      for (std::size_t i = next++; i < attacks.size() * modes.size(); i = next++) {
        const Attack& attack = attacks[i / modes.size()];
        const std::string& mode = modes[i % modes.size()];
        std::vector<std::string> arguments{program, "run", attack.model, "-o", own / "r.tsr"};
        if (!mode.empty()) arguments.push_back(mode);
        const tests::Ended ended = tests::runLimited(arguments, own / "errors", mostSeconds());
        const std::string fault = faultOf(ended, attack.words);
        if (fault.empty()) continue;
        const std::scoped_lock lock(mutex);
        faults += attack.model.filename().string() + " " + mode + ": " + fault + ": exit " + std::to_string(ended.code) + ", " +
                  std::to_string(ended.kibibytes) + " KiB: " + ended.error.substr(0, 2000) + "\n";
      }
    };
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) workers.emplace_back(work, i);
    workers.clear();
    QVERIFY2(faults.empty(), faults.c_str());
  }

  std::vector<Attack> written(const std::vector<tests::HostileFile>& files, std::size_t step = 1) {
    std::vector<Attack> attacks;
    for (std::size_t i = 0; i < files.size(); i += step) {
      attacks.push_back({m_folder / (files[i].name + ".onnx"), files[i].words});
      std::ofstream(attacks.back().model, std::ios::binary) << files[i].bytes;
    }
    return attacks;
  }

  std::vector<Attack> m_attacks; // of the test at hand

  // A row takes no more than a few minutes on a busy computer.
  void addRows(std::vector<Attack> attacks) {
    constexpr std::size_t kOfRow = 25;
    m_attacks = std::move(attacks);
    QTest::addColumn<int>("begin");
    QTest::addColumn<int>("end");
    for (std::size_t begin = 0; begin < m_attacks.size(); begin += kOfRow) {
      const std::size_t end = std::min(begin + kOfRow, m_attacks.size());
      QTest::newRow((m_attacks[begin].model.stem().string() + " and those after it").c_str()) << int(begin) << int(end);
    }
  }
  void verifyRow() {
    QFETCH(int, begin);
    QFETCH(int, end);
    verifyEnds({m_attacks.begin() + begin, m_attacks.begin() + end});
  }

private slots:
  void ownSampleEnds_data() { addRows(written(tests::hostileSample())); }
  void ownSampleEnds() { verifyRow(); }

  void ownModelsEnd_data() { addRows(written(tests::hostileModels(), qgetenv("TILESCOPE_ATTACKS") == "all" ? 1 : 10)); }
  void ownModelsEnd() { verifyRow(); }

  void sharedAttacksEnd_data() {
    const fs::path folder = fs::path(TILESCOPE_SOURCE_DIR) / "../shared/attacks/models";
    std::vector<Attack> attacks;
    if (fs::is_directory(folder))
      for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".onnx") attacks.push_back({entry.path(), {}});
    std::sort(attacks.begin(), attacks.end(), [](const Attack& a, const Attack& b) { return a.model < b.model; });
    addRows(std::move(attacks));
    if (m_attacks.empty()) QTest::newRow("none") << 0 << 0;
  }
  void sharedAttacksEnd() {
    if (m_attacks.empty()) QSKIP("../shared/attacks is not there; the test's own models were run");
    verifyRow();
  }
};

TILESCOPE_TEST(HostileModelsTest)
#include "hostile_models_test.moc"
