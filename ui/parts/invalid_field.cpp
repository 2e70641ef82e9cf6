#include "ui/parts/invalid_field.h"

#include <QStyle>
#include <QVariant>
#include <QWidget>

namespace ui::shell {

void setInvalid(QWidget* field, bool isInvalid) {
  if (field->property("invalid").toBool() == isInvalid) return;
  field->setProperty("invalid", isInvalid);
  field->style()->unpolish(field); // the style sheet reads a changed property only after unpolish()
  field->style()->polish(field);
}

} // namespace ui::shell
