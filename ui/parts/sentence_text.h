// An answer of analyser as the window prints it: numbers in the chosen units, names shortened to `nameWidth` characters.
#pragma once

#include "analyser/session/sentence.h"
#include "ui/theme/format.h"

namespace ui::shell {

QString sentenceText(const analyser::Sentence& sentence, const theme::Format& format, int nameWidth);

// Clauses end at a semicolon outside of parentheses. The first `most` of them, as a sentence.
analyser::Sentence firstClauses(const analyser::Sentence& sentence, int most);
// The clauses after the first `from`; empty if there are none.
analyser::Sentence laterClauses(const analyser::Sentence& sentence, int from);

} // namespace ui::shell
