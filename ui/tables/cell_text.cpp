#include "ui/tables/cell_text.h"

#include <cmath>
#include <limits>

namespace ui::tables {

namespace {
const QString kUnknown = QStringLiteral("–");

// Ignores case and compares numbers inside names by value: conv9 before conv10. Qt's collator does this only with ICU and never
// in the C locale, so the order would depend on the computer.
bool nameLess(const QString& a, const QString& b) {
  qsizetype i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].isDigit() && b[j].isDigit()) {
      const auto end = [](const QString& s, qsizetype at) {
        while (at < s.size() && s[at].isDigit()) ++at;
        return at;
      };
      const auto skipZeros = [](const QString& s, qsizetype at, qsizetype last) {
        while (at + 1 < last && s[at] == '0') ++at;
        return at;
      };
      const qsizetype ei = end(a, i), ej = end(b, j);
      const QStringView x = QStringView(a).sliced(skipZeros(a, i, ei), ei - skipZeros(a, i, ei));
      const QStringView y = QStringView(b).sliced(skipZeros(b, j, ej), ej - skipZeros(b, j, ej));
      if (x.size() != y.size()) return x.size() < y.size();
      if (const int order = x.compare(y); order != 0) return order < 0;
      i = ei, j = ej;
      continue;
    }
    const QChar x = a[i++].toLower(), y = b[j++].toLower();
    if (x != y) return x < y;
  }
  return a.size() - i < b.size() - j;
}

QString withPlus(const QString& text, int64_t v) { return v > 0 ? '+' + text : text; }
} // namespace

QString cellText(const Cell& cell, Kind kind, const theme::Format& format) {
  if (const auto* text = std::get_if<QString>(&cell)) return *text;
  if (const auto* real = std::get_if<double>(&cell)) {
    if (kind == Kind::Percent) return theme::percent(*real);
    if (kind == Kind::PercentDelta) return theme::percentDelta(*real);
    if (std::isinf(*real)) return *real < 0 ? QStringLiteral("\u2212∞") : QStringLiteral("∞");
    return theme::significant(*real);
  }
  const auto* whole = std::get_if<int64_t>(&cell);
  if (!whole) return kUnknown;
  switch (kind) {
  case Kind::Bytes: return format.bytes(reports::Bytes(*whole));
  case Kind::Cycles: return format.cycles(reports::Cycles(*whole));
  case Kind::TileCycles: return theme::countShort(double(*whole));
  case Kind::TileCyclesDelta: return withPlus(theme::countShort(double(*whole)), *whole);
  case Kind::Nanoseconds: return format.nanoseconds(reports::Nanoseconds(*whole));
  case Kind::Flops: return theme::flops(double(*whole));
  case Kind::FlopsDelta: return withPlus(theme::flops(double(*whole)), *whole);
  case Kind::BytesDelta: return format.bytesDelta(reports::Bytes(*whole));
  case Kind::CyclesDelta: return format.cyclesDelta(reports::Cycles(*whole));
  case Kind::NanosecondsDelta: return format.nanosecondsDelta(reports::Nanoseconds(*whole));
  case Kind::CountDelta: return withPlus(theme::count(*whole), *whole);
  case Kind::Address: return QStringLiteral("0x%1").arg(*whole, 5, 16, QChar('0'));
  default: return theme::count(*whole);
  }
}

QString cellExact(const Cell& cell, Kind kind, const theme::Format& format) {
  if (const auto* text = std::get_if<QString>(&cell)) return *text;
  if (const auto* real = std::get_if<double>(&cell))
    return QString::number(kind == Kind::Percent ? *real * 100 : *real, 'g', 10) + (kind == Kind::Percent ? " %" : "");
  const auto* whole = std::get_if<int64_t>(&cell);
  if (!whole) return QObject::tr("not known");
  switch (kind) {
  case Kind::Bytes:
  case Kind::BytesDelta: return format.bytesExact(reports::Bytes(*whole));
  case Kind::Cycles:
  case Kind::CyclesDelta: return format.cyclesExact(reports::Cycles(*whole));
  case Kind::TileCycles:
  case Kind::TileCyclesDelta: return QObject::tr("%1 tile-cycles").arg(theme::count(*whole));
  case Kind::Nanoseconds:
  case Kind::NanosecondsDelta: return theme::count(*whole) + QStringLiteral(" ns");
  case Kind::Flops:
  case Kind::FlopsDelta: return theme::count(*whole) + QStringLiteral(" FLOP");
  case Kind::Address: return theme::count(*whole);
  default: return {};
  }
}

QString cellPlain(const Cell& cell) {
  if (const auto* text = std::get_if<QString>(&cell)) return *text;
  if (const auto* whole = std::get_if<int64_t>(&cell)) return QString::number(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return QString::number(*real, 'g', 17);
  return {};
}

double cellNumber(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return double(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::numeric_limits<double>::quiet_NaN();
}

bool cellLess(const Cell& a, const Cell& b) {
  const auto* x = std::get_if<int64_t>(&a);
  const auto* y = std::get_if<int64_t>(&b);
  if (x && y) return *x < *y;
  const auto* s = std::get_if<QString>(&a);
  const auto* t = std::get_if<QString>(&b);
  if (s && t) return nameLess(*s, *t);
  const double m = cellNumber(a), n = cellNumber(b);
  if (!std::isnan(m) && !std::isnan(n)) return m < n;
  const auto rank = [](const Cell& c, double v) { return std::holds_alternative<QString>(c) ? 2 : std::isnan(v) ? 0 : 1; };
  return rank(a, m) < rank(b, n);
}

} // namespace ui::tables
