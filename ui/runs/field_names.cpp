#include "ui/runs/field_names.h"

#include <QRegularExpression>

namespace ui::shell {

QString withFieldNames(QString text) {
  static const QRegularExpression flag(QStringLiteral("(?<![\\w-])--(?=[a-z])"));
  return text.remove(flag);
}

} // namespace ui::shell
