#include "ui/runs/field_names.h"

#include <QRegularExpression>

namespace ui::shell {

QString withFieldNames(QString text) {
  // Not those of another command, which have no field: "summary --plans".
  static const QRegularExpression flag(QStringLiteral("(?<![\\w-])(?<!\\bsummary )(?<!\\bcompare )(?<!\\bquery )--(?=[a-z])"));
  return text.remove(flag);
}

} // namespace ui::shell
