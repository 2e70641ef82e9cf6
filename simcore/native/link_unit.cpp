#include "simcore/native/link_unit.h"

#include "simcore/native/count/count_module.h"
#include "simcore/native/counted_twin.h"
#include "simcore/native/host_functions.h"

#include <fmt/format.h>

#include <optional>

namespace simcore::native {

using reports::Error;
using reports::ErrorCode;

namespace {

constexpr int64_t kWeightBytes = 512; // of the matrix unit (tilescope_runtime.inc); each tile has its own, like globals

// Lets the executed code use all integer instructions of this processor. The code whose instructions are counted is compiled
// without them.
std::string withWideIntegers(std::string ir) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) return ir;
  constexpr std::string_view kFeature = "+avx,", kWide = "+avx,+avx2,";
  for (auto at = ir.find(kFeature); at != std::string::npos; at = ir.find(kFeature, at + kWide.size()))
    ir.replace(at, kFeature.size(), kWide);
#endif
  return ir;
}

CompilerRun::Step objectFrom(CompilerRun& run, const std::string& name, const std::string& ir) {
  const std::string text = run.scratch / (name + ".ll");
  writeText(text, withWideIntegers(ir));
  // Loops are aligned, because a loop of six instructions whose last one is beyond a 64-byte boundary takes 50 % longer (Zen 5).
  return run.started({run.clang.path, "-w", "-O2", "-mllvm", "-force-target-max-scalar-interleave=1", "-mllvm",
                      "-force-target-max-vector-interleave=1", "-mllvm", "-vectorizer-maximize-bandwidth", "-falign-loops=64",
                      "-fPIC", "-c", "-x", "ir", text, "-o", run.scratch / (name + ".o")},
                     "its code");
}

void linkObjects(CompilerRun& run, const std::string& runtime, const Words& objects) {
  const char* linker = run.lld().empty() ? "-fuse-ld=bfd" : "-fuse-ld=lld";
  CompilerRun::Step step =
      run.started(joined(Words{run.clang.path, "-w", "-fPIC", "-shared", linker}, objects,
                         Words{runtime, "-Wl,--no-undefined", "-lstdc++", "-lm", "-o", run.scratch / "library.so"}),
                  "linking");
  run.finishSilently(step);
}

} // namespace

void linkUnit(CompilerRun& run, const std::string& runtime, Unit& unit) {
  const SharedGlobals shared = shareGlobals(unit.ir, "tilescope_global_");
  for (const SharedGlobals::Global& global : shared.globals) unit.globals.push_back({global.addressFunction, global.bytes});
  for (const char* name : {"@__builtin_ipu_ld128putcs", "@__builtin_ipu_ld64putcs"})
    if (unit.ir.find(name) != std::string::npos) {
      unit.globals.push_back({"tilescope_weights", kWeightBytes});
      break;
    }
  unit.asksMachine = asksMachine(shared.ir);
  CompilerRun::Step plain = objectFrom(run, "shared", shared.ir);
  const std::string optimised = run.optimised(shared.ir);
  std::vector<std::string> bodies;
  for (const Unit::Entry& entry : unit.entries) bodies.push_back(bodySymbol(entry.symbol));
  refuseHostFunctions(optimised, bodies);
  const std::string beforeTwin = run.diagnostics;
  const std::string twin = countedTwin(optimised, unit.archVersion, unit.entries, run.diagnostics);
  std::optional<CompilerRun::Step> counted;
  if (!twin.empty()) counted.emplace(objectFrom(run, "twin", twin));
  run.finishSilently(plain);
  const std::string before = run.diagnostics;
  const Words objects{run.scratch / "shared.o"};
  try {
    try {
      if (counted) run.finishSilently(*counted);
      linkObjects(run, runtime, counted ? joined(objects, Words{run.scratch / "twin.o"}) : objects);
    } catch (const Error& error) {
      if (!counted) throw;
      run.diagnostics = before;
      linkObjects(run, runtime, objects); // throws if the codelets themselves are the cause
      for (Unit::Entry& entry : unit.entries) entry.counted.clear(), entry.dependsOnData = true;
      run.diagnostics += fmt::format("warning: cycles cannot be counted from the code: {}\n", error.message());
    }
    unit.library = fileText(run.scratch / "library.so");
  } catch (const MissingSymbols& missing) {
    run.diagnostics = beforeTwin; // drops messages about missing costs: other units may define these functions
    for (const std::string& name : missing.names()) unit.missing.push_back(withPlaceOfCall(optimised, bodies, name));
  }
}

std::string mergedIr(CompilerRun& run, const std::vector<Unit>& units) {
  if (run.lld().empty())
    throw Error(ErrorCode::NotFound, "codelets of several files that call one another need the linker lld, which is missing",
                run.where, "install it (Debian: apt-get install lld-14)");
  Words words{run.lld(), "-shared", "--lto-O0", "--plugin-opt=emit-llvm", "-o", run.scratch / "merged.bc"};
  std::vector<CompilerRun::Step> steps;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::string text = run.scratch / fmt::format("part-{}.ll", i), code = run.scratch / fmt::format("part-{}.bc", i);
    writeText(text, units[i].ir);
    steps.push_back(
        run.started({run.clang.path, "-w", "-c", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-x", "ir", text, "-o", code},
                    "reading its code"));
    words.push_back(code);
  }
  for (CompilerRun::Step& step : steps) run.finish(step);
  run.child(words, "linking");
  run.child({run.clang.path, "-w", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-x", "ir", run.scratch / "merged.bc",
             "-o", run.scratch / "merged.ll"},
            "linking");
  return fileText(run.scratch / "merged.ll");
}

} // namespace simcore::native
