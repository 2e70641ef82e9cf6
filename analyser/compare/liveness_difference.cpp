#include "analyser/compare/liveness_difference.h"

#include "analyser/session/in_report.h"

#include <cstdlib>
#include <tuple>

namespace analyser::compare {

namespace {

using AliveKey = std::tuple<std::string, std::string, int>; // operation, name, number of that name

std::map<AliveKey, liveness::LiveVariable> aliveIn(Session& session, int64_t step, const std::stop_token& stop) {
  std::map<AliveKey, liveness::LiveVariable> alive;
  const auto at = inReport(session, [&] { return liveness::liveAt(session, step, stop); });
  std::vector<liveness::LiveVariable> all = at.alwaysLive;
  all.insert(all.end(), at.notAlwaysLive.begin(), at.notAlwaysLive.end());
  // Numbers of equal names follow the order of the report.
  std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.variable < y.variable; });
  std::map<std::pair<std::string, std::string>, int> seen;
  for (auto& v : all) {
    const int number = ++seen[{v.operation, v.name}];
    alive.emplace(AliveKey(v.operation, v.name, number), std::move(v));
  }
  return alive;
}

} // namespace

std::optional<int64_t> matchingStep(const liveness::Liveness& from, int64_t step, const liveness::Liveness& to) {
  if (step < 0 || std::size_t(step) >= from.steps.size()) return std::nullopt;
  const auto isLike = [&wanted = from.steps[std::size_t(step)]](const liveness::Step& s) {
    return s.kind == wanted.kind && s.name == wanted.name;
  };
  auto number = std::count_if(from.steps.begin(), from.steps.begin() + step, isLike);
  for (std::size_t i = 0; i < to.steps.size(); ++i)
    if (isLike(to.steps[i]) && number-- == 0) return int64_t(i);
  return std::nullopt;
}

std::vector<VariableDifference> aliveDifference(Session& base, int64_t baseStep, Session& other, int64_t otherStep,
                                                std::stop_token stop) {
  const auto a = aliveIn(base, baseStep, stop), b = aliveIn(other, otherStep, stop);
  std::vector<VariableDifference> list;
  const auto add = [&](const liveness::LiveVariable* x, const liveness::LiveVariable* y) {
    const liveness::LiveVariable& shown = x ? *x : *y;
    list.push_back({shown.name, shown.operation,
                    x && y ? Presence::Both
                    : x    ? Presence::BaseOnly
                           : Presence::OtherOnly,
                    shown.category, x ? x->bytes : Bytes(), y ? y->bytes : Bytes()});
  };
  for (const auto& [key, v] : a) {
    const auto it = b.find(key);
    add(&v, it == b.end() ? nullptr : &it->second);
  }
  for (const auto& [key, v] : b)
    if (!a.contains(key)) add(nullptr, &v);
  std::stable_sort(list.begin(), list.end(), [](const VariableDifference& x, const VariableDifference& y) {
    const auto size = [](const VariableDifference& d) {
      return std::pair(std::abs(d.bytes().value()), std::max(d.base.value(), d.other.value()));
    };
    return size(x) > size(y);
  });
  return list;
}

} // namespace analyser::compare
