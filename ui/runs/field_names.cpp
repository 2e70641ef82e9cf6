#include "ui/runs/field_names.h"

#include <QRegularExpression>

namespace ui::shell {

QString withFieldNames(QString text) {
  // Options of other commands have no field and keep their dashes: "summary --plans".
  static const QRegularExpression flag(QStringLiteral("(?<![\\w-])(?<!\\bsummary )(?<!\\bcompare )(?<!\\bquery )--(?=[a-z])"));
  return text.remove(flag);
}

} // namespace ui::shell
