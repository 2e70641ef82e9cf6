// The details of slices and instants: one JSON object each, whose top-level keys are unique. Tracers write NaN, trailing commas,
// Windows paths with bare backslashes and repeated keys; valid JSON is only scanned once, and not copied.
#pragma once

#include "reports/exchange/json_scan.h"

#include <string>
#include <string_view>

namespace reports::exchange {

// A JSON string with its quotes.
std::string quotedJson(std::string_view text);

// Whether the text is one JSON object that needs no repair. Objects nested more than 64 deep need repair.
bool isPlainObject(std::string_view json);
// The text as a JSON object. NaN and infinite numbers become strings. Bare backslashes are kept as characters. Extra commas are
// removed. A repeated key gets a number ("status (2)"). Another value becomes {"value":…}, and text that is not JSON becomes a
// string in it.
std::string mendedObject(std::string_view json);

// The members of two JSON objects as one object; either may be empty. If both have a key with different values, the second keeps
// it and the key of the first becomes "key (begin)".
std::string joinObjects(std::string_view a, std::string_view b);
// Adds a member to the object; `json` is its value. An empty text counts as an empty object.
void addMember(std::string& object, std::string_view key, std::string_view json);

} // namespace reports::exchange
