#include "analyser/compare/pairing.h"

#include "reports/core/error.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <unordered_map>

namespace analyser::compare {

namespace {

// The items between two pairs are compared in a table of at most this many cells. If there are more, they pair only by kind and
// number.
constexpr std::size_t kMostCells = 4'000'000;
constexpr double kNameWeight = 0.45, kWorkWeight = 0.35, kPlaceWeight = 0.2;

struct Candidate {
  const PairItem* item;
  int index;
  std::vector<std::string> words; // sorted
};

// Runs of letters and runs of digits, in lower case: "layer537/fc1" is layer, 537, fc, 1.
std::vector<std::string> wordsOf(const std::string& name) {
  std::vector<std::string> words;
  int before = 0; // 1: letter, 2: digit
  for (const unsigned char c : name) {
    const int now = std::isdigit(c) ? 2 : std::isalpha(c) || c >= 0x80 ? 1 : 0;
    if (now != 0 && now != before) words.emplace_back();
    if (now != 0) words.back() += static_cast<char>(std::tolower(c));
    before = now;
  }
  std::sort(words.begin(), words.end());
  return words;
}

// Dice's coefficient of the words in two names.
double likeness(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  if (a.empty() || b.empty()) return 0;
  std::size_t common = 0;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    const int order = x->compare(*y);
    common += order == 0;
    if (order <= 0) ++x;
    if (order >= 0) ++y;
  }
  return 2.0 * double(common) / double(a.size() + b.size());
}

double confidenceOf(const Candidate& a, const Candidate& b, double place) {
  if (a.item->kind != b.item->kind) return 0;
  const double low = std::min(a.item->work, b.item->work), high = std::max(a.item->work, b.item->work);
  const double work = high > 0 ? std::max(0.0, low) / high : 1;
  return kNameWeight * likeness(a.words, b.words) + kWorkWeight * work + kPlaceWeight * place;
}

class Pairer {
public:
  Pairer(const std::vector<PairItem>& a, const std::vector<PairItem>& b, const PairingRules& rules)
      : m_a(a), m_b(b), m_rules(rules), m_ofA(a.size(), -1), m_ofB(b.size(), -1), m_confidence(a.size(), 1) {}

  void pairEqualNames() {
    std::unordered_map<std::string_view, int> inB;
    for (std::size_t i = 0; i < m_b.size(); ++i)
      if (m_ofB[i] < 0) inB.emplace(m_b[i].name, static_cast<int>(i));
    for (std::size_t i = 0; i < m_a.size(); ++i)
      if (const auto it = inB.find(m_a[i].name); m_ofA[i] < 0 && it != inB.end()) join(static_cast<int>(i), it->second, 1);
  }

  // Finds the gaps between pairs whose order is the same in both lists: a longest increasing subsequence.
  void pairGaps() {
    int a = 0, b = 0;
    for (const auto& [x, y] : anchors()) {
      pairGap(a, x, b, y);
      a = x + 1, b = y + 1;
    }
    pairGap(a, static_cast<int>(m_a.size()), b, static_cast<int>(m_b.size()));
  }

  Pairing result() const {
    Pairing p;
    for (std::size_t i = 0; i < m_a.size(); ++i) {
      if (m_ofA[i] >= 0)
        p.pairs.push_back({static_cast<int>(i), m_ofA[i], m_confidence[i]});
      else
        p.baseOnly.push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < m_b.size(); ++i)
      if (m_ofB[i] < 0) p.otherOnly.push_back(static_cast<int>(i));
    return p;
  }

  void join(int a, int b, double confidence) {
    m_ofA[std::size_t(a)] = b, m_ofB[std::size_t(b)] = a;
    m_confidence[std::size_t(a)] = confidence;
  }

private:
  std::vector<std::pair<int, int>> anchors() const {
    std::vector<int> ends, previous(m_a.size(), -1); // ends[k]: the a-index that ends the best chain of k + 1
    for (std::size_t i = 0; i < m_a.size(); ++i) {
      if (m_ofA[i] < 0) continue;
      const auto at = std::lower_bound(ends.begin(), ends.end(), m_ofA[i],
                                       [&](int end, int value) { return m_ofA[std::size_t(end)] < value; });
      if (at != ends.begin()) previous[i] = *(at - 1);
      if (at == ends.end())
        ends.push_back(static_cast<int>(i));
      else
        *at = static_cast<int>(i);
    }
    std::vector<std::pair<int, int>> chain;
    for (int i = ends.empty() ? -1 : ends.back(); i >= 0; i = previous[std::size_t(i)])
      chain.emplace_back(i, m_ofA[std::size_t(i)]);
    std::reverse(chain.begin(), chain.end());
    return chain;
  }

