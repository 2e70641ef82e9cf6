// How tensors are printed.
#pragma once

namespace poplar {

class PrintTensorFmt {
public:
  enum class FloatFormat { Auto, Fixed, Scientific, None };
  PrintTensorFmt(unsigned threshold = 1000, unsigned edges = 3, unsigned lineWidth = 75, unsigned numDigits = 8,
                 FloatFormat format = FloatFormat::Auto, char between = ' ', char open = '[', char close = ']')
      : summariseThreshold(threshold), edgeItems(edges), maxLineWidth(lineWidth), digits(numDigits), floatFormat(format),
        separator(between), openBracket(open), closeBracket(close) {}
  // Prints all elements, each row on one line.
  static PrintTensorFmt disableFormatting() { return PrintTensorFmt(0, 0, 0, 0, FloatFormat::None); }

  unsigned summariseThreshold, edgeItems, maxLineWidth, digits;
  FloatFormat floatFormat;
  char separator, openBracket, closeBracket;
};

} // namespace poplar
