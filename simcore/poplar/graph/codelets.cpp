// Codelets from files: compiled where the program runs.
#include "poplar/Graph.hpp"

#include "simcore/native/library.h"
#include "simcore/native/unit.h"
#include "simcore/poplar/graph/handles.h"
#include "simcore/poplar/inner.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace poplar {

namespace fs = std::filesystem;
namespace native = simcore::native;
using simcore::poplar::asPoplarOr;
using simcore::poplar::inner;

namespace {

// Words as a shell cuts them, with single and double quotes.
std::vector<std::string> wordsOf(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool inWord = false;
  char quote = 0;
  for (const char c : line) {
    if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      inWord = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inWord) words.push_back(std::move(word));
      word.clear();
      inWord = false;
    } else {
      word += c;
      inWord = true;
    }
  }
  if (inWord) words.push_back(std::move(word));
  return words;
}

// Where the program runs, and beside the program.
fs::path found(const std::string& path) {
  std::error_code none;
  if (fs::exists(path, none)) return path;
  if (fs::path(path).is_relative()) {
    const fs::path beside = fs::read_symlink("/proc/self/exe", none).parent_path() / path;
    if (!none && fs::exists(beside, none)) return beside;
  }
  throw file_load_error("there is no file of codelets '" + path + "' (looked for it in " + fs::current_path(none).string() +
                        " and beside the program)");
}

int archVersionOf(const std::string& architecture) { return architecture == "ipu1" ? 1 : architecture == "ipu21" ? 21 : 2; }

bool add(Graph& graph, const std::vector<fs::path>& sources, const std::string& flags, std::ostream& output) {
  auto& shared = *core::GraphAccess::inside(graph).shared;
  std::string key = flags;
  for (const fs::path& source : sources) key += '\n' + fs::weakly_canonical(source).string();
  if (!shared.addedCodelets.insert(key).second) return false;
  return asPoplarOr<graph_program_compilation_error>([&] {
    native::CompileRequest request;
    request.sources = sources;
    request.flags = wordsOf(flags);
    request.archVersion = archVersionOf(shared.architecture);
    native::Library library = native::compileCodelets(request);
    output << library.diagnostics << library.warnings;
    simcore::graph::Graph& g = inner(graph);
    for (auto& codelet : library.codelets) {
      const auto& known = g.codelets();
      const bool isKnown = std::any_of(known.begin(), known.end(), [&](const auto& c) { return c.name == codelet.name; });
      if (!isKnown) g.addCodelet(std::move(codelet)); // a header with vertices, in two sources
    }
    return true;
  });
}

} // namespace

bool Graph::addCodelets(StringRef source, CodeletFileType type, StringRef compileFlags, std::ostream& compileOutput,
                        const std::string&) {
  if (type == CodeletFileType::AsmSource || type == CodeletFileType::PreprocessedAsmSource)
    throw graph_program_compilation_error("'" + source.cloneAsString() + "' is assembly, which is not run here: use C++");
  return add(*this, {found(source)}, compileFlags, compileOutput);
}
bool Graph::addCodelets(ArrayRef<std::string> sources, StringRef compileFlags, std::ostream& compileOutput, const std::string&) {
  std::vector<fs::path> paths;
  for (const std::string& source : sources) paths.push_back(found(source));
  return add(*this, paths, compileFlags, compileOutput);
}
bool Graph::addCodelets(std::initializer_list<std::string> sources, StringRef compileFlags, std::ostream& compileOutput,
                        const std::string& target) {
  return addCodelets(ArrayRef<std::string>(sources.begin(), sources.size()), compileFlags, compileOutput, target);
}
bool Graph::addCodelets(std::istream& source, StringRef compileFlags, std::ostream& compileOutput, CodeletFileType type,
                        const std::string&) {
  return addCodelets(source, type, compileFlags, compileOutput);
}
bool Graph::addCodelets(std::istream& source, CodeletFileType type, StringRef compileFlags, std::ostream& compileOutput) {
  const std::string text{std::istreambuf_iterator<char>(source), std::istreambuf_iterator<char>()};
  const native::ScratchFolder folder(fs::temp_directory_path());
  const fs::path file = folder / (type == CodeletFileType::Object ? "codelets.gp" : "codelets.cpp");
  std::ofstream(file, std::ios::binary) << text;
  return add(*this, {file}, compileFlags, compileOutput);
}
bool Graph::hasCodelet(StringRef name) const {
  const auto& known = inner(*this).codelets();
  return std::any_of(known.begin(), known.end(), [&](const auto& c) { return c.name == name.cloneAsString(); });
}

} // namespace poplar
