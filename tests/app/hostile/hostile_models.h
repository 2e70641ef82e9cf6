// Models that are made to break the program, of every kind that strangers' files were seen to hold: tensors that grow without end, sizes
// and attributes beyond every range, graphs in circles, work without end, and bytes that are no model.
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
