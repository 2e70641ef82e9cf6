// Writes the verdict of a comparison: the settings that differ, whether the graphs fit, memory, time, and the largest cause.
#pragma once

#include "analyser/compare/compare.h"
#include "analyser/summary/summary.h"

#include <string>
#include <string_view>

namespace analyser::compare {

// Prefix of the keys of options that no other fact contains. Older reports do not have such keys, and a value that only one
// report has is not a difference.
inline constexpr std::string_view kOption = "option.";
inline bool isEffectiveOption(const std::string& key) { return key.starts_with(kOption); }

// Sets verdict and headline of a comparison whose figures, facts and findings are known.
void judge(Comparison& c, const summary::Summary& a, const summary::Summary& b);

} // namespace analyser::compare
