// Models made to break the program, modelled on faults seen in files of strangers: tensors that grow without end, sizes and
// attributes out of range, cyclic graphs, endless work, and bytes that are not a model.
#pragma once

#include <string>
#include <vector>

namespace tests {

struct HostileFile {
  std::string name; // without extension
  std::string bytes;
  std::string words; // of the error that must come; empty: any end will do
};

// One of each kind, with the words of its error.
std::vector<HostileFile> hostileSample();
// Some hundreds more.
std::vector<HostileFile> hostileModels();

} // namespace tests
