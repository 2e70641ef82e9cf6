#include "ui/runs/field_names.h"

#include "analyser/session/sentence.h"

#include <QRegularExpression>

namespace ui::shell {

QString withFieldNames(QString text) {
  // Options of other commands have no field and keep their dashes: "summary --plans".
  static const QRegularExpression flag(QStringLiteral("(?<![\\w-])(?<!\\bsummary )(?<!\\bcompare )(?<!\\bquery )--(?=[a-z])"));
  return text.remove(flag);
}

analyser::Sentence fieldNamesIn(const analyser::Sentence& sentence) {
  const auto named = [](const std::string& text) { return withFieldNames(QString::fromStdString(text)).toStdString(); };
  analyser::Sentence result;
  for (const analyser::Sentence::Part& part : sentence.parts())
    if (const auto* words = std::get_if<std::string>(&part))
      result << named(*words);
    else if (const auto* name = std::get_if<analyser::Sentence::Name>(&part))
      result << analyser::Sentence::Name{named(name->text)};
    else
      result << part;
  return result;
}

} // namespace ui::shell
