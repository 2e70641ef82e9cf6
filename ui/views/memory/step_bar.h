// A slider along the steps of the program: at its left end it stands for no step, else for the one it names.
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
    int64_t ordinal = -1; // liveness step, the number that Liveness gives it; -1: none
    QString title;
  };
  // `name` is what a screen reader calls it, `none` stands for the left end: "Whole run".
  StepBar(const QString& name, const QString& none, QWidget* parent = nullptr);
  // Goes to the left end. `ordinals`: how many liveness steps the program has.
  void setSteps(std::vector<Step> steps, int64_t ordinals);
  // Null at the left end.
  const Step* step() const;
  // Moves without telling; a step that is not among them changes nothing.
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
