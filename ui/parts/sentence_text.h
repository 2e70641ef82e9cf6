// An answer of analyser as the window prints it: numbers in the chosen units, names shortened to `nameWidth` characters.
#pragma once

#include "analyser/session/sentence.h"
#include "ui/theme/format.h"

namespace ui::shell {

QString sentenceText(const analyser::Sentence& sentence, const theme::Format& format, int nameWidth);

} // namespace ui::shell
