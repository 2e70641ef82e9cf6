// Reads numbers, texts and arrays of numbers from untrusted JSON: a value of another type counts as absent.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace reports::exchange {

inline constexpr int64_t kMostPoplarNumber = int64_t(1) << 40; // for one tile: sums over all tiles stay below 2^63

// null if the value has no such member or is not an object.
const nlohmann::json& memberOr(const nlohmann::json& object, const char* name);
// The first member that is present, for names with several spellings.
const nlohmann::json& memberOr(const nlohmann::json& object, std::initializer_list<const char*> names);
// The member; an empty array if it is missing or not an array.
const nlohmann::json& listOr(const nlohmann::json& object, const char* name);
// A number from 0 to kMostPoplarNumber; larger ones are clamped. `otherwise` if the value is negative or not a number.
int64_t numberOr(const nlohmann::json& value, int64_t otherwise);
std::string textOr(const nlohmann::json& value, const std::string& otherwise);
// The numbers of an array of `count` elements; empty for anything else, so that work is bounded by the text.
std::vector<int64_t> numbersOf(const nlohmann::json& value, std::size_t count);

} // namespace reports::exchange
