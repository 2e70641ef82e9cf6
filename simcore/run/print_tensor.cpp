#include "simcore/run/print_tensor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace simcore::run {

namespace {

using graph::PrintFormat;

class PrintedTensor {
public:
  PrintedTensor(const numerics::HostTensor& tensor, const PrintFormat& format)
      : m_tensor(tensor), m_format(format), m_isCut(format.threshold > 0 && tensor.count() > format.threshold) {
    const bool isFloat = numerics::isFloating(tensor.type());
    if (isFloat) chooseFloats();
    if (format.isAligned && format.digits > 0) forEachShown([&](int64_t e) { m_width = std::max(m_width, text(e).size()); });
  }

  std::string whole(std::size_t titleWidth) {
    rows(0, 0, m_tensor.count(), titleWidth);
    return std::move(m_out);
  }

private:
  static constexpr int64_t kGap = -1;

  // Indices along a dimension, with a gap for those that are not shown.
  std::vector<int64_t> shownOf(std::size_t dimension) const {
    const int64_t extent = m_tensor.dim(dimension), edge = std::max<int64_t>(m_format.edgeItems, 0);
    std::vector<int64_t> shown;
    for (int64_t i = 0; i < extent; ++i) {
      if (m_isCut && extent > 2 * edge && i == edge) {
        shown.push_back(kGap);
        i = extent - edge;
        if (edge == 0) break;
      }
      shown.push_back(i);
    }
    return shown;
  }
  template<class F> void forEachShown(F f, std::size_t dimension = 0, int64_t first = 0) const {
    if (dimension == m_tensor.rank()) return f(first);
    int64_t inner = 1;
    for (std::size_t d = dimension + 1; d < m_tensor.rank(); ++d) inner *= m_tensor.dim(d);
    for (const int64_t i : shownOf(dimension))
      if (i != kGap) forEachShown(f, dimension + 1, first + i * inner);
  }

  void chooseFloats() {
    double largest = 0;
    forEachShown([&](int64_t e) {
      if (const double value = std::abs(m_tensor.at(e)); std::isfinite(value)) largest = std::max(largest, value);
    });
    const int digits = int(std::min<int64_t>(m_format.digits, 40));
    const int before = largest < 10 ? 1 : int(std::floor(std::log10(largest))) + 1;
    m_floats = digits == 0 ? PrintFormat::Floats::None : m_format.floats;
    if (m_floats == PrintFormat::Floats::Auto) {
      const bool tooLarge = before > digits, tooSmall = largest > 0 && largest < std::pow(10.0, -digits / 2);
      m_floats = tooLarge || tooSmall ? PrintFormat::Floats::Scientific : PrintFormat::Floats::Fixed;
    }
    const bool countsThoseBefore = m_floats == PrintFormat::Floats::Fixed && m_format.isAligned;
    m_decimals = std::max(0, digits - (countsThoseBefore ? before : 1));
  }

  std::string text(int64_t element) const {
    if (!numerics::isFloating(m_tensor.type())) return std::to_string(m_tensor.integerAt(element));
    std::array<char, 400> digits; // the largest number has 309 digits before the point, and at most 40 are behind it
    const double value = m_tensor.at(element);
    const auto format = m_floats == PrintFormat::Floats::Fixed        ? std::chars_format::fixed
                        : m_floats == PrintFormat::Floats::Scientific ? std::chars_format::scientific
                                                                      : std::chars_format::general;
    constexpr int kPrecisionOfStreams = 6;
    const int precision = m_floats == PrintFormat::Floats::None ? kPrecisionOfStreams : m_decimals;
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value, format, precision).ptr;
    return {digits.data(), end};
  }

  void rows(std::size_t dimension, int64_t first, int64_t count, std::size_t column) {
    if (dimension == m_tensor.rank()) {
      m_out += text(first);
      return;
    }
    const int64_t extent = m_tensor.dim(dimension), inner = extent ? count / extent : 0;
    m_out += m_format.open;
    ++column;
    const bool isNested = dimension + 1 < m_tensor.rank();
    const std::string indent(2 * (dimension + 1), ' ');
    bool isFirst = true;
    for (const int64_t i : shownOf(dimension)) {
      if (isNested) {
        m_out += '\n' + indent;
        if (i == kGap)
          m_out += "...";
        else
          rows(dimension + 1, first + i * inner, inner, indent.size());
        continue;
      }
      std::string element = i == kGap ? "..." : text(first + i);
      if (i != kGap && element.size() < m_width) element.insert(0, m_width - element.size(), ' ');
      if (!isFirst) {
        const bool isFull = m_format.lineWidth > 0 && column + element.size() + 2 > std::size_t(m_format.lineWidth);
        if (!isFull || m_format.separator != ' ') m_out += m_format.separator;
        if (isFull) m_out += '\n' + indent;
        column = isFull ? indent.size() : column + 1;
      }
      m_out += element;
      column += element.size();
      isFirst = false;
    }
    if (isNested) m_out += '\n' + std::string(2 * dimension, ' ');
    m_out += m_format.close;
  }

  const numerics::HostTensor& m_tensor;
  const PrintFormat& m_format;
  bool m_isCut; // only elements at the edges are shown
  PrintFormat::Floats m_floats = PrintFormat::Floats::None;
  int m_decimals = 0;
  std::size_t m_width = 0; // of every element
  std::string m_out;
};

} // namespace

std::string printedTensor(const std::string& title, const numerics::HostTensor& tensor, const PrintFormat& format) {
  const std::string begin = title + ": ";
  return begin + PrintedTensor(tensor, format).whole(begin.size()) + '\n';
}

} // namespace simcore::run
