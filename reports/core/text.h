// Names come from files of strangers: any bytes. This is where they become text that can be shown and printed safely.
#pragma once

#include <string>
#include <string_view>

namespace reports {

// Valid UTF-8: each malformed byte becomes U+FFFD; overlong forms and surrogates count as malformed. Valid text is unchanged.
std::string validUtf8(std::string_view bytes);

// For showing on one line: control characters (also line ends and NUL) become their code such as \x0a, and characters that
// reverse the direction of the text around them become \u202e and the like. Cut to `limit` characters with an ellipsis.
std::string displayText(std::string_view bytes, std::size_t limit = 4096);

} // namespace reports
