#include "app/popc/popc.h"

#include "reports/core/error.h"
#include "simcore/native/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>

namespace app::popc {

namespace fs = std::filesystem;
using reports::Error;
using reports::ErrorCode;

namespace {

struct Target {
  std::string_view name;
  int archVersion;
};
constexpr Target kTargets[] = {{"ipu2", 2}, {"ipu21", 21}, {"ipu1", 1}, {"cpu", 2}};

constexpr std::string_view kUsage = R"(usage: tilescope-popc [OPTIONS] SOURCE…

Compiles codelets, C++ or .gp files made before, into one .gp file.

  -o FILE              what to write; default: codelets.gp, or SOURCE.s and SOURCE.ll for -S and --emit-llvm
  -c                   the same as without it: every file of ours can be given to tilescope-popc again
  -S, --emit-llvm      write the LLVM IR of one source as text
  --target=A,B         machines: ipu1, ipu2 (default), ipu21; also -target A
  --list-targets       print them
  -I DIR  -D NAME[=VALUE]  -U NAME  -include FILE  -isystem DIR  -std=…  -W…  -f…   as in clang
  -O…  -g              accepted: codelets are always optimised and know their lines
  --version            print the version as third word
  --help               this text
)";

struct Wish {
  simcore::native::CompileRequest request;
  std::vector<int> archVersions;
  std::string output;
  bool wantsIr = false, isAssembly = false, isHelp = false, isVersion = false, isTargets = false;
};

void addTargets(Wish& wish, const std::string& list) {
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string name = list.substr(at, end - at);
    at = end + 1;
    const auto* target = std::find_if(std::begin(kTargets), std::end(kTargets), [&](const Target& t) { return t.name == name; });
    if (target == std::end(kTargets))
      throw Error(ErrorCode::InvalidInput, fmt::format("the target '{}' is unknown", name), "", "use ipu1, ipu2 or ipu21");
    if (std::find(wish.archVersions.begin(), wish.archVersions.end(), target->archVersion) == wish.archVersions.end())
      wish.archVersions.push_back(target->archVersion);
  }
}

// Compiler options whose value is the next word.
bool takesWord(const std::string& word) {
  for (const char* option : {"-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter"})
    if (word == option) return true;
  return false;
}

bool isCompilerOption(const std::string& word) {
  for (const char* start :
       {"-I", "-D", "-U", "-std=", "-W", "-f", "-O", "-g", "--std=", "-pedantic", "-ansi", "-w", "-isystem", "-include"})
    if (word.starts_with(start)) return true;
  return false;
}

Wish wishOf(const std::vector<std::string>& arguments) {
  Wish wish;
  const auto valueOf = [&](std::size_t& i) {
    if (i + 1 >= arguments.size()) throw Error(ErrorCode::InvalidInput, fmt::format("the option {} needs a value", arguments[i]));
    return arguments[++i];
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const std::string bare = word.starts_with("--") ? word.substr(1) : word; // the SDK accepts one dash or two
    if (word == "--help" || word == "-h")
      wish.isHelp = true;
    else if (word == "--version" || word == "-v")
      wish.isVersion = true;
    else if (bare == "-list-targets")
      wish.isTargets = true;
    else if (word == "-o")
      wish.output = valueOf(i);
    else if (bare == "-target")
      addTargets(wish, valueOf(i));
    else if (bare.starts_with("-target="))
      addTargets(wish, bare.substr(8));
    else if (word == "-S")
      wish.wantsIr = wish.isAssembly = true;
    else if (bare == "-emit-llvm")
      wish.wantsIr = true;
    else if (word == "-c" || word == "-MD" || word == "-MMD")
      continue;
    else if (takesWord(word))
      wish.request.flags.insert(wish.request.flags.end(), {word, valueOf(i)});
    else if (word.starts_with("--std="))
      wish.request.flags.push_back(bare);
    else if (isCompilerOption(word))
      wish.request.flags.push_back(word);
    else if (word.starts_with("-"))
      throw Error(ErrorCode::InvalidInput, fmt::format("the option {} is unknown", word), "", "see --help");
    else
      wish.request.sources.emplace_back(word);
  }
  if (wish.archVersions.empty()) wish.archVersions.push_back(2);
  wish.request.archVersion = wish.archVersions[0];
  return wish;
}

// The output file. Throws if it is one of the sources, or a folder.
std::string outputOf(const Wish& wish, const std::string& byDefault) {
  const std::string file = wish.output.empty() ? byDefault : wish.output;
  std::error_code failed;
  for (const fs::path& source : wish.request.sources)
    if (fs::equivalent(source, file, failed))
      throw Error(ErrorCode::InvalidInput, "would be written over a source", file, "name another file with -o");
  if (fs::is_directory(file, failed)) throw Error(ErrorCode::Io, "is a folder", file, "name a file with -o");
  return file;
}

void writeOutput(const std::string& file, const std::string& bytes) {
  const fs::path part = file + ".part";
  errno = 0;
  std::ofstream out(part, std::ios::binary);
  out << bytes;
  out.close();
  const int reason = errno;
  std::error_code failed;
  if (out) fs::rename(part, file, failed);
  if (!out || failed) {
    const std::string why = failed ? failed.message() : reason ? std::strerror(reason) : "";
    fs::remove(part, failed);
    throw Error(ErrorCode::Io, "cannot be written" + (why.empty() ? "" : ": " + why), file,
                "look at the folder's permissions and free space");
  }
}

void compile(const Wish& wish, std::string& diagnostics) {
  if (wish.request.sources.empty()) throw Error(ErrorCode::InvalidInput, "no source is given", "", "see --help");
  if (!wish.wantsIr) {
    const std::string file = outputOf(wish, "codelets.gp");
    writeOutput(file, simcore::native::compileGp(wish.request, wish.archVersions, diagnostics));
    return;
  }
  if (wish.request.sources.size() > 1)
    throw Error(ErrorCode::InvalidInput, "-S and --emit-llvm take one source", "", "call tilescope-popc once for each");
  const std::string file = outputOf(wish, wish.request.sources[0].stem().string() + (wish.isAssembly ? ".s" : ".ll"));
  writeOutput(file, simcore::native::compileIr(wish.request, diagnostics));
}

} // namespace

int runPopc(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& errors) {
  std::string diagnostics;
  try {
    const Wish wish = wishOf(arguments);
    if (wish.isHelp) {
      out << kUsage;
    } else if (wish.isVersion) {
      out << "POPLAR version 3.3.0 (Tilescope popc " TILESCOPE_VERSION ")\n";
    } else if (wish.isTargets) {
      for (const Target& target : kTargets) out << target.name << '\n';
    } else {
      compile(wish, diagnostics);
    }
  } catch (const Error& error) {
    errors << diagnostics << "tilescope-popc: " << error.what() << '\n';
    return 1;
  } catch (const std::exception& error) {
    errors << diagnostics << "tilescope-popc: " << error.what() << '\n';
    return 1;
  }
  errors << diagnostics;
  return 0;
}

} // namespace app::popc
