// Numbers of analyser/session/format.h as the window prints them: thin spaces between thousands, a hard space before the unit, a
// true minus. Every view prints through this class, so that one switch changes cycles to time and KiB to bytes everywhere.
#pragma once

#include "reports/core/units.h"

#include <QString>

#include <string_view>

namespace ui::theme {

enum class TimeUnit { Cycles, Seconds };
enum class MemoryUnit { Binary, Decimal, Bytes }; // KiB, kB, B

struct Units {
  TimeUnit time = TimeUnit::Cycles;
  MemoryUnit memory = MemoryUnit::Binary;
  bool operator==(const Units&) const = default;
};

class Format {
public:
  Format() = default;
  // Without a clock (0) times stay in cycles.
  explicit Format(Units units, double clockHz = 0, QString provenance = {})
      : m_units(units), m_clockHz(clockHz), m_provenance(std::move(provenance)) {}

  const Units& units() const { return m_units; }
  double clockHz() const { return m_clockHz; }
  // The origin of the device's figures: simulated, imported; empty: unknown.
  const QString& provenance() const { return m_provenance; }
  bool showsSeconds() const { return m_units.time == TimeUnit::Seconds && m_clockHz > 0; }

  QString bytes(reports::Bytes v) const;        // "209 KiB"
  QString bytesExact(reports::Bytes v) const;   // "213 944 B"
  QString cycles(reports::Cycles v) const;      // "1.24 M cycles" or "0.93 ms"
  QString cyclesExact(reports::Cycles v) const; // "1 240 117 cycles (932.4 µs)"
  QString nanoseconds(reports::Nanoseconds v) const;
  // A time of a run with enough digits to distinguish it from one that is `apart` away: "1 240 117 cycles", "114.372 418 ms".
  QString moment(reports::Cycles at, reports::Cycles apart) const;
  static QString moment(reports::Nanoseconds at, reports::Nanoseconds apart);
  QString bytesDelta(reports::Bytes v) const; // with sign: "+12.0 KiB", "−3 B", "0 B"
  QString cyclesDelta(reports::Cycles v) const;
  QString nanosecondsDelta(reports::Nanoseconds v) const;

private:
  Units m_units;
  double m_clockHz = 0;
  QString m_provenance;
};

QString count(int64_t v);                                           // "94 208", all digits
QString countShort(double v);                                       // "1.24 M"
QString percent(double share);                                      // 0.334 -> "33.4 %"; between 0 and 0.01 %: "<0.01 %"
QString percentDelta(double share);                                 // "+12.5 %"
QString seconds(double v);                                          // "932 µs"
QString significant(double v);                                      // three digits, no unit
QString withoutZeros(QString text);                                 // for axes: "1.50 MiB" -> "1.5 MiB", "8.00 k" -> "8 k"
QString flops(double v);                                            // "55.4 MFLOP"
QString flopsRate(double perSecond);                                // "62.1 TFLOP/s"
QString si(double v, std::string_view unit);                        // "1.24 MB/s"
QString plural(int64_t n, const QString& one, const QString& many); // "1 tile", "12 tiles"

} // namespace ui::theme
