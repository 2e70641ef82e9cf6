#include "ui/theme/format.h"

#include "analyser/session/format.h"

#include <QRegularExpression>

namespace ui::theme {

namespace {

using analyser::ByteUnit;

constexpr analyser::NumberStyle kWindow{ByteUnit::Binary, "\u202f", "\u00a0", "\u2212", "\u2013", "\u2248\u00a0"};

QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

analyser::NumberStyle styleOf(MemoryUnit unit) {
  analyser::NumberStyle style = kWindow;
  style.bytes = unit == MemoryUnit::Binary ? ByteUnit::Binary : unit == MemoryUnit::Decimal ? ByteUnit::Decimal : ByteUnit::Plain;
  return style;
}

template<class T> QString withPlus(T v, const QString& text) { return v > T{} ? '+' + text : text; }

} // namespace

QString count(int64_t v) { return text(analyser::formatCount(v, kWindow)); }

QString countShort(double v) { return text(analyser::formatSi(v, {}, kWindow)); }

QString percent(double share) { return text(analyser::formatPercent(share, kWindow)); }

QString percentDelta(double share) { return text(analyser::formatSignedPercent(share, kWindow)); }

QString seconds(double v) { return text(analyser::formatSeconds(v, kWindow)); }

QString significant(double v) { return text(analyser::formatThreeDigits(v, kWindow)); }

QString si(double v, std::string_view unit) { return text(analyser::formatSi(v, unit, kWindow)); }

QString flops(double v) { return si(v, "FLOP"); }

QString flopsRate(double perSecond) { return si(perSecond, "FLOP/s"); }

QString withoutZeros(QString text) {
  static const QRegularExpression zeros(QStringLiteral("(\\.\\d*?)0+(?!\\d)")), bare(QStringLiteral("\\.(?!\\d)"));
  return text.replace(zeros, QStringLiteral("\\1")).replace(bare, QString());
}

QString plural(int64_t n, const QString& one, const QString& many) { return count(n) + QChar(0x00A0) + (n == 1 ? one : many); }

QString Format::bytes(reports::Bytes v) const { return text(analyser::formatBytes(v, styleOf(m_units.memory))); }

QString Format::bytesExact(reports::Bytes v) const { return text(analyser::formatBytesExact(v, kWindow)); }

QString Format::bytesDelta(reports::Bytes v) const { return withPlus(v, bytes(v)); }

QString Format::cycles(reports::Cycles v) const {
  return showsSeconds() ? seconds(double(v.value()) / m_clockHz) : text(analyser::formatShortCycles(v, kWindow));
}

QString Format::cyclesExact(reports::Cycles v) const {
  const QString exact = text(analyser::formatCycles(v, kWindow));
  return m_clockHz > 0 ? QStringLiteral("%1 (%2)").arg(exact, seconds(double(v.value()) / m_clockHz)) : exact;
}

QString Format::cyclesDelta(reports::Cycles v) const { return withPlus(v, cycles(v)); }

QString Format::moment(reports::Cycles at, reports::Cycles apart) const {
  if (!showsSeconds()) return text(analyser::formatCycles(at, kWindow));
  return text(analyser::formatSecondsTo(double(at.value()) / m_clockHz, double(apart.value()) / m_clockHz, kWindow));
}

QString Format::moment(reports::Nanoseconds at, reports::Nanoseconds apart) {
  return text(analyser::formatSecondsTo(double(at.value()) * 1e-9, double(apart.value()) * 1e-9, kWindow));
}

QString Format::nanoseconds(reports::Nanoseconds v) const { return text(analyser::formatNanoseconds(v, kWindow)); }

QString Format::nanosecondsDelta(reports::Nanoseconds v) const { return withPlus(v, nanoseconds(v)); }

} // namespace ui::theme
