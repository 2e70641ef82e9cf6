// The run that made a report, as far as a report may request its repetition. Reports come from strangers: an option is taken only if it is in the
// list here and its value is of the option's type. Options that write files, and those about this computer, are not in the list. Files that the
// run reads are kept separate, so that the user can be asked.
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
// nullptr: a report may not set it.
const RepeatableOption* repeatableOption(std::string_view name);

struct Repeat {
  std::string graph; // a sample's name, a model's file or a program; empty: the report does not name it
  // Words. Each option that takes a value is followed by it, a Text is one word, "--name=value". None names a file.
  std::vector<std::string> options;
  std::vector<std::string> reading; // the same for options that read files: "--tags", "a.json", "--input", "x=x.npy"
  std::vector<std::string> left;    // names of the options that are not taken
};

// `commandLine` and `workload` are the report's metadata of these names. Never throws.
Repeat repeatOf(std::string_view commandLine, std::string_view workload);
// The same for the words after "run".
Repeat repeatOfWords(const std::vector<std::string>& words);
// A graph "program:FILE": a program that the run starts.
bool isProgram(std::string_view graph);
std::string programFile(std::string_view graph); // FILE
// Whether a run takes this graph from a file or a folder: no sample's name has such characters, or `folder` has a model of that name.
bool readsGraph(std::string_view graph, const std::filesystem::path& folder = ".");
// The file in an option of `reading`: for "x=x.npy" the part after "=".
std::string fileOf(std::string_view option, std::string_view value);

} // namespace analyser
