// Importable files in this repository: the fixtures of the tests, the corpus of the fuzz targets, the profiles of Poplar, and the
// shared traces if they are present.
#pragma once

#include "reports/exchange/import.h"
#include "reports/sqlite/writer.h"

#include <QStringList>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace tests {

using ImportedFiles = std::vector<std::filesystem::path>; // read together

inline std::vector<std::filesystem::path> filesBelow(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Shared traces of `largestShared` bytes or more are left out: another test checks their counts.
inline std::vector<ImportedFiles> importableFiles(std::uintmax_t largestShared) {
  const std::filesystem::path tests = TILESCOPE_SOURCE_DIR "/tests", shared = TILESCOPE_SOURCE_DIR "/../shared/traces";
  std::vector<ImportedFiles> all;
  for (const char* corpus : {"chrome", "cpu_profile", "folded", "ftrace", "import", "ninja", "perf_script", "perfetto", "poplar",
                             "pprof", "speedscope"})
    for (const auto& file : filesBelow(tests / "fuzz/corpus" / corpus)) all.push_back({file});
  const auto poplar = tests / "reports/exchange/poplar";
  all.push_back({poplar / "graph.json"});
  all.push_back({poplar / "vars.json"});
  all.push_back({poplar / "graph.json", poplar / "execution.json"});
  all.push_back({poplar / "graph.json", poplar / "execution.json", poplar / "vars.json"});
  for (const auto& file : filesBelow(shared))
    if (std::filesystem::file_size(file) < largestShared && file.filename() != "counts.json" && file.extension() != ".md" &&
        file.extension() != ".py" && file.string().find(".expected") == std::string::npos)
      all.push_back({file});
  return all;
}

// Adds a row of test data for each of these files, in the column `files`; fetch it as a QStringList.
inline void addImportableRows(std::uintmax_t largestShared) {
  QTest::addColumn<QStringList>("files");
  for (const ImportedFiles& files : importableFiles(largestShared)) {
    QStringList names;
    for (const auto& file : files) names.append(QString::fromStdString(file.string()));
    QTest::newRow(files.back().string().c_str()) << names;
  }
}

// Throws the importer's Error; then the report does not exist.
inline void importInto(const std::filesystem::path& report, const QStringList& files) {
  reports::exchange::ImportRequest request;
  for (const QString& file : files) request.files.emplace_back(file.toStdString());
  reports::Writer writer(report);
  reports::NoProgress progress;
  reports::exchange::importTraces(request, writer, progress, {});
  writer.commit();
}

} // namespace tests
