#include "ui/theme/format.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui::theme {

namespace {

const QChar kThin(0x2009); // between thousands
const QChar kHard(0x00A0); // between number and unit
const QChar kMinus(0x2212);

QString grouped(QString digits) {
  for (qsizetype i = digits.size() - 3; i > 0; i -= 3) digits.insert(i, kThin);
  return digits;
}

struct Scaled {
  double value;
  QString prefix;
};

Scaled scaled(double v, double base, const std::array<const char*, 7>& prefixes) {
  std::size_t step = 0;
  // 999.5 would print as "1000" with three digits, so it already belongs to the next prefix; 1015 MiB is 0.991 GiB.
  while (std::abs(v) >= 999.5 && step + 1 < prefixes.size()) v /= base, ++step;
  return {v, QString::fromUtf8(prefixes[step])};
}

constexpr std::array<const char*, 7> kDecimal{"", "k", "M", "G", "T", "P", "E"};
constexpr std::array<const char*, 7> kBinary{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

QString withSign(QString magnitude, int64_t v) { return v == 0 ? magnitude : (v > 0 ? QChar('+') : kMinus) + magnitude; }

int64_t magnitude(int64_t v) { return v < 0 ? (v == INT64_MIN ? INT64_MAX : -v) : v; }

} // namespace

QString significant(double v, int digits) {
  if (!std::isfinite(v)) return QStringLiteral("–");
  const double size = std::abs(v);
  // The exponent after rounding: 0.9999 is 1.00, not 1.000.
  const int exponent = size == 0 ? digits : QString::number(size, 'e', digits - 1).section('e', 1).toInt();
  const int decimals = std::clamp(digits - 1 - exponent, 0, 6);
  QString text = QString::number(size, 'f', decimals);
  const qsizetype point = text.indexOf('.');
  QString whole = point < 0 ? text : text.left(point);
  text = grouped(whole) + (point < 0 ? QString() : text.mid(point));
  return v < 0 ? kMinus + text : text;
}

QString count(int64_t v) {
  const QString digits = grouped(QString::number(magnitude(v)));
  return v < 0 ? kMinus + digits : digits;
}

QString countShort(double v) {
  if (std::abs(v) < 1000 && v == std::floor(v)) return count(int64_t(v));
  const Scaled s = scaled(v, 1000, kDecimal);
  return s.prefix.isEmpty() ? significant(s.value) : significant(s.value) + kHard + s.prefix;
}

QString percent(double share) {
  const double p = share * 100;
  if (!std::isfinite(p)) return QStringLiteral("–");
  if (p == 0) return QStringLiteral("0") + kHard + '%';
  if (std::abs(p) < 0.1)
    return (p < 0 ? QStringLiteral(">") + kHard + QStringLiteral("−0.1") : QStringLiteral("<") + kHard + QStringLiteral("0.1")) +
           kHard + '%';
  return (p < 0 ? QString(kMinus) : QString()) + QString::number(std::abs(p), 'f', std::abs(p) < 99.95 ? 1 : 0) + kHard + '%';
}

QString percentDelta(double share) {
  if (!std::isfinite(share)) return QStringLiteral("–");
  const QString text = QString::number(std::abs(share) * 100, 'f', 1) + kHard + '%';
  if (std::abs(share) < 0.0005) return QStringLiteral("0") + kHard + '%';
  return (share > 0 ? QChar('+') : kMinus) + text;
}

QString seconds(double v) {
  if (!std::isfinite(v)) return QStringLiteral("–");
  const double size = std::abs(v);
  if (size == 0) return QStringLiteral("0") + kHard + 's';
  if (size < 0.9995e-6) return significant(v * 1e9) + kHard + QStringLiteral("ns");
  if (size < 0.9995e-3) return significant(v * 1e6) + kHard + QStringLiteral("µs");
  if (size < 0.9995) return significant(v * 1e3) + kHard + QStringLiteral("ms");
  return significant(v) + kHard + 's';
}

QString secondsTo(double v, double apart) {
  if (!std::isfinite(v) || !std::isfinite(apart) || apart <= 0 || std::abs(v) <= apart) return seconds(v);
  static constexpr std::pair<double, const char*> kUnits[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
  const auto unit = std::find_if(std::begin(kUnits), std::prev(std::end(kUnits)), [v](const auto& u) { return std::abs(v) >= u.first; });
  const int decimals = std::clamp(int(std::ceil(std::log10(unit->first / apart))) + 2, 0, 12);
  QString text = QString::number(std::abs(v) / unit->first, 'f', decimals);
  const qsizetype point = text.indexOf('.');
  QString fraction = point < 0 ? QString() : text.mid(point + 1);
  for (qsizetype i = (fraction.size() - 1) / 3 * 3; i > 0; i -= 3) fraction.insert(i, kThin);
  text = grouped(point < 0 ? text : text.left(point)) + (fraction.isEmpty() ? QString() : '.' + fraction);
  return (v < 0 ? QString(kMinus) : QString()) + text + kHard + QString::fromUtf8(unit->second);
}

QString withoutZeros(QString text) {
  static const QRegularExpression zeros(QStringLiteral("(\\.\\d*?)0+(?!\\d)")), bare(QStringLiteral("\\.(?!\\d)"));
  return text.replace(zeros, QStringLiteral("\\1")).replace(bare, QString());
}

QString flopsRate(double perSecond) { return flops(perSecond) + QStringLiteral("/s"); }

QString flops(double v) {
  if (std::abs(v) < 1000 && v == std::floor(v)) return count(int64_t(v)) + kHard + QStringLiteral("FLOP");
  const Scaled s = scaled(v, 1000, kDecimal);
  return significant(s.value) + kHard + s.prefix + QStringLiteral("FLOP");
}

QString plural(int64_t n, const QString& one, const QString& many) { return count(n) + kHard + (n == 1 ? one : many); }

QString Format::bytes(reports::Bytes v) const {
  const int64_t b = v.value();
  if (m_units.memory == MemoryUnit::Bytes) return bytesExact(v);
  const bool binary = m_units.memory == MemoryUnit::Binary;
  if (magnitude(b) < (binary ? 1024 : 1000)) return bytesExact(v);
  const Scaled s = scaled(double(b), binary ? 1024 : 1000, binary ? kBinary : kDecimal);
  return significant(s.value) + kHard + s.prefix + 'B';
}

QString Format::bytesExact(reports::Bytes v) const { return count(v.value()) + kHard + 'B'; }

QString Format::cycles(reports::Cycles v) const {
  if (showsSeconds()) return seconds(double(v.value()) / m_clockHz);
  if (magnitude(v.value()) < 1000) return count(v.value()) + kHard + (v.value() == 1 ? "cycle" : "cycles");
  const Scaled s = scaled(double(v.value()), 1000, kDecimal);
  return significant(s.value) + kHard + s.prefix + (s.prefix.isEmpty() ? QString() : QString(kHard)) + QStringLiteral("cycles");
}

QString Format::cyclesExact(reports::Cycles v) const {
  QString text = count(v.value()) + kHard + (v.value() == 1 ? "cycle" : "cycles");
  if (m_clockHz > 0) text += QStringLiteral(" (%1)").arg(seconds(double(v.value()) / m_clockHz));
  return text;
}

QString Format::moment(reports::Cycles at, reports::Cycles apart) const {
  if (!showsSeconds()) return count(at.value()) + kHard + (at.value() == 1 ? "cycle" : "cycles");
  return secondsTo(double(at.value()) / m_clockHz, double(apart.value()) / m_clockHz);
}

QString Format::moment(reports::Nanoseconds at, reports::Nanoseconds apart) {
  return secondsTo(double(at.value()) * 1e-9, double(apart.value()) * 1e-9);
}

QString Format::nanoseconds(reports::Nanoseconds v) const { return seconds(double(v.value()) * 1e-9); }

QString Format::bytesDelta(reports::Bytes v) const { return withSign(bytes(reports::Bytes(magnitude(v.value()))), v.value()); }

QString Format::nanosecondsDelta(reports::Nanoseconds v) const {
  return withSign(nanoseconds(reports::Nanoseconds(magnitude(v.value()))), v.value());
}

QString Format::cyclesDelta(reports::Cycles v) const {
  return withSign(cycles(reports::Cycles(magnitude(v.value()))), v.value());
}

} // namespace ui::theme
