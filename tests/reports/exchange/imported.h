// Imports a text or a file and keeps the rows, so that a test can check the imported trace.
#pragma once

#include "reports/exchange/import.h"
#include "reports/rows/slice_decode.h"
#include "tests/support/row_collector.h"
#include "tests/support/temporary_folder.h"

#include <filesystem>
#include <fstream>

namespace tests {

struct Imported {
  RowCollector rows;
  reports::exchange::ImportResult result;

  const reports::exchange::ImportCounts& counts() const { return result.total; }
  int64_t mended(reports::exchange::Mend what) const { return result.total.mended[std::size_t(what)]; }

  struct Slice {
    int64_t track = 0, depth = 0, start = 0, end = 0;
    std::string name, details;
    bool operator==(const Slice&) const = default;
  };
  // In order of track, depth and start.
  std::vector<Slice> slices() const {
    std::vector<std::string> details;
    for (const auto& chunk : rows.rows<reports::DetailsChunkRow>())
      for (auto& text : reports::decodeDetails(chunk)) details.push_back(std::move(text));
    std::vector<Slice> all;
    for (const auto& chunk : rows.rows<reports::SliceChunkRow>()) {
      const auto columns = reports::decodeChunk(chunk);
      for (std::size_t i = 0; i < columns.size(); ++i)
        all.push_back({chunk.trackId, chunk.depth, columns.starts[i], columns.end(i), rows.text(columns.names[i]),
                       columns.refs[i] < 0 ? std::string() : details.at(std::size_t(columns.refs[i]))});
    }
    return all;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Slice& s : slices()) all.push_back(s.name);
    return all;
  }
};

inline Imported importFiles(const reports::exchange::ImportRequest& request) {
  Imported imported;
  reports::NoProgress progress;
  imported.result = reports::exchange::importTraces(request, imported.rows, progress, {});
  return imported;
}

inline Imported importText(std::string_view text, const std::string& name = "trace.json",
                           std::optional<reports::exchange::TraceFormat> format = {}) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / name;
  std::ofstream(file, std::ios::binary) << text;
  reports::exchange::ImportRequest request;
  request.files = {file};
  request.format = format;
  return importFiles(request);
}

} // namespace tests
