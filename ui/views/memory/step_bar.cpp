#include "ui/views/memory/step_bar.h"

#include "ui/parts/elided_label.h"
#include "ui/parts/view_fields.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>

#include <algorithm>

namespace ui::memory {

StepBar::StepBar(const QString& name, const QString& none, QWidget* parent) : QWidget(parent), m_none(none) {
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(theme::kGrid);
  auto* caption = theme::plainLabel(tr("Step"));
  caption->setProperty("role", "secondary");
  line->addWidget(caption);
  line->addWidget(m_slider = new QSlider(Qt::Horizontal), 1);
  line->addWidget(m_title = new shell::ElidedLabel(name), 1);
  m_slider->setAccessibleName(name);
  m_slider->setToolTip(theme::tipText(tr("Arrow keys go from step to step; at the left end: %1").arg(none.toLower())));
  m_slider->setMinimumWidth(120);
  connect(m_slider, &QSlider::valueChanged, this, [this] {
    showTitle();
    emit stepMoved();
  });
  setSteps({}, 0);
}

void StepBar::setSteps(std::vector<Step> steps, int64_t ordinals) {
  const QSignalBlocker quiet(m_slider);
  m_steps = std::move(steps), m_ordinals = ordinals;
  m_slider->setRange(0, int(m_steps.size()));
  m_slider->setPageStep(std::max(1, int(m_steps.size()) / 20));
  m_slider->setValue(0);
  m_slider->setEnabled(!m_steps.empty());
  showTitle();
}

void StepBar::addField(shell::ViewFields& fields, const QString& id) { fields.number(id, *m_slider); }

const StepBar::Step* StepBar::step() const {
  const int at = m_slider->value() - 1;
  return at >= 0 && at < int(m_steps.size()) ? &m_steps[std::size_t(at)] : nullptr;
}

void StepBar::setStep(reports::ProgramStepId step) {
  const auto at = std::find_if(m_steps.begin(), m_steps.end(), [&](const Step& s) { return s.step == step; });
  if (at == m_steps.end()) return;
  const QSignalBlocker quiet(m_slider);
  m_slider->setValue(int(at - m_steps.begin()) + 1);
  showTitle();
}

void StepBar::showTitle() {
  const Step* shown = step();
  m_title->setWhole(
      !shown ? m_none
      : shown->ordinal < 0
          ? tr("%1 of %2: %3").arg(theme::count(m_slider->value()), theme::count(int64_t(m_steps.size())), shown->title)
          : tr("Step %1 (0 to %2): %3") // as Liveness counts them
                .arg(theme::count(shown->ordinal), theme::count(m_ordinals - 1), shown->title));
}

} // namespace ui::memory
