// Wrong input of many kinds: each ends with exit code 2 and one line that names the place, the reason and the way out, and leaves no file.
#include "tests/app/cli/cli_runner.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <filesystem>
#include <fstream>
#include <set>

namespace fs = std::filesystem;
using tests::cli;

class WrongInputTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  std::string in(const std::string& name) const { return (m_folder / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(m_folder / name, std::ios::binary) << text; }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(m_folder.path())) names.insert(entry.path().string());
    return names;
  }

private slots:
  void initTestCase() {
    QCOMPARE(cli({"run", "hello-tiles", "-o", in("good.tsr")}).code, 0);
    std::ifstream file(in("good.tsr"), std::ios::binary);
    const std::string report{std::istreambuf_iterator<char>(file), {}};
    write("cut.tsr", report.substr(0, 20'000));
    std::string changed = report;
    for (std::size_t i = 5'000; i < report.size(); i += 4'096) changed[i] = char(~changed[i]); // in every page but the first
    write("changed.tsr", changed);
    write("empty.tsr", "");
    write("text.tsr", "hello\n");
    write("cut.onnx", "\x08\x07\x3a\x7f");
    write("empty.onnx", "");
    write("text.json", "no JSON\n");
    write("cut.json", R"({"traceEvents":[{"ph":"B","ts":1)");
    write("foreign.json", R"({"a":1})");
    write("archive.zip", "PK\003\004 an archive");
    write("table.csv", "a,b\n");
    write("unknown.json", R"({"graph":"mnist-train","parameters":{"bacth":[1]}})");
    write("value.json", R"({"graph":"mnist-train","parameters":{"batch":["x"]}})");
    write("member.json", R"({"graph":"mnist-train","parametres":{}})");
    fs::create_directory(m_folder / "folder");
  }

  // FOLDER/ in a word is the folder of the test. Parts between "|" are all in the line.
  void isOneLineThatHelps_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("parts");
    const auto row = [](const QString& line, const QString& parts) {
      QTest::newRow(qPrintable(line)) << line.split(' ', Qt::SkipEmptyParts) << parts;
    };
    // Reports
    row("summary FOLDER/none.tsr", "FOLDER/none.tsr: no such file");
    row("summary FOLDER/cut.tsr", "FOLDER/cut.tsr: |cut short|copy it again");
    row("summary FOLDER/changed.tsr", "FOLDER/changed.tsr: |damaged: page |copy it again");
    row("summary FOLDER/empty.tsr", "FOLDER/empty.tsr: |the file is empty|make it again");
    row("summary FOLDER/text.tsr", "FOLDER/text.tsr: |not a report|too short");
    row("summary FOLDER/folder", "FOLDER/folder: |is a directory|name a .tsr file");
    row("summary /dev/null", "/dev/null: |not a regular file|name a .tsr file");
    row("compare FOLDER/good.tsr FOLDER/cut.tsr", "FOLDER/cut.tsr: |cut short");
    row("compare FOLDER/good.tsr", "OTHER is required|compare --help");
    row("insights FOLDER/text.tsr", "FOLDER/text.tsr: |not a report");
    row("query FOLDER/good.tsr SELEC", "FOLDER/good.tsr: |near \"SELEC\"");
    row("query FOLDER/good.tsr ", "SQL is required|query --help");
    row("query FOLDER/good.tsr DROP", "FOLDER/good.tsr: ");
    // Names
    row("sumary FOLDER/good.tsr", "no command is called 'sumary'|summary was probably meant");
    row("nonsense", "no command is called 'nonsense'|there are machines, ");
    row("run mnist-trian", "'mnist-trian' is not a sample|mnist-train was probably meant|`samples`");
    row("run bert-pipe", "similar samples are bert, bert-pipeline|`samples`");
    row("run qwertyuiop", "'qwertyuiop' is not a sample|(`samples` lists");
    row("samples mnist-trian", "no sample is called 'mnist-trian'|mnist-train was probably meant");
    row("run mnist-train --set bacth=4", "--set bacth: |no parameter 'bacth'|batch was probably meant; it has batch, ");
    row("run mnist-train --machine gc3000", "--machine: |'gc3000'|gc200");
    row("run mnist-train --optimizer adam", "unknown option --optimizer; --optimiser was probably meant|run --help");
    row("run mnist-train --unknown 1", "unknown option --unknown (see tilescope-cli run --help)");
    row("run mnist-train --optimiser foo", "'foo'|sgd, adam");
    row("run mnist-train --disable-pass foo", "--disable-pass");
    row("summary FOLDER/good.tsr --fail-if total_cycels>1", "--fail-if total_cycels>1: |similar ones are total_cycles; --help");
    row("summary FOLDER/good.tsr --fail-if qwertyuiop>1", "--fail-if qwertyuiop>1: |'qwertyuiop' (--help lists all)");
    // Values
    row("run mnist-train --precision fp7", "--precision: 'fp7' is not one of fp32, fp16, fp8");
    row("run mnist-train --iterations 0", "--iterations: '0' is not a whole number from 1 to 1000000");
    row("run mnist-train --iterations 1e3", "--iterations: '1e3' is not a whole number");
    row("run mnist-train --available-memory 3", "--available-memory: '3' is not a number from 0 to 1");
    row("run mnist-train --memory-limit 3zb", "--memory-limit: '3zb' is not an amount of memory, such as 8GiB");
    row("run mnist-train --seed 1x", "--seed: '1x' is not a whole number");
    row("run mnist-train --set batch=x", "--set batch: 'x' is not a whole number from 1 to ");
    row("run mnist-train --set batch", "--set: 'batch' is not of the form NAME=VALUE");
    row("run mnist-train --ipus 3", "--ipus: |cannot have 3 IPUs|choose one of 1, 2, 4");
    row("run mnist-train --io-tiles 5000", "--io-tiles: |no tile to compute|fewer than 1472");
    row("run mnist-train --offload wights", "--offload: 'wights' is not one of weights, optimiser, activations, none");
    row("run mnist-train --engine-option debug.runtimeVerify=maybe", "debug.runtimeVerify: 'maybe' is neither true nor false");
    row("run mnist-train --tags FOLDER/text.json", "FOLDER/text.json: line 1, column 2: not valid JSON");
    row("completion tcsh", "SHELL: 'tcsh' is not one of bash, zsh, fish");
    row("fit mnist-train --most 0", "--most: '0' is not a whole number from 1 to ");
    // Options that exclude one another, or do not apply
    row("run mnist-train --dry-run -o FOLDER/x.tsr", "a dry run writes no report|leave out --dry-run");
    row("run mnist-train --precision fp8", "--precision fp8: |no 8-bit floats|--machine c600");
    row("run mnist-train --train", "--train: |ONNX models|--set");
    row("run mnist-train --pipeline 3", "a pipeline of 3 IPUs|--ipus");
    row("export FOLDER/good.tsr --format svg", "--view: |name memory or liveness");
    row("export FOLDER/good.tsr --format pvti", "--format pvti: |name a file with -o");
    // Outputs
    row("run hello-tiles -o FOLDER/none/x.tsr", "FOLDER/none/x.tsr: |No such file or directory|make the folder first");
    row("run hello-tiles -o FOLDER/folder", "FOLDER/folder: |is a directory|name a file");
    row("run hello-tiles -o FOLDER/table.csv", "FOLDER/table.csv: |not a report|name another file");
    row("run hello-tiles -o -", "-: |must be a file|./-");
    row("export FOLDER/good.tsr --format chrome -o FOLDER/good.tsr", "FOLDER/good.tsr: |written over|-o");
    row("import FOLDER/cut.json -o FOLDER/cut.json", "FOLDER/cut.json: |written over|-o");
    // Models
    row("run FOLDER/none.onnx", "FOLDER/none.onnx: the file does not exist|`samples`");
    row("run FOLDER/cut.onnx", "FOLDER/cut.onnx: |not a whole ONNX model|cut short");
    row("run FOLDER/empty.onnx", "FOLDER/empty.onnx: the file is empty");
    row("run FOLDER/good.tsr", "FOLDER/good.tsr: is a report or another database, not a model|tilescope FOLDER/good.tsr");
    row("fit FOLDER/good.tsr", "FOLDER/good.tsr: is a report or another database, not a model");
    row("run FOLDER/folder", "FOLDER/folder: this folder has no model.onnx");
    row("run program:FOLDER/none", "FOLDER/none: no such program");
    row("onnx-test FOLDER/none", "FOLDER/none: no such folder");
    // Traces
    row("import FOLDER/none.json -o FOLDER/x.tsr", "FOLDER/none.json: no such file");
    row("import FOLDER/cut.json -o FOLDER/x.tsr", "FOLDER/cut.json: |cut short|copy it again");
    row("import FOLDER/foreign.json -o FOLDER/x.tsr", "FOLDER/foreign.json: not a trace of a known format|Perfetto|--format");
    row("import FOLDER/archive.zip -o FOLDER/x.tsr", "FOLDER/archive.zip: is a zip archive|unzip");
    row("import FOLDER/good.tsr -o FOLDER/x.tsr", "FOLDER/good.tsr: is a report of Tilescope already|tilescope FOLDER/good.tsr");
    row("import FOLDER/folder -o FOLDER/x.tsr", "FOLDER/folder: is a directory|name a trace file");
    row("import FOLDER/cut.json --format foo -o FOLDER/x.tsr", "--format: 'foo' is not one of recording, ");
    // Sweeps
    row("sweep plan FOLDER/none.json", "FOLDER/none.json: |No such file|sweep --help");
    row("sweep plan FOLDER/text.json -o FOLDER/s", "FOLDER/text.json: line 1, column 2: not valid JSON");
    row("sweep plan FOLDER/unknown.json -o FOLDER/s", "FOLDER/unknown.json: --set bacth: |batch was probably meant");
    row("sweep plan FOLDER/value.json -o FOLDER/s", "FOLDER/value.json: --set batch: 'x' is not a whole number");
    row("sweep plan FOLDER/member.json -o FOLDER/s", "FOLDER/member.json: unknown member 'parametres'|parameters");
    row("sweep run FOLDER/good.tsr", "FOLDER/good.tsr, line 1|name a manifest that `sweep plan` wrote");
    row("fetch foo", "foo: |ssh://[user@]host");
  }
  void isOneLineThatHelps() {
    QFETCH(QStringList, words);
    QFETCH(QString, parts);
    const QString folder = QString::fromStdString(m_folder.path().string());
    std::vector<std::string> list;
    for (const QString& word : words) list.push_back(QString(word).replace(QStringLiteral("FOLDER"), folder).toStdString());
    const std::set<std::string> before = files();
    const tests::Ran ran = cli(list);
    for (const QString& part : parts.split('|'))
      tests::verifyFails(ran, QString(part).replace(QStringLiteral("FOLDER"), folder).toStdString());
    QCOMPARE(files(), before);
  }
};

TILESCOPE_TEST(WrongInputTest)
#include "wrong_input_test.moc"
