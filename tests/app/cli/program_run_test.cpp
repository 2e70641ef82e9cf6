// `run program:FILE`: arguments and environment of a program, its reports, and the messages for its faults. The programs are
// shell scripts that copy a report.
#include "analyser/session/session.h"
#include "tests/app/cli/cli_runner.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

using tests::cli;
using tests::Ran;
using tests::verifyFails;
namespace fs = std::filesystem;

class ProgramRunTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;
  std::string m_fits, m_overflows; // reports

  std::string script(const std::string& name, const std::string& text) const {
    const fs::path file = m_folder / name;
    std::ofstream(file) << "#!/bin/sh\n" << text;
    fs::permissions(file, fs::perms::owner_all);
    return file.string();
  }
  std::string copies(const std::string& report) const { return "cp '" + report + "' \"$TILESCOPE_REPORT\"\n"; }
  std::string path(const char* name) const { return (m_folder / name).string(); }

private slots:
  void initTestCase() {
    m_fits = path("fits.tsr"), m_overflows = path("overflows.tsr");
    QCOMPARE(cli({"run", "hello-tiles", "--no-numbers", "-o", m_fits}).code, 0);
    QCOMPARE(cli({"run", "matmul", "--set", "m=20000", "--set", "n=20000", "--set", "k=20000", "--no-numbers", "-o", m_overflows})
                 .code,
             1);
  }

  void aProgramIsToldWhatItShallDo() {
    const std::string program = script("told", "echo \"$#:$1:$2\"; printf '%s\\n' \"$TILESCOPE_MACHINE\" \"$MINE\" \"$PWD\" "
                                               "\"$POPLAR_ENGINE_OPTIONS\" \"$TILESCOPE_RUN\" > told.txt\n" +
                                                   copies(m_fits));
    fs::create_directory(m_folder / "there");
    const Ran ran = cli({"run", "program:" + program, "--arguments='a b' {n}", "--set", "n=1 2", "--environment=MINE={n}",
                         "--folder", path("there"), "--machine", "bow", "--engine-option", "debug.instrument=true", "--tag",
                         "commit=1f3a", "-o", path("told.tsr"), "--progress", "none"});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    QVERIFY2(ran.out.find("report: " + path("told.tsr")) != std::string::npos, ran.out.c_str());
    std::ifstream told(m_folder / "there/told.txt");
    std::vector<std::string> lines;
    for (std::string line; std::getline(told, line);) lines.push_back(line);
    QCOMPARE(lines.size(), std::size_t(5));
    QCOMPARE(lines[0], std::string("bow"));
    QCOMPARE(lines[1], std::string("1 2"));
    QCOMPARE(lines[2], fs::canonical(m_folder / "there").string());
    QVERIFY(nlohmann::json::parse(lines[3]) == nlohmann::json({{"debug.instrument", "true"}}));
    const auto run = nlohmann::json::parse(lines[4]);
    QCOMPARE(run.at("tag.commit").get<std::string>(), std::string("1f3a"));
    QCOMPARE(run.at("parameter.n").get<std::string>(), std::string("1 2"));
    QCOMPARE(run.at("option.arguments").get<std::string>(), std::string("'a b' {n}"));
    QVERIFY(run.at("command_line").get<std::string>().find("program:" + program) != std::string::npos);
  }

  void aReportIsKeptHoweverTheProgramEnds() {
    const std::string report = path("kept.tsr");
    verifyFails(cli({"run", "program:" + script("three", copies(m_fits) + "exit 3\n"), "-o", report, "--progress", "none"}),
                "ended with exit code 3 (its report is kept: " + report);
    QVERIFY(fs::exists(report));
    const Ran big =
        cli({"run", "program:" + script("big", copies(m_overflows) + "exit 134\n"), "-o", path("big.tsr"), "--progress", "none"});
    QCOMPARE(big.code, 1);
    QVERIFY2(big.out.find("Does not fit") != std::string::npos, big.out.c_str());
  }

  void faultsAreSaid_data() {
    QTest::addColumn<std::vector<std::string>>("words");
    QTest::addColumn<std::string>("says");
    const std::string good = "program:" + script("good", copies(m_fits));
    std::ofstream(m_folder / "text") << "no program\n";
    QTest::newRow("missing") << std::vector<std::string>{"program:" + path("none")} << std::string("no such program");
    QTest::newRow("text") << std::vector<std::string>{"program:" + path("text")} << std::string("is not an executable program");
    QTest::newRow("folder") << std::vector<std::string>{good, "--folder", path("nowhere")} << std::string("no such folder");
    QTest::newRow("quote") << std::vector<std::string>{good, "--arguments", "'a"}
                           << std::string("--arguments: a quotation mark is not closed");
    QTest::newRow("variable") << std::vector<std::string>{good, "--environment", "x"} << std::string("'x' is not NAME=VALUE");
    QTest::newRow("setting") << std::vector<std::string>{good, "--set", "n=1"} << std::string("has {n}");
    QTest::newRow("machine") << std::vector<std::string>{good, "--machine", "gc999"} << std::string("gc999");
    QTest::newRow("option") << std::vector<std::string>{good, "--iterations", "3"}
                            << std::string("--iterations: a program does not take this option");
    QTest::newRow("dry") << std::vector<std::string>{good, "--dry-run"} << std::string("--dry-run: a program does not take");
    QTest::newRow("silent") << std::vector<std::string>{"program:" + script("silent", "exit 0\n")}
                            << std::string("wrote no report");
    QTest::newRow("fails") << std::vector<std::string>{"program:" + script("fails", "exit 5\n")}
                           << std::string("ended with exit code 5, and wrote no report");
    QTest::newRow("killed") << std::vector<std::string>{"program:" + script("killed", "kill -9 $$\n")}
                            << std::string("was ended by a signal");
    QTest::newRow("over itself") << std::vector<std::string>{good, "--force", "-o", path("good")}
                                 << std::string("would write over");
    QTest::newRow("as a model") << std::vector<std::string>{path("good")}
                                << std::string("`run program:" + path("good") + "` starts it");
    QTest::newRow("for a sample") << std::vector<std::string>{"mlp", "--arguments", "3"}
                                  << std::string("--arguments: applies only to programs");
  }
  void faultsAreSaid() {
    QFETCH(std::vector<std::string>, words);
    QFETCH(std::string, says);
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"--progress", "none"});
    if (std::find(words.begin(), words.end(), "-o") == words.end() &&
        std::find(words.begin(), words.end(), "--dry-run") == words.end())
      words.insert(words.end(), {"-o", path("fault.tsr")});
    verifyFails(cli(words), says);
    QVERIFY(!fs::exists(m_folder / "fault.tsr"));
    for (const auto& entry : fs::directory_iterator(m_folder.path()))
      QVERIFY2(entry.path().filename().string().find(".part.") == std::string::npos, entry.path().c_str());
  }

  void aStopEndsTheProgram() {
    const std::string program = script("slow", "trap 'echo bye > \"" + path("bye") +
                                                   "\"; exit 1' TERM\nsleep 600 &\necho $! > '" + path("pid") + "'\nwait\n");
    std::stop_source source;
    std::thread stopper([&] {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while ((!fs::exists(m_folder / "pid") || fs::file_size(m_folder / "pid") == 0) && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(5)); // waits because the program tells by a file that it runs
      source.request_stop();
    });
    const Ran ran = cli({"run", "program:" + program, "-o", path("slow.tsr"), "--progress", "none"}, source.get_token());
    stopper.join();
    QCOMPARE(ran.code, 2);
    QVERIFY2(ran.err.find("cancelled") != std::string::npos, ran.err.c_str());
    int pid = 0;
    std::ifstream(m_folder / "pid") >> pid;
    QVERIFY(pid > 0);
    QVERIFY(!fs::exists("/proc/" + std::to_string(pid) + "/exe")); // what it started ends, too
    QVERIFY(fs::exists(m_folder / "bye"));                         // it was asked first
  }

  // A manifest may come from a stranger, and a program may do everything.
  void aSweepStartsOnlyTheProgramThatTheUserNames() {
    const std::string program = script("swept", copies(m_fits) + "echo $1 >> '" + path("swept.txt") + "'\n");
    std::ofstream(m_folder / "spec.json") << nlohmann::json{
        {"graph", "program:" + program}, {"arguments", {"--arguments={rows}"}}, {"parameters", {{"rows", {100, 200}}}}};
    const Ran planned = cli({"sweep", "plan", path("spec.json"), "-o", path("sweep")});
    QVERIFY2(planned.code == 0, planned.err.c_str());
    QVERIFY2(planned.out.find("--execute " + program) != std::string::npos, planned.out.c_str());
    const auto run = [&](const std::vector<std::string>& more) {
      std::vector<std::string> words{"sweep",
                                     "run",
                                     path("sweep/manifest.jsonl"),
                                     "--progress",
                                     "none",
                                     "--program",
                                     (fs::path(TILESCOPE_BINARY_DIR) / "bin" / "tilescope-cli").string()};
      words.insert(words.end(), more.begin(), more.end());
      return cli(words);
    };
    verifyFails(run({}), "runs would start a program, with 2 command lines: program:" + program);
    verifyFails(run({"--execute", "/bin/true"}), "would start a program");
    verifyFails(run({"--read", program}), "would start a program"); // to read a file is not to start it
    QVERIFY(!fs::exists(m_folder / "swept.txt"));
    const Ran allowed = run({"--execute", program});
    QVERIFY2(allowed.code == 0, (allowed.out + allowed.err).c_str());
    std::ifstream swept(m_folder / "swept.txt");
    std::multiset<int> rows{std::istream_iterator<int>(swept), {}};
    QCOMPARE(rows, (std::multiset<int>{100, 200}));
    const Ran script = cli({"sweep", "emit", path("sweep/manifest.jsonl"), "--for", "slurm", "--execute", program});
    QVERIFY2(script.out.find("--execute '" + program + "'") != std::string::npos, script.out.c_str());
  }
};

TILESCOPE_TEST(ProgramRunTest)
#include "program_run_test.moc"
