#include "app/cli/output_files.h"

#include "reports/core/error.h"
#include "reports/core/regular_file.h"
#include "reports/sqlite/part_file.h"
#include "simcore/onnx/onnx_file.h"
#include "simcore/onnx/tensor_files.h"
#include "simcore/run/auto_reports.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

namespace app::cli {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;
using reports::PartFile;
using simcore::numerics::ElementType;
using simcore::numerics::HostTensor;

namespace {

bool isSameFile(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored) || fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored);
}

void requireNotRead(const fs::path& target, const RunFiles& files, const std::string& option) {
  for (const fs::path& read : files.read)
    if (isSameFile(target, read))
      throw Error(ErrorCode::InvalidInput, "would write over " + read.string() + ", which this run reads", option,
                  "name another file");
}

void requireModel(const fs::path& target) {
  std::error_code ignored;
  if (!fs::exists(target, ignored) || fs::file_size(target, ignored) == 0) return;
  try {
    simcore::model::readOnnx(target);
  } catch (const Error&) {
    throw Error(ErrorCode::InvalidInput, target.string() + " exists and is not an ONNX model", "--save-model",
                "name another file, or remove it first");
  }
}

// Whether writeOutputs() may write a file of this name for the stream, ignoring the numbers added to equal names.
bool isOutputOf(const std::string& stream, const std::string& name) {
  return name.starts_with(fileName(stream)) && name.ends_with(".npy");
}

// Gives each file of a folder a different name.
class FileNames {
public:
  explicit FileNames(fs::path folder) : m_folder(std::move(folder)) {}
  fs::path next(const std::string& stem, const std::string& suffix) {
    std::string name = stem + suffix;
    for (int n = 2; !m_taken.insert(name).second; ++n) name = stem + "_" + std::to_string(n) + suffix;
    return m_folder / name;
  }

private:
  fs::path m_folder;
  std::set<std::string> m_taken;
};

// Checks the folder, or the parent in which it will be made. Call it before anything is written.
void requireFolder(const fs::path& folder) {
  std::error_code ignored;
  fs::path there = fs::absolute(folder, ignored);
  while (!fs::exists(fs::symlink_status(there, ignored)) && there.has_relative_path()) there = there.parent_path();
  if (!fs::is_directory(there, ignored))
    throw Error(ErrorCode::Io, there.string() + " is not a folder", "--outputs " + folder.string(), "name another folder");
  if (::access(there.c_str(), W_OK | X_OK) != 0)
    throw Error(ErrorCode::Io, "cannot write in " + there.string() + ": " + std::strerror(errno), "--outputs " + folder.string(),
                "name another folder");
}

// The names of the files that runs wrote into a folder of outputs, one per line: only these may be overwritten.
constexpr const char* kOwnOutputs = ".tilescope-outputs";

std::set<std::string> ownOutputs(const fs::path& folder) {
  constexpr std::int64_t kMostBytes = 16 << 20;
  std::set<std::string> names;
  try {
    std::istringstream lines(reports::readRegularFile(folder / kOwnOutputs, kMostBytes));
    for (std::string line; std::getline(lines, line);) names.insert(line);
  } catch (const Error&) { // no run has written outputs here
  }
  return names;
}

// Throws if files with these names exist that no run has written: they are replaced only with --force.
void requireOwnOutputs(const fs::path& folder, const std::vector<std::string>& streams) {
  std::error_code ignored;
  const std::set<std::string> own = ownOutputs(folder);
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (own.contains(name)) continue;
    for (const std::string& stream : streams)
      if (isOutputOf(stream, name))
        throw Error(ErrorCode::InvalidInput, entry.path().string() + " exists and was not written by a run",
                    "--outputs " + folder.string(), "name another folder, or add --force to replace such files");
  }
}

std::vector<std::string> copiesOf(const RunFiles& files) {
  std::vector<std::string> copies = files.asked;
  std::erase_if(copies, [&](const std::string& copy) { return !files.report.empty() && isSameFile(copy, files.report); });
  return copies;
}

} // namespace

