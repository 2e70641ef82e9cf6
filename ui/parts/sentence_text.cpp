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

namespace {
// The sentence in two parts, without the semicolon between them.
std::pair<analyser::Sentence, analyser::Sentence> splitAfter(const analyser::Sentence& sentence, int most) {
  analyser::Sentence head, rest;
  int depth = 0;
  for (const analyser::Sentence::Part& part : sentence.parts()) {
    const auto* words = std::get_if<std::string>(&part);
    std::size_t end = std::string::npos;
    for (std::size_t i = 0; words && most > 0 && i < words->size(); ++i) {
      const char c = (*words)[i];
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ';' && depth <= 0 && --most == 0) end = i;
    }
    if (end != std::string::npos) {
      head << words->substr(0, end);
      if (const std::string left = words->substr(std::min(words->size(), end + 2)); !left.empty()) rest << left;
    } else {
      (most > 0 ? head : rest) << part;
    }
  }
  return {head, rest};
}
} // namespace

analyser::Sentence firstClauses(const analyser::Sentence& sentence, int most) {
  auto [head, rest] = splitAfter(sentence, most);
  return rest.empty() ? sentence : head << ".";
}

analyser::Sentence laterClauses(const analyser::Sentence& sentence, int from) { return splitAfter(sentence, from).second; }

} // namespace ui::shell
