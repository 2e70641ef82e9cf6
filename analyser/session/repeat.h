// Reads from a report the run that made it, to repeat it. Reports come from strangers: an option is accepted only if it is in the
// list here and its value is of the option's type. Options that write files, and options about this computer, are not in the
// list. Files that the run reads are kept separate, so that the user can be asked.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace analyser {

enum class ValueKind {
  None,   // a flag
  Number, // 3, -3, 0.25, 1e-4
  Word,   // letters, digits and _ . , : + -
  Name,   // one line of text
  Pair,   // NAME=TEXT
  Text,   // one line of text, which may begin with a dash
  File,   // the name of a file to read
  Input,  // NAME=FILE, or NAME=NUMBER
};

// A number of ValueKind::Number. Neither infinite nor NaN.
bool isNumber(std::string_view text);

struct RepeatableOption {
  std::string_view name;
  ValueKind kind;
};
// nullptr if a report may not set the option.
const RepeatableOption* repeatableOption(std::string_view name);

struct Repeat {
  std::string graph; // a sample's name, a model's file or a program; empty: the report does not name it
  // Words of the command line: an option, followed by its value if it takes one. A Text and its option are one word,
  // "--name=value". No option here names a file.
  std::vector<std::string> options;
  std::vector<std::string> reading; // the same for options that read files: "--tags", "a.json", "--input", "x=x.npy"
  std::vector<std::string> left;    // names of the options that are left out
};

// `commandLine` and `workload` are the report's metadata of these names. Never throws.
Repeat repeatOf(std::string_view commandLine, std::string_view workload);
// repeatOf() for the words after "run".
Repeat repeatOfWords(const std::vector<std::string>& words);
// Whether the graph is "program:FILE", a program that the run starts.
bool isProgram(std::string_view graph);
std::string programFile(std::string_view graph); // the FILE of "program:FILE"
// Whether a run reads this graph from a file or folder: the text has characters that no sample's name has, or `folder` contains a
// model of that name.
bool readsGraph(std::string_view graph, const std::filesystem::path& folder = ".");
// The file in an option of `reading`: for "x=x.npy" the part after "=".
std::string fileOf(std::string_view option, std::string_view value);

} // namespace analyser
