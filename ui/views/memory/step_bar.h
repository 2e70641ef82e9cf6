// A slider along the steps of the program: its left end means no step, every other position a step.
#pragma once

#include "reports/core/ids.h"

#include <QString>
#include <QWidget>

#include <vector>

class QSlider;

namespace ui::shell {
class ViewFields;
class ElidedLabel;
} // namespace ui::shell

namespace ui::memory {

class StepBar : public QWidget {
  Q_OBJECT

public:
  struct Step {
    reports::ProgramStepId step;
    int64_t ordinal = -1; // number of the step in Liveness; -1: none
    QString title;
    reports::ProgramStepId inOther = {}; // with two reports: the step of B with this name; invalid: none
    int64_t ordinalInOther = -1;
  };
  // `name` is the slider's name for screen readers, `none` the text of the left end: "Whole run".
  StepBar(const QString& name, const QString& none, QWidget* parent = nullptr);
  // Goes to the left end. `ordinals`: the number of liveness steps of the program.
  void setSteps(std::vector<Step> steps, int64_t ordinals);
  // Null at the left end.
  const Step* step() const;
  // Moves without a signal; an unknown step changes nothing.
  void setStep(reports::ProgramStepId step);

  void addField(shell::ViewFields& fields, const QString& id);

signals:
  void stepMoved(); // by hand

private:
  void showTitle();
  QString m_none;
  std::vector<Step> m_steps;
  int64_t m_ordinals = 0;
  QSlider* m_slider;
  shell::ElidedLabel* m_title;
};

} // namespace ui::memory
