#include "tests/layout/source_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>

namespace layout {

namespace {
namespace fs = std::filesystem;

bool isLeftOut(const std::string& name) { return name.starts_with(".") || name.starts_with("build"); }

bool isText(const fs::path& path) {
  static constexpr std::string_view kEndings[] = {".h",     ".cpp", ".md",  ".txt",     ".json",
                                                  ".cmake", ".in",  ".xml", ".desktop", ".1"};
  const std::string ending = path.extension().string();
  return path.filename() == "dev" || std::ranges::find(kEndings, ending) != std::end(kEndings);
}
} // namespace

std::vector<SourceFile> readTree(const fs::path& root) {
  std::vector<SourceFile> files;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
    if (isLeftOut(it->path().filename().string())) {
      if (it->is_directory()) it.disable_recursion_pending();
      continue;
    }
    if (!it->is_regular_file() || !isText(it->path())) continue;
    std::ifstream in(it->path(), std::ios::binary);
    files.push_back({it->path().lexically_relative(root).generic_string(), std::string(std::istreambuf_iterator<char>(in), {})});
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

std::vector<Line> linesOf(std::string_view text) {
  std::vector<Line> lines;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back({++number, text.substr(0, end)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string codeOf(std::string_view line) {
  std::string code;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote) {
      if (line[i] == '\\')
        ++i;
      else if (line[i] == quote)
        quote = 0;
    } else if (line.substr(i).starts_with("//")) {
      break;
    } else if (line[i] == '"') {
      quote = '"';
    } else {
      code += line[i];
    }
  }
  return code;
}

std::optional<Include> includeIn(std::string_view line) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_search(line.begin(), line.end(), match, pattern)) return std::nullopt;
  return Include{match[2].str(), match[1].str() == "\""};
}

bool isHeader(const SourceFile& file) { return file.path.ends_with(".h"); }

bool isSource(const SourceFile& file) { return isHeader(file) || file.path.ends_with(".cpp"); }

bool startsWithFolder(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

} // namespace layout
