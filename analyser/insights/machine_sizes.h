// The machines that a program can grow into, as trials name them. A test compares the table with resources/machines.
#pragma once

#include <span>
#include <string_view>

namespace analyser::insights {

struct MachineSize {
  std::string_view name;
  int mostIpus = 1;             // that a run can ask for
  std::string_view larger = {}; // the machine to take for more; empty: there is none
};

inline std::span<const MachineSize> machineSizes() {
  static constexpr MachineSize kSizes[] = {{"c2", 2, "gc2"},
                                           {"gc2", 16},
                                           {"c600", 1, "gc200"},
                                           {"gc200", 64},
                                           {"m2000", 4, "pod16"},
                                           {"pod16", 16, "pod64"},
                                           {"pod64", 64},
                                           {"bow-2000", 4, "bow-pod16"},
                                           {"bow-pod16", 16, "bow-pod64"},
                                           {"bow-pod64", 64, "bow-pod256"},
                                           {"bow-pod256", 256},
                                           {"bow", 256}};
  return kSizes;
}

} // namespace analyser::insights
