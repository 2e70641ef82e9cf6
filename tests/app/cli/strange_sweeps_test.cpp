// A sweep folder from a stranger starts its own runs and nothing else: it cannot read, write or run files of this computer.
#include "tests/app/cli/cli_runner.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

using tests::cli;
using tests::verifyFails;
namespace fs = std::filesystem;

namespace {

std::string plannedSweep(const fs::path& folder, const std::string& arguments) {
  std::ofstream(folder / "spec.json") << R"({"graph": "hello-tiles", "arguments": [)" << arguments
                                      << R"(], "parameters": {"--seed": [7]}})";
  const tests::Ran planned = cli({"sweep", "plan", (folder / "spec.json").string(), "-o", (folder / "sweep").string()});
  if (planned.code != 0) throw std::runtime_error(planned.err);
  return (folder / "sweep/manifest.jsonl").string();
}

// The manifest with `words` after its first run's arguments, as somebody could have edited it.
void addToManifest(const std::string& manifest, const std::vector<std::string>& words) {
  std::string text = tests::bytesOf(manifest);
  const std::size_t at = text.find("[\"hello-tiles\"") + 1;
  std::string more = "\"hello-tiles\"";
  for (const std::string& word : words) more += ", " + nlohmann::json(word).dump();
  std::ofstream(manifest, std::ios::binary) << text.replace(at, std::strlen("\"hello-tiles\""), more);
}

void runnable(const fs::path& file, const std::string& text) {
  std::ofstream(file) << text;
  fs::permissions(file, fs::perms::owner_all);
}

} // namespace

class StrangeSweepsTest : public QObject {
  Q_OBJECT
private slots:
  void onlyTheOptionsOfASweepAreTaken_data() {
    QTest::addColumn<QStringList>("words");
    for (const char* option : {"--outputs", "--save-model", "--report", "-o", "--log", "--plugin"})
      QTest::newRow(option) << QStringList{option, "x"};
    QTest::newRow("with an equals sign") << QStringList{"--outputs=x"};
    QTest::newRow("shortened") << QStringList{"--outp", "x"};
    QTest::newRow("with a space of Unicode") << QStringList{QString::fromUtf8("--seed\u00a0--outputs"), "x"};
  }
  void onlyTheOptionsOfASweepAreTaken() {
    QFETCH(QStringList, words);
    const tests::TemporaryFolder folder;
    const std::string manifest = plannedSweep(folder.path(), "");
    std::vector<std::string> added;
    for (const QString& word : words) added.push_back(word.toStdString());
    addToManifest(manifest, added);
    verifyFails(cli({"sweep", "run", manifest, "--progress", "none"}), manifest + ", line 1, arguments");
    QVERIFY(!fs::exists(folder / "sweep/runs"));
  }

  void aPlanThatReplacesAnotherSaysSo() {
    const tests::TemporaryFolder folder;
    (void)plannedSweep(folder.path(), "");
    const std::string spec = (folder / "spec.json").string(), sweep = (folder / "sweep").string();
    QCOMPARE(cli({"sweep", "plan", spec, "-o", sweep}).err, std::string());
    std::ofstream(spec) << "{\"graph\": \"hello-tiles\", \"parameters\": {\"--seed\": [8, 9]}}";
    const tests::Ran other = cli({"sweep", "plan", spec, "-o", sweep});
    QVERIFY2(other.code == 0 && other.err.starts_with("note: 1 run of the earlier plan in "), other.err.c_str());
  }

  void filesElsewhereAreReadOnlyIfTheUserSaysSo() {
    const tests::TemporaryFolder folder, other;
    const std::string secret = (other.path() / "secret.json").string();
    std::ofstream(secret) << "{}";
    const std::string manifest = plannedSweep(folder.path(), "");
    addToManifest(manifest, {"--tags", secret});
    const auto run = [&](const std::vector<std::string>& more) {
      std::vector<std::string> words{"sweep", "run", manifest, "--progress", "none", "--program", "/bin/false"};
      words.insert(words.end(), more.begin(), more.end());
      return cli(words);
    };
    verifyFails(run({}), "secret.json, which is not beside the manifest");
    verifyFails(run({"--read", folder.path().string()}), "--read ");
    fs::create_symlink(secret, folder / "sweep/inside.json"); // a link counts as the file that it points to
    std::string text = tests::bytesOf(manifest);
    text.replace(text.find(secret), secret.size(), (folder / "sweep/inside.json").string());
    std::ofstream(manifest) << text;
    verifyFails(run({}), "inside.json, which is not beside the manifest");
    const tests::Ran allowed = run({"--read", other.path().string()}); // fails: /bin/false runs no graph
    QVERIFY2(allowed.code != 0 && allowed.err.find("beside the manifest") == std::string::npos, allowed.err.c_str());
  }

