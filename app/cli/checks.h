// Checks of option values that CLI11 lacks or words badly: it clamps a number that is too large without a word, and names the
// range of "not negative" with three hundred digits.
#pragma once

#include <CLI/CLI.hpp>

namespace app::cli {

CLI::Validator isNotNegative(); // a finite number of 0 or more
CLI::Validator isWholeNumber(); // of 64 bits

} // namespace app::cli
