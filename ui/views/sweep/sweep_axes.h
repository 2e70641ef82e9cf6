// The figures that the axes of a sweep's plot can show, and texts about its runs.
#pragma once

#include "analyser/sweep/sweep_table.h"

#include <QString>

#include <functional>
#include <optional>
#include <vector>

namespace ui::theme {
class Format;
}

namespace ui::sweep {

inline constexpr auto kEffort = "effort", kFullest = "fullest"; // ids of the initial axes; the Pareto front is for these figures

struct Axis {
  enum class Unit { Cycles, Seconds, Bytes, Number };
  QString id, title;
  Unit unit = Unit::Number;
  std::function<std::optional<double>(const analyser::sweep::Point&)> value;
};
// Figures of the runs, and the parameters whose values are numbers.
std::vector<Axis> axesOf(const analyser::sweep::SweepTable& sweep);
QString axisText(const Axis& axis, double value, const theme::Format& format);

// The name of a parameter's field in the form: "machine" of --machine.
QString parameterTitle(const std::string& name);
// The value of a parameter; empty: the run has none.
QString valueOf(const analyser::sweep::Point& point, const std::string& parameter);
QString valuesText(const analyser::sweep::Point& point); // "batch 8, machine bow"
QString stateText(const analyser::sweep::Point& point);

} // namespace ui::sweep
