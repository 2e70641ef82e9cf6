#include "ui/views/sweep/sweep_axes.h"

#include "ui/runs/field_names.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace ui::sweep {

using analyser::sweep::Point;
using analyser::sweep::State;
using analyser::sweep::SweepTable;
using theme::reportText;

namespace {

Axis figureAxis(const QString& id, const QString& title, Axis::Unit unit, const char* figure) {
  return {id, title, unit, [figure](const Point& p) { return analyser::sweep::figureOf(p, figure); }};
}

std::optional<double> numberOf(const Point& point, const std::string& parameter) {
  bool isNumber = false;
  const double number = valueOf(point, parameter).toDouble(&isNumber);
  return isNumber ? std::optional(number) : std::nullopt;
}

} // namespace

std::vector<Axis> axesOf(const SweepTable& sweep) {
  const bool perSample = std::all_of(sweep.points.begin(), sweep.points.end(), [](const Point& p) {
    return !p.record || p.record->figures.empty() || analyser::sweep::figureOf(p, "samples");
  });
  const QString effort = sweep.isOfClocks ? QObject::tr("Time") : QObject::tr("Cycles");
  std::vector<Axis> axes{
      {QString::fromLatin1(kEffort), perSample ? QObject::tr("%1 per sample").arg(effort) : effort,
       sweep.isOfClocks ? Axis::Unit::Seconds : Axis::Unit::Cycles,
       [isOfClocks = sweep.isOfClocks](const Point& p) {
         return isOfClocks ? analyser::sweep::secondsOf(p) : analyser::sweep::cyclesOf(p);
       }},
      figureAxis(QString::fromLatin1(kFullest), QObject::tr("Fullest tile"), Axis::Unit::Bytes, "memory.max_tile_bytes"),
      figureAxis("tiles", QObject::tr("All tiles"), Axis::Unit::Bytes, "memory.total_bytes"),
      figureAxis("alwaysLive", QObject::tr("Always live"), Axis::Unit::Bytes, "memory.always_live_bytes"),
      figureAxis("cycles", QObject::tr("Cycles of the run"), Axis::Unit::Cycles, "total_cycles"),
      figureAxis("compute", QObject::tr("Compute cycles"), Axis::Unit::Cycles, "cycles.compute"),
      figureAxis("exchange", QObject::tr("Exchange cycles"), Axis::Unit::Cycles, "cycles.exchange")};
  for (const std::string& name : sweep.parameters)
    if (!sweep.points.empty() &&
        std::all_of(sweep.points.begin(), sweep.points.end(), [&](const Point& p) { return numberOf(p, name).has_value(); }))
      axes.push_back({QStringLiteral("parameter.") + reportText(name), parameterTitle(name), Axis::Unit::Number,
                      [name](const Point& p) { return numberOf(p, name); }});
  return axes;
}

QString axisText(const Axis& axis, double value, const theme::Format& format) {
  switch (axis.unit) {
  case Axis::Unit::Cycles: return format.cycles(reports::Cycles(std::llround(value)));
  case Axis::Unit::Seconds: return theme::seconds(value);
  case Axis::Unit::Bytes: return format.bytes(reports::Bytes(std::llround(value)));
  case Axis::Unit::Number: break;
  }
  return theme::significant(value);
}

QString parameterTitle(const std::string& name) { return shell::withFieldNames(reportText(name)); }

QString valueOf(const Point& point, const std::string& parameter) {
  for (const auto& [name, value] : point.configuration.values)
    if (name == parameter) return reportText(value);
  return {};
}

QString valuesText(const Point& p) {
  QStringList words;
  for (const auto& [name, value] : p.configuration.values) words.append(parameterTitle(name) + ' ' + reportText(value));
  return words.join(QStringLiteral(", "));
}

QString stateText(const Point& p) {
  if (!p.record) return QObject::tr("not run");
  switch (p.record->state) {
  case State::Done: return p.isOptimal ? QObject::tr("on the front") : QObject::tr("done");
  case State::DoesNotFit: return QObject::tr("does not fit");
  case State::Failed: break;
  }
  return QObject::tr("failed: %1").arg(reportText(p.record->message));
}

} // namespace ui::sweep
