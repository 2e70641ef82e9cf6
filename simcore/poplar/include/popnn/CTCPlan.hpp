// Poplar's plans of CTC operations. The simulator plans each call when it is added; a plan holds the sizes it was made for.
#pragma once

#include <array>
#include <cstddef>
#include <ostream>

namespace popnn {
namespace ctc {

class Plan {
public:
  Plan() : m_sizes() {}
  // `sizes`: batch, steps, length of labels, classes.
  explicit Plan(const std::array<std::size_t, 4>& sizes) : m_sizes(sizes) {}
  const std::array<std::size_t, 4>& sizes() const { return m_sizes; }

private:
  std::array<std::size_t, 4> m_sizes;
};
inline bool operator<(const Plan& a, const Plan& b) { return a.sizes() < b.sizes(); }
inline bool operator==(const Plan& a, const Plan& b) { return a.sizes() == b.sizes(); }
inline bool operator!=(const Plan& a, const Plan& b) { return !(a == b); }
std::ostream& operator<<(std::ostream& out, const Plan& plan);

} // namespace ctc
} // namespace popnn
