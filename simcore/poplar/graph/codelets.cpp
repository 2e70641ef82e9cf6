// Codelets from files, compiled on the machine that runs the program.
#include "poplar/Graph.hpp"

#include "simcore/native/library.h"
#include "simcore/native/unit.h"
#include "simcore/poplar/graph/handles.h"
#include "simcore/poplar/inner.h"
#include "simcore/poplar/store/codelet_files.h"

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

// Words split like in a shell, with single and double quotes.
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

void requireSame(const simcore::graph::Codelet& known, const simcore::graph::Codelet& codelet) {
  if (!known.native || !codelet.native) return;
  const auto placeOf = [](const auto& c) { return c.native->sourceFile + ":" + std::to_string(c.native->sourceLine); };
  const auto nameOf = [](const std::string& place) { return place.substr(place.rfind('/') + 1); };
  const std::string first = placeOf(known), second = placeOf(codelet);
  if (nameOf(first) != nameOf(second))
    throw reports::Error(reports::ErrorCode::InvalidInput, "two codelets are called '" + codelet.name + "'",
                         first + ", " + second, "rename one, or put it into a namespace");
}

bool add(Graph& graph, CodeletFiles files, std::ostream& output) {
  auto& shared = *core::GraphAccess::inside(graph).shared;
  std::string key;
  for (const auto* list : {&files.flags, &files.found})
    for (const std::string& word : *list) key += word + '\n';
  if (!shared.addedCodelets.insert(key).second) return false;
  return asPoplarOr<graph_program_compilation_error>([&] {
    std::vector<CodeletFiles> all{files};
    const auto linked = [&] {
      std::string errors;
      try {
        return simcore::poplar::linked(all, shared.architecture, &errors);
      } catch (const reports::Error&) {
        output << errors;
        throw;
      }
    };
    native::Library library = linked();
    if (!shared.missingSymbols.empty() || !library.missing.empty()) {
      all.insert(all.begin(), shared.codeletFiles.begin(), shared.codeletFiles.end());
      library = linked(); // a file may define a symbol that another needs
    }
    output << library.diagnostics << library.warnings;
    simcore::graph::Graph& g = inner(graph);
    for (auto& codelet : library.codelets) {
      const auto& known = g.codelets();
      const auto same = std::find_if(known.begin(), known.end(), [&](const auto& c) { return c.name == codelet.name; });
      if (same != known.end()) { // a header with vertices is in two sources, or the codelet is linked again
        requireSame(*same, codelet);
        if (all.size() > 1 && codelet.native) g.replaceBody(codelet.name, codelet.native);
        continue;
      }
      files.codelets.push_back(codelet.name);
      g.addCodelet(std::move(codelet));
    }
    shared.missingSymbols = library.missing;
    shared.codeletFiles.push_back(std::move(files));
    return true;
  });
}

CodeletFiles filesOf(const std::vector<std::string>& paths, const std::string& flags) {
  CodeletFiles files;
  files.paths = paths;
  files.flags = wordsOf(flags);
  simcore::poplar::find(files);
  return files;
}

} // namespace

bool Graph::addCodelets(StringRef source, CodeletFileType type, StringRef compileFlags, std::ostream& compileOutput,
                        const std::string&) {
  if (type == CodeletFileType::AsmSource || type == CodeletFileType::PreprocessedAsmSource)
    throw graph_program_compilation_error("'" + source.cloneAsString() + "' is assembly, which is not run here: use C++");
  return add(*this, filesOf({source.cloneAsString()}, compileFlags), compileOutput);
}
bool Graph::addCodelets(ArrayRef<std::string> sources, StringRef compileFlags, std::ostream& compileOutput, const std::string&) {
  return add(*this, filesOf(sources.cloneAsVector(), compileFlags), compileOutput);
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
  CodeletFiles files = filesOf({file.string()}, compileFlags);
  files.isFromStream = true;
  return add(*this, std::move(files), compileOutput);
}
bool Graph::hasCodelet(StringRef name) const {
  const auto& known = inner(*this).codelets();
  return std::any_of(known.begin(), known.end(), [&](const auto& c) { return c.name == name.cloneAsString(); });
}

} // namespace poplar
