// Checks of option values that CLI11 lacks or words badly: it clamps a number that is too large without a word, and names the
// range of "not negative" with three hundred digits. It also finds "nan" between any two numbers.
#pragma once

#include <CLI/CLI.hpp>

namespace app::cli {

CLI::Validator isNotNegative(); // a finite number of 0 or more
CLI::Validator isBetween(double least, double most);
CLI::Validator isWholeNumber(); // of 64 bits
CLI::Validator isNamed();       // not empty: an unset variable of a script is no file's name

} // namespace app::cli
