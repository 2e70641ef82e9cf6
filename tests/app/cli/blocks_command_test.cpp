// `blocks` as a user calls it: on a run with and without Block profiling.
#include "tests/app/cli/cli_runner.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

using tests::cli;

class BlocksCommandTest : public QObject {
  Q_OBJECT
private slots:
  void aRunIsTimedAndTold() {
    const std::string file = (m_folder / "timed.tsr").string();
    auto args = m_run;
    args.insert(args.end(), {"-o", file, "--engine-option", "profiler.programs.filter=.*"});
    const auto ran = cli(args);
    QVERIFY2(ran.code == 0, ran.err.c_str());
    const auto list = nlohmann::json::parse(cli({"blocks", file, "--json"}).out);
    QVERIFY(!list.empty());
    int64_t before = INT64_MAX;
    for (const auto& block : list) {
      QVERIFY(block["cycles"].get<int64_t>() <= before);
      before = block["cycles"].get<int64_t>();
      QVERIFY(block["min"] <= block["median"] && block["median"] <= block["p95"] && block["p95"] <= block["max"]);
    }
    const auto text = cli({"blocks", file});
    QCOMPARE(text.code, 0);
    QVERIFY2(text.out.find("none was lost") != std::string::npos, text.out.c_str());
    const auto counted = cli({"query", file, "SELECT count(DISTINCT name || ipu) FROM block_record WHERE kind = 'program'"});
    QVERIFY2(counted.out.find(std::to_string(list.size())) != std::string::npos, counted.out.c_str());
  }
  void withoutItTheCommandSaysHow() {
    const std::string file = (m_folder / "plain.tsr").string();
    auto args = m_run;
    args.insert(args.end(), {"-o", file});
    QCOMPARE(cli(args).code, 0);
    const auto text = cli({"blocks", file});
    QCOMPARE(text.code, 0);
    QVERIFY2(text.out.find("profiler.blocks.filter") != std::string::npos, text.out.c_str());
    QCOMPARE(cli({"blocks", file, "--json"}).out, std::string("[]\n"));
  }
  void aFilterThatFoundNothingIsNamed() {
    const std::string file = (m_folder / "none.tsr").string();
    auto args = m_run;
    args.insert(args.end(), {"-o", file, "--engine-option", "profiler.blocks.filter=stag"});
    const auto ran = cli(args);
    QCOMPARE(ran.code, 0);
    QVERIFY2(ran.err.find("note: no Block that ran matches 'stag' (profiler.blocks.filter)") != std::string::npos,
             ran.err.c_str());
    const auto text = cli({"blocks", file});
    QVERIFY2(text.out.find("no Block that ran matches 'stag'") != std::string::npos, text.out.c_str());
  }
  void mistakesNameTheOption() {
    auto args = m_run;
    args.insert(args.end(), {"-o", (m_folder / "none.tsr").string(), "--engine-option", "profiler.blocks.filter=(a"});
    tests::verifyFails(cli(args), "profiler.blocks.filter");
  }

private:
  tests::TemporaryFolder m_folder;
  const std::vector<std::string> m_run{"run", "hello-tiles"};
};

TILESCOPE_TEST(BlocksCommandTest)
#include "blocks_command_test.moc"
