#include "ui/parts/sentence_text.h"

#include "analyser/session/format.h"
#include "ui/theme/elide.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"

namespace ui::shell {

namespace {

using analyser::Sentence;

struct Printer {
  const theme::Format& format;
  std::size_t nameWidth;
  // A part that is only "\n" breaks the line. A line break inside a longer part comes from a report and is not printed as one.
  QString operator()(const std::string& words) const { return words == "\n" ? QString('\n') : theme::reportText(words); }
  QString operator()(const Sentence::Name& name) const {
    const QString whole = QString::fromStdString(analyser::printable(name.text));
    const auto fits = [this](const QString& text) { return std::size_t(text.size()) <= nameWidth; };
    const QString path = fits(whole) ? whole : theme::pathWithoutMiddle(whole, fits);
    return !path.isEmpty() ? path : QString::fromStdString(analyser::elideMiddle(analyser::printable(name.text), nameWidth));
  }
  QString operator()(const Sentence::Percent& p) const { return theme::percent(p.fraction); }
  QString operator()(int64_t count) const { return theme::count(count); }
  QString operator()(reports::Bytes b) const { return format.bytes(b); }
  QString operator()(reports::Cycles c) const { return format.cycles(c); }
  QString operator()(reports::Nanoseconds n) const { return format.nanoseconds(n); }
  QString operator()(const Sentence::Change<reports::Bytes>& c) const { return format.bytesDelta(c.value); }
  QString operator()(const Sentence::Change<reports::Cycles>& c) const { return format.cyclesDelta(c.value); }
};

} // namespace

QString sentenceText(const Sentence& sentence, const theme::Format& format, int nameWidth) {
  QString text;
  for (const Sentence::Part& part : sentence.parts()) text += std::visit(Printer{format, std::size_t(nameWidth)}, part);
  return text;
}

} // namespace ui::shell
