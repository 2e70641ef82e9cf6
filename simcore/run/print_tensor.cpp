#include "simcore/run/print_tensor.h"

#include <sstream>

namespace simcore::run {

namespace {
void print(std::ostream& out, const numerics::HostTensor& t, std::size_t depth, int64_t first, int64_t count) {
  if (depth == t.rank()) {
    if (numerics::isFloating(t.type()))
      out << t.at(first);
    else
      out << t.integerAt(first);
    return;
  }
  const int64_t rows = t.dim(depth), inner = rows ? count / rows : 0;
  const bool nested = depth + 1 < t.rank();
  out << '[';
  for (int64_t r = 0; r < rows; ++r) {
    if (nested)
      out << '\n' << std::string(2 * (depth + 1), ' ');
    else if (r)
      out << ' ';
    print(out, t, depth + 1, first + r * inner, inner);
  }
  if (nested) out << '\n' << std::string(2 * depth, ' ');
  out << ']';
}
} // namespace

std::string printedTensor(const std::string& title, const numerics::HostTensor& tensor) {
  std::ostringstream out;
  out.setf(std::ios::fixed);
  out.precision(7);
  out << title << ": ";
  print(out, tensor, 0, 0, tensor.count());
  out << '\n';
  return out.str();
}

} // namespace simcore::run
