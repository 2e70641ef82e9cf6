// Options of a run as the flags of this program.
#pragma once

#include "reports/core/option.h"

namespace app::cli {

// The text with every {option NAME} of lower layers as --NAME.
inline std::string withFlags(std::string_view text) {
  return reports::withOptions(text, [](std::string_view name) { return "--" + std::string(name); });
}

} // namespace app::cli
