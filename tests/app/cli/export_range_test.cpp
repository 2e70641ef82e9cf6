// A part of a trace is exported: parts add up to the whole, and an empty part is an error.
#include "tests/app/cli/cli_runner.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <sstream>

using tests::cli;
using tests::verifyFails;

class ExportRangeTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;
  std::string m_report;
  int64_t cyclesIn(const std::vector<std::string>& range) const {
    std::vector<std::string> words{"export", m_report, "--format", "folded", "--by", "cycles", "--what", "device"};
    words.insert(words.end(), range.begin(), range.end());
    const auto ran = cli(words);
    if (ran.code != 0) throw std::runtime_error(ran.err);
    int64_t sum = 0;
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) sum += std::stoll(line.substr(line.rfind(' ')));
    return sum;
  }
  double numberOf(const std::string& sql) const {
    return nlohmann::json::parse(cli({"query", m_report, sql, "--json"}).out)[0]["n"].get<double>();
  }

private slots:
  void initTestCase() {
    m_report = (m_folder / "r.tsr").string();
    QCOMPARE(cli({"run", "heat", "--no-numbers", "-o", m_report}).code, 0);
  }

  void partsOfTheCyclesAddUp() {
    const auto begin = int64_t(numberOf("SELECT start_tick AS n FROM run_link")); // of the host's clock
    const double nanoseconds = 1e9 * numberOf("SELECT cycles AS n FROM run") / numberOf("SELECT clock_hz AS n FROM machine");
    const auto at = [&](double share) { return std::to_string(begin + int64_t(share * nanoseconds)) + "ns"; };
    const int64_t whole = cyclesIn({});
    const int64_t first = cyclesIn({"--range", at(-1) + ".." + at(0.3)}), second = cyclesIn({"--range", at(0.3) + ".." + at(2)});
    QCOMPARE(whole, int64_t(numberOf("SELECT cycles AS n FROM run")));
    QCOMPARE(first + second, whole);
    QVERIFY(std::abs(double(first) - 0.3 * double(whole)) < 2);
  }

  void aRangeWithoutAnythingIsTold() {
    verifyFails(cli({"export", m_report, "--format", "folded", "--range", "1000000s..1000001s"}),
                "the range contains nothing to export");
  }
};

TILESCOPE_TEST(ExportRangeTest)
#include "export_range_test.moc"
