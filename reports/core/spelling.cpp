#include "reports/core/spelling.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace reports {

namespace {

// Edit distance: number of letters to insert, remove or replace. Names are short: a longer text is not a misspelt name.
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kAlike = 4; // first letters of two similar names

std::size_t lettersApart(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

} // namespace

std::string plainSpelling(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (c != ' ' && c != '-' && c != '_') plain += char(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

std::string likelyMeant(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string plain = plainSpelling(name);
  if (plain.size() > kLongestName) return {};
  std::string best;
  std::size_t least = 3;
  for (const std::string& candidate : candidates) {
    const std::string other = plainSpelling(candidate);
    if (other.size() > kLongestName) continue;
    const std::size_t apart = lettersApart(plain, other);
    if (apart >= least || 2 * apart >= std::max(plain.size(), other.size())) continue;
    least = apart;
    best = candidate;
  }
  return best;
}

std::vector<std::string> nearestNames(std::string_view name, const std::vector<std::string>& candidates, std::size_t most) {
  const std::string plain = plainSpelling(name).substr(0, kLongestName);
  std::vector<std::pair<std::pair<bool, std::size_t>, const std::string*>> ranked;
  for (const std::string& candidate : candidates) {
    const std::string other = plainSpelling(candidate).substr(0, kLongestName);
    const bool holds =
        !plain.empty() && !other.empty() && (other.find(plain) != std::string::npos || plain.find(other) != std::string::npos);
    const std::size_t apart = lettersApart(plain, other);
    const bool beginsAlike = plain.size() >= kAlike && plain.compare(0, kAlike, other, 0, kAlike) == 0;
    if (holds || beginsAlike || 2 * apart < std::max(plain.size(), other.size())) ranked.push_back({{!holds, apart}, &candidate});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) nearest.push_back(*ranked[i].second);
  return nearest;
}

} // namespace reports