  std::vector<Candidate> candidates(const std::vector<PairItem>& list, const std::vector<int>& partner, int first,
                                    int end) const {
    std::vector<Candidate> open;
    for (int i = first; i < end; ++i)
      if (const PairItem& item = list[std::size_t(i)]; partner[std::size_t(i)] < 0 && !m_rules.apart.contains(item.name))
        open.push_back({&item, i, wordsOf(item.name)});
    return open;
  }

  void pairGap(int firstA, int endA, int firstB, int endB) {
    const auto a = candidates(m_a, m_ofA, firstA, endA), b = candidates(m_b, m_ofB, firstB, endB);
    if (a.empty() || b.empty()) return;
    if (a.size() * b.size() > kMostCells)
      pairByNumber(a, b);
    else
      align(a, b);
  }

  // Finds the order-preserving pairing with the largest sum of confidences.
  void align(const std::vector<Candidate>& a, const std::vector<Candidate>& b) {
    const double place = a.size() == b.size() ? 1 : 0.5;
    const std::size_t columns = b.size() + 1;
    std::vector<float> best((a.size() + 1) * columns, 0), sure(a.size() * b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j) {
        const double c = confidenceOf(a[i], b[j], place);
        sure[i * b.size() + j] = c >= m_rules.leastConfidence ? static_cast<float>(c) : 0;
        best[(i + 1) * columns + j + 1] =
            std::max({best[i * columns + j + 1], best[(i + 1) * columns + j], best[i * columns + j] + sure[i * b.size() + j]});
      }
    for (std::size_t i = a.size(), j = b.size(); i > 0 && j > 0;) {
      const float here = best[i * columns + j], c = sure[(i - 1) * b.size() + j - 1];
      if (c > 0 && here == best[(i - 1) * columns + j - 1] + c)
        join(a[--i].index, b[--j].index, c);
      else if (here == best[(i - 1) * columns + j])
        --i;
      else
        --j;
    }
  }

  // Pairs the n-th operation of a kind with the n-th, for kinds with equal counts on both sides.
  void pairByNumber(const std::vector<Candidate>& a, const std::vector<Candidate>& b) {
    std::unordered_map<std::string_view, std::pair<std::vector<const Candidate*>, std::vector<const Candidate*>>> kinds;
    for (const Candidate& c : a) kinds[c.item->kind].first.push_back(&c);
    for (const Candidate& c : b) kinds[c.item->kind].second.push_back(&c);
    for (const auto& [kind, both] : kinds) {
      if (both.first.size() != both.second.size()) continue;
      for (std::size_t i = 0; i < both.first.size(); ++i)
        if (const double c = confidenceOf(*both.first[i], *both.second[i], 1); c >= m_rules.leastConfidence)
          join(both.first[i]->index, both.second[i]->index, c);
    }
  }

  const std::vector<PairItem>&m_a, &m_b;
  const PairingRules& m_rules;
  std::vector<int> m_ofA, m_ofB;
  std::vector<double> m_confidence;
};

[[noreturn]] void refuseName(const std::string& name, const char* option) {
  throw reports::Error(reports::ErrorCode::NotFound, "no operation is called '" + name + "'", option,
                       "names are those of the operations in `compare --json`");
}

int indexOf(const std::vector<PairItem>& list, const std::string& name) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const PairItem& i) { return i.name == name; });
  if (it == list.end()) refuseName(name, "--pair");
  return static_cast<int>(it - list.begin());
}

bool namesBefore(const std::vector<PairItem>& a, const std::vector<PairItem>& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](const PairItem& x, const PairItem& y) { return x.name < y.name; });
}

} // namespace

PairingRules mirrored(PairingRules rules) {
  for (auto& [base, other] : rules.together) std::swap(base, other);
  return rules;
}

Pairing pairUp(const std::vector<PairItem>& base, const std::vector<PairItem>& other, const PairingRules& rules) {
  // Ties are broken by position, so both directions must start from the same side.
  const bool swapped = namesBefore(other, base);
  const auto &a = swapped ? other : base, &b = swapped ? base : other;
  Pairer pairer(a, b, rules);
  for (const std::string& name : rules.apart) {
    const auto isCalled = [&](const PairItem& i) { return i.name == name; };
    if (std::none_of(a.begin(), a.end(), isCalled) && std::none_of(b.begin(), b.end(), isCalled)) refuseName(name, "--apart");
  }
  for (const auto& [baseName, otherName] : rules.together) {
    const int x = indexOf(base, baseName), y = indexOf(other, otherName);
    swapped ? pairer.join(y, x, 1) : pairer.join(x, y, 1);
  }
  pairer.pairEqualNames();
  if (rules.leastConfidence <= 1) pairer.pairGaps();
  Pairing result = pairer.result();
  if (!swapped) return result;
  for (Pair& p : result.pairs) std::swap(p.base, p.other);
  std::sort(result.pairs.begin(), result.pairs.end(), [](const Pair& x, const Pair& y) { return x.base < y.base; });
  std::swap(result.baseOnly, result.otherOnly);
  return result;
}

} // namespace analyser::compare
