// Whatever an importer writes, the reader opens and every analysis answers: the fixtures of the tests, the corpus of the fuzz targets, the
// profiles of Poplar, and the shared traces where they are.
#include "reports/exchange/import.h"
#include "reports/sqlite/writer.h"
#include "tests/support/every_analysis.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

namespace {

const std::filesystem::path kTests = TILESCOPE_SOURCE_DIR "/tests";
const std::filesystem::path kSharedTraces = TILESCOPE_SOURCE_DIR "/../shared/traces";
constexpr std::uintmax_t kLargestShared = 4u << 20; // larger ones are left to the test of their counts

std::vector<std::filesystem::path> filesBelow(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace

class ImportedReportsTest : public QObject {
  Q_OBJECT
private slots:
  void open_data() {
    QTest::addColumn<QStringList>("files");
    const auto row = [](const std::vector<std::filesystem::path>& files) {
      QStringList names;
      for (const auto& file : files) names.append(QString::fromStdString(file.string()));
      QTest::newRow(files.back().string().c_str()) << names;
    };
    for (const char* corpus :
         {"chrome", "cpu_profile", "folded", "ftrace", "import", "perf_script", "perfetto", "poplar", "speedscope"})
      for (const auto& file : filesBelow(kTests / "fuzz/corpus" / corpus)) row({file});
    const auto poplar = kTests / "reports/exchange/poplar";
    row({poplar / "graph.json"});
    row({poplar / "vars.json"});
    row({poplar / "graph.json", poplar / "execution.json"});
    row({poplar / "graph.json", poplar / "execution.json", poplar / "vars.json"});
    for (const auto& file : filesBelow(kSharedTraces))
      if (std::filesystem::file_size(file) < kLargestShared && file.filename() != "counts.json" && file.extension() != ".md" &&
          file.extension() != ".py" && file.string().find(".expected") == std::string::npos)
        row({file});
  }
  void open() {
    QFETCH(QStringList, files);
    const tests::TemporaryFolder folder;
    const auto report = folder / "report.tsr";
    {
      reports::exchange::ImportRequest request;
      for (const QString& file : files) request.files.emplace_back(file.toStdString());
      reports::Writer writer(report);
      reports::NoProgress progress;
      try {
        reports::exchange::importTraces(request, writer, progress, {});
      } catch (const reports::Error& error) {
        QVERIFY2(error.code() != reports::ErrorCode::Internal, error.what());
        return; // refused: nothing is written
      }
      writer.commit();
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