  void aModelElsewhereIsReadOnlyIfTheUserSaysSo() {
    const tests::TemporaryFolder folder, other;
    const std::string model = (other.path() / "model.onnx").string();
    std::ofstream(model) << "no model";
    const std::string sweep = (folder / "sweep").string(), manifest = sweep + "/manifest.jsonl";
    const std::string key(64, 'a');
    fs::create_directories(sweep);
    std::ofstream(manifest) << "{\"key\": \"" + key + "\", \"arguments\": [\"" + model + "\"], \"values\": []}\n";
    const auto run = [&](const std::vector<std::string>& more) {
      std::vector<std::string> words{"sweep", "run", manifest, "--progress", "none", "--program", "/bin/false"};
      words.insert(words.end(), more.begin(), more.end());
      return cli(words);
    };
    verifyFails(run({}), "model.onnx, which is not beside the manifest");
    const tests::Ran allowed = run({"--read", model});
    QVERIFY2(allowed.err.find("beside the manifest") == std::string::npos, allowed.err.c_str());
    const tests::Ran script = cli({"sweep", "emit", manifest, "--for", "slurm", "--read", model});
    QVERIFY2(script.out.find("--read '" + model + "'") != std::string::npos, script.out.c_str());
  }

  void linksInTheFolderAreNotFollowed() {
    const tests::TemporaryFolder folder, other;
    const std::string manifest = plannedSweep(folder.path(), "");
    fs::create_directory_symlink(other.path(), folder / "sweep/runs");
    verifyFails(cli({"sweep", "run", manifest, "--progress", "none", "--program", "/bin/false"}), "symbolic link");
    QVERIFY(fs::is_empty(other.path()));
    std::ofstream(other / "mine.db") << "mine";
    fs::create_symlink(other / "mine.db", folder / "sweep/sweep.db");
    verifyFails(cli({"sweep", "merge", (folder / "sweep").string()}), "sweep.db");
    QCOMPARE(tests::bytesOf(other / "mine.db"), std::string("mine"));
  }

  // The scripts pass the manifest's name unchanged to the program, whatever the name means to a shell, `parallel` or YAML.
  void scriptsSayTheNameOfTheFolder_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"a'b", "a\"b", "$(touch pwned)", "`touch pwned`", "a: b # c", "{} {= touch =}", "- |\n  c",
                             "\u00e9\u2028x", "a\\'; touch pwned; '", "--index", "%d !x"})
      QTest::newRow(QByteArray(name).toPercentEncoding(" ").constData()) << QString::fromUtf8(name);
  }
  void scriptsSayTheNameOfTheFolder() {
    QFETCH(QString, name);
    const tests::TemporaryFolder folder;
    const fs::path strange = folder / name.toStdString();
    fs::create_directories(strange);
    const fs::path manifest = strange / "manifest.jsonl";
    fs::copy_file(plannedSweep(folder.path(), ""), manifest);
    fs::create_directory(folder / "bin");
    runnable(folder / "bin/program", "#!/bin/bash\nprintf '%s' \"$3\" >'" + (folder / "said").string() + "'\n");
    runnable(folder / "bin/parallel", "#!/bin/bash\nread -r index\ntask \"$index\"\n");
    for (const std::string scheduler : {"slurm", "parallel", "k8s"}) {
      const tests::Ran script =
          cli({"sweep", "emit", manifest.string(), "--for", scheduler, "--program", (folder / "bin/program").string()});
      QVERIFY2(script.code == 0, script.err.c_str());
      std::string commands = script.out;
      if (scheduler == "k8s") { // YAML's double quotes are those of JSON
        const std::size_t at = commands.find("args:\n            - ") + std::strlen("args:\n            - ");
        commands = nlohmann::json::parse(commands.substr(at, commands.find('\n', at) - at)).get<std::string>();
        for (std::size_t dollar = commands.find("$$"); dollar != std::string::npos; dollar = commands.find("$$", dollar + 1))
          commands.erase(dollar, 1); // as Kubernetes does
      }
      std::ofstream(folder / "script.sh") << commands;
      fs::remove(folder / "said");
      const std::string command = "cd '" + folder.path().string() +
                                  "' && PATH=\"$PWD/bin:$PATH\" SLURM_ARRAY_TASK_ID=0 JOB_COMPLETION_INDEX=0 " +
                                  "bash script.sh >/dev/null 2>errors";
      QVERIFY2(std::system(command.c_str()) == 0, (scheduler + ": " + tests::bytesOf(folder / "errors")).c_str());
      QVERIFY2(tests::bytesOf(folder / "said") == manifest.string(),
               (scheduler + ": " + tests::bytesOf(folder / "said")).c_str());
      QVERIFY(!fs::exists(folder / "pwned"));
    }
  }

  void arraysOfOthersAreNotReplaced() {
    const tests::TemporaryFolder folder;
    const auto run = [&](const std::vector<std::string>& more) {
      std::vector<std::string> words{"run", "mnist-train", "--set", "batch=4", "--outputs", folder.path().string()};
      words.insert(words.end(), more.begin(), more.end());
      return cli(words);
    };
    QCOMPARE(run({}).code, 0);
    QCOMPARE(run({}).code, 0); // its own files are written again
    fs::path own;
    for (const auto& entry : fs::directory_iterator(folder.path()))
      if (entry.path().extension() == ".npy") own = entry.path();
    QVERIFY(!own.empty());
    fs::remove(folder / ".tilescope-outputs");
    std::ofstream(own) << "mine";
    verifyFails(run({}), "was not written by a run");
    QCOMPARE(tests::bytesOf(own), std::string("mine"));
    QCOMPARE(run({"--force"}).code, 0);
    QVERIFY(tests::bytesOf(own) != "mine");
  }
};

TILESCOPE_TEST(StrangeSweepsTest)
#include "strange_sweeps_test.moc"