void writeCopies(const RunFiles& files) {
  for (const std::string& file : copiesOf(files))
    simcore::run::writeAskedFor(file, [&](const std::string& copy) {
      PartFile part(copy, files.replaces, files.links);
      std::error_code failed;
      fs::copy_file(files.report, part.path(), fs::copy_options::overwrite_existing, failed);
      if (failed) throw Error(ErrorCode::Io, "cannot be written: " + failed.message(), copy);
      part.publish();
    });
}

void writeWhole(const fs::path& file, const std::function<void(const fs::path&)>& write, PartFile::Links links) {
  PartFile part(file, PartFile::Replaces::AnyFile, links);
  errno = 0;
  try {
    write(part.path());
  } catch (const Error& error) { // the error names the temporary file
    if (error.code() != ErrorCode::Io) throw;
    throw Error(ErrorCode::Io, "cannot be written" + (errno ? std::string(": ") + std::strerror(errno) : std::string()),
                file.string());
  }
  part.publish();
}

void writeText(const fs::path& file, const std::string& text) {
  const auto write = [&](const fs::path& part) {
    std::ofstream out(part, std::ios::binary);
    out << text << std::flush;
    if (!out) throw Error(ErrorCode::Io, "cannot be written", part.string());
  };
  writeWhole(file, write, PartFile::Links::Refuse);
}

std::string fileName(std::string name) {
  for (char& c : name)
    if (c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20) c = '_';
  return name.empty() || name[0] == '.' ? "_" + name : name;
}

void requireSafe(const RunFiles& files, const std::vector<std::string>& streams) {
  if (!files.report.empty()) {
    requireNotRead(files.report, files, "--report " + files.report);
    reports::requireReplaceable(files.report, files.replaces, files.links);
  }
  for (const std::string& copy : copiesOf(files)) {
    requireNotRead(copy, files, "autoReport.directory");
    if (const fs::path folder = fs::path(copy).parent_path(); !folder.empty()) makeFolder(folder);
    if (!simcore::run::isDebugInfo(copy)) reports::requireReplaceable(copy, files.replaces, files.links);
  }
  if (!files.savedModel.empty()) {
    const std::string option = "--save-model " + files.savedModel;
    requireNotRead(files.savedModel, files, option);
    if (!files.report.empty() && isSameFile(files.savedModel, files.report))
      throw Error(ErrorCode::InvalidInput, "is the report's file", option, "name another file");
    reports::requireReplaceable(files.savedModel, PartFile::Replaces::AnyFile);
    requireModel(files.savedModel);
  }
  if (files.outputs.empty()) return;
  requireFolder(files.outputs);
  for (const fs::path& read : files.read)
    for (const std::string& stream : streams)
      if (isOutputOf(stream, read.filename().string()))
        requireNotRead(fs::path(files.outputs) / read.filename(), files, "--outputs " + files.outputs);
  if (!files.replacesOutputs) requireOwnOutputs(files.outputs, streams);
}

void makeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(ErrorCode::Io, "cannot make the folder: " + error.message(), folder.string());
}

namespace {
void writeTensor(const fs::path& file, const HostTensor& value) {
  writeWhole(
      file, [&](const fs::path& part) { simcore::model::writeNpy(part, value); }, PartFile::Links::Refuse);
}
} // namespace

std::vector<std::string> writeOutputs(const fs::path& folder, const simcore::run::SimulateResult& result) {
  std::vector<std::string> files;
  FileNames names(folder);
  for (const auto& [stream, values] : result.outputs)
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string number = values.size() > 1 ? "." + std::to_string(i) : "";
      files.push_back(names.next(fileName(stream), number + ".npy").string());
      writeTensor(files.back(), values[i]);
    }
  for (const auto& [stream, values] : result.history) {
    if (values.size() < 2) continue;
    files.push_back(names.next(fileName(stream), ".history.npy").string());
    writeTensor(files.back(), HostTensor::vector(values).cast(ElementType::Float));
  }
  std::set<std::string> own = ownOutputs(folder);
  for (const std::string& file : files) own.insert(fs::path(file).filename().string());
  std::string list;
  for (const std::string& name : own) list += name + "\n";
  writeText(folder / kOwnOutputs, list);
  return files;
}

} // namespace app::cli
