// The tree as the layout rules see it: files with their text in memory, so that a self-test can plant a wrong one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace layout {

struct SourceFile {
  std::string path; // relative to the root, with forward slashes
  std::string text;
};

struct Violation {
  std::string path;
  int line = 0; // 1-based; 0 is the whole file
  std::string message;
};

struct Line {
  int number;
  std::string_view text;
};

// Sources, CMake files, scripts and pages of the repository; build folders and dot folders are left out.
std::vector<SourceFile> readTree(const std::filesystem::path& root);

std::vector<Line> linesOf(std::string_view text);
// The code of a line, without comments and without the text between quotes.
std::string codeOf(std::string_view line);
struct Include {
  std::string name;
  bool quoted = false;
};
std::optional<Include> includeIn(std::string_view line);
bool isHeader(const SourceFile& file);
bool isSource(const SourceFile& file);                                 // .h or .cpp
bool startsWithFolder(std::string_view path, std::string_view folder); // "ui/plot" holds "ui/plot/x.h", not "ui/plots/x.h"

} // namespace layout
