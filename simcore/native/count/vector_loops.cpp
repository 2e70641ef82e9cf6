#include "simcore/native/count/vector_loops.h"

#include <algorithm>
#include <set>

namespace simcore::native {

namespace {

constexpr int64_t kMostAliasTests = 8; // of a loop: LLVM's default

bool isVectorBlock(const IrBlock& block) { return block.name.rfind("vector.", 0) == 0; }

// Whether the loop gathers non-contiguous elements, one by one.
bool gathers(const IrFunction& function, const IrBlock& body) {
  for (int i = body.first; i < body.end; ++i) {
    const IrInstruction& instruction = function.instructions[i];
    if (instruction.is("insertelement")) return true;
    if (!instruction.is("shufflevector")) continue;
    const auto& mask = instruction.mask;
    if (!std::all_of(mask.begin(), mask.end(), [&](int64_t m) { return m < 0 || m == mask.front(); })) return true;
  }
  return false;
}

int64_t aliasTests(const IrFunction& function, const IrBlock& block) {
  if (block.name.rfind("vector.memcheck", 0) != 0) return 0;
  int64_t compares = 0;
  for (int i = block.first; i < block.end; ++i) compares += function.instructions[i].is("icmp");
  return compares / 2;
}

std::vector<int> sourcesOf(const IrFunction& function, int target) {
  std::vector<int> sources;
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    const auto& labels = function.terminator(static_cast<int>(b)).labels;
    if (std::find(labels.begin(), labels.end(), target) != labels.end()) sources.push_back(static_cast<int>(b));
  }
  return sources;
}

bool goesTo(const IrFunction& function, int block, int target) {
  const auto& labels = function.terminator(block).labels;
  return std::find(labels.begin(), labels.end(), target) != labels.end();
}

// Whether `block` sends the remaining iterations of a vectorised loop to its scalar copy. A loop with masked accesses, or with a
// multiple of the width as iteration count, has no such copy; branches around it belong to the program.
bool isScalarCopy(const IrFunction& function, int body, int block) {
  const auto& labels = function.terminator(body).labels;
  return std::any_of(labels.begin(), labels.end(), [&](int next) {
    return function.blocks[next].name.rfind("middle.block", 0) == 0 && goesTo(function, next, block);
  });
}

// Whether an entry's branch (source, target) can go to the scalar copy; its target must not begin with a phi.
bool canChoose(const IrFunction& function, int body, const std::pair<int, int>& entry) {
  const auto& [source, target] = entry;
  const IrInstruction& last = function.terminator(source);
  return last.is("br") && last.labels.size() == 2 && !function.instructions[function.blocks[target].first].is("phi") &&
         isScalarCopy(function, body, last.labels[last.labels[0] == target ? 1 : 0]);
}

} // namespace

void keepScalarLoops(IrFunction& function) {
  for (std::size_t b = 0; b < function.blocks.size(); ++b) {
    if (function.blocks[b].name.rfind("vector.body", 0) != 0) continue;
    // The blocks that only prepare this loop, and the branches into them.
    std::set<int> own = {static_cast<int>(b)};
    std::vector<int> open = {static_cast<int>(b)};
    std::vector<std::pair<int, int>> entries;
    int64_t tests = 0;
    while (!open.empty()) {
      const int block = open.back();
      open.pop_back();
      for (const int source : sourcesOf(function, block)) {
        if (isVectorBlock(function.blocks[source])) {
          if (own.insert(source).second) {
            open.push_back(source);
            tests += aliasTests(function, function.blocks[source]);
          }
        } else {
          entries.emplace_back(source, block);
        }
      }
    }
    if (tests <= kMostAliasTests && !gathers(function, function.blocks[b])) continue;
    const int body = static_cast<int>(b);
    if (!std::all_of(entries.begin(), entries.end(), [&](const auto& entry) { return canChoose(function, body, entry); }))
      continue;
    for (const auto& [source, target] : entries) {
      IrInstruction& last = function.instructions[function.blocks[source].end - 1];
      const int scalar = last.labels[last.labels[0] == target ? 1 : 0];
      last.labels = {scalar};
      last.operands.clear();
      last.text = "br label %" + function.blocks[scalar].name;
    }
  }
}

} // namespace simcore::native
