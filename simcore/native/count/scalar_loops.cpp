#include "simcore/native/count/scalar_loops.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <set>
#include <vector>

namespace simcore::native {

namespace {

constexpr std::string_view kLoop = "!llvm.loop !", kMark = "!\"llvm.loop.vectorize.enable\", i1 false";

template<class F> void forEachLine(std::string_view text, F&& use) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    use(text.substr(at, end - at));
    at = end + 1;
  }
}

// The numbers after each `!` in a text.
std::vector<int64_t> nodesIn(std::string_view text) {
  std::vector<int64_t> nodes;
  for (std::size_t at = text.find('!'); at != std::string_view::npos; at = text.find('!', at + 1)) {
    int64_t number = -1;
    if (std::from_chars(text.data() + at + 1, text.data() + text.size(), number).ec == std::errc()) nodes.push_back(number);
  }
  return nodes;
}

// Whether a shuffle uses more than one different element.
bool mixesElements(std::string_view shuffle) {
  const std::size_t begin = shuffle.rfind('<'), end = shuffle.find('>', begin); // of the mask, or of the type of a mask of zeros
  if (begin == std::string_view::npos || end == std::string_view::npos) return false;
  std::set<std::string_view> chosen;
  for (std::size_t at = begin + 1; at < end;) {
    const std::size_t comma = std::min(shuffle.find(',', at), end);
    const std::string_view element = shuffle.substr(at, comma - at);
    at = comma + 1;
    const std::string_view number = element.substr(element.rfind(' ') + 1);
    if (number != "undef" && number != "poison") chosen.insert(number);
  }
  return chosen.size() > 1;
}

bool isForScalars(std::string_view line) {
  return line.find(" insertelement ") != std::string_view::npos || line.find("@llvm.masked.") != std::string_view::npos ||
         line.starts_with("pred.") || (line.find(" shufflevector ") != std::string_view::npos && mixesElements(line));
}

class Module {
public:
  explicit Module(std::string_view text) {
    forEachLine(text, [&](std::string_view line) {
      int64_t number = -1;
      if (!line.starts_with("!") || std::from_chars(line.data() + 1, line.data() + line.size(), number).ec != std::errc()) return;
      m_nodes[number] = line.substr(std::min(line.find(" = "), line.size()));
      m_last = std::max(m_last, number);
    });
  }

  int64_t last() const { return m_last; }
  const std::map<int64_t, std::string_view>& nodes() const { return m_nodes; }

  // Begin and end of the loop of a metadata node in the source; empty if unknown.
  std::string placeOf(int64_t loop) const {
    std::string place;
    for (const int64_t part : nodesIn(node(loop))) {
      const std::string_view location = node(part);
      if (part == loop || location.find("!DILocation(") == std::string_view::npos) continue;
      const std::size_t begin = location.find("line: "), end = location.find(", scope: ");
      if (begin == std::string_view::npos || end == std::string_view::npos) return {};
      place += fmt::format("{} {} ", location.substr(begin, end - begin), fileOf(nodesIn(location.substr(end)).front()));
    }
    return place;
  }
  bool saysWidth(int64_t loop) const { // whether a pragma or a mark sets its width
    for (const int64_t part : nodesIn(node(loop)))
      if (part != loop && node(part).find("llvm.loop.vectorize.") != std::string_view::npos) return true;
    return false;
  }

private:
  std::string_view node(int64_t number) const {
    const auto it = m_nodes.find(number);
    return it == m_nodes.end() ? std::string_view() : it->second;
  }
  std::string_view fileOf(int64_t scope) const {
    for (int depth = 0; depth < 64; ++depth) {
      const std::string_view line = node(scope);
      if (const std::size_t file = line.find("file: !"); file != std::string_view::npos)
        return node(nodesIn(line.substr(file)).front());
      const std::size_t outer = line.find("scope: !");
      if (outer == std::string_view::npos) break;
      scope = nodesIn(line.substr(outer)).front();
    }
    return {};
  }

  std::map<int64_t, std::string_view> m_nodes;
  int64_t m_last = -1;
};

std::set<std::string> placesOfScalarLoops(std::string_view optimised) {
  const Module module(optimised);
  std::set<std::string> places;
  std::string body; // the label of a vectorised loop
  bool isRejected = false;
  forEachLine(optimised, [&](std::string_view line) {
    if (line.starts_with("vector.body")) {
      body = fmt::format("label %{}", line.substr(0, line.find(':')));
      isRejected = false;
    }
    if (body.empty()) return;
    isRejected |= isForScalars(line);
    const std::size_t loop = line.find(kLoop);
    const std::size_t target = line.find(body);
    const bool isLatch = loop != std::string_view::npos && target != std::string_view::npos &&
                         line.find_first_of(", ", target + body.size()) == target + body.size();
    if (isLatch && isRejected)
      if (std::string place = module.placeOf(nodesIn(line.substr(loop)).front()); !place.empty()) places.insert(std::move(place));
    if (isLatch || line.starts_with("}")) body.clear();
  });
  return places;
}

} // namespace

std::string withScalarLoops(std::string_view before, std::string_view optimised) {
  const std::set<std::string> places = placesOfScalarLoops(optimised);
  if (places.empty()) return {};
  const Module module(before);
  std::set<int64_t> marked;
  for (const auto& [number, text] : module.nodes())
    if (text.starts_with(" = distinct !{") && !module.saysWidth(number) && places.count(module.placeOf(number)))
      marked.insert(number);
  if (marked.empty()) return {};
  const int64_t mark = module.last() + 1;
  std::string result;
  result.reserve(before.size() + 64 * marked.size() + 64);
  forEachLine(before, [&](std::string_view line) {
    int64_t number = -1;
    if (line.starts_with("!")) std::from_chars(line.data() + 1, line.data() + line.size(), number);
    result += line;
    if (marked.count(number) && line.ends_with("}")) {
      result.pop_back();
      result += fmt::format(", !{}}}", mark);
    }
    result += '\n';
  });
  return result + fmt::format("!{} = !{{{}}}\n", mark, kMark);
}

} // namespace simcore::native
