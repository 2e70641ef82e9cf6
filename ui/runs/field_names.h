// Adapts texts of the command line to the window, where a field has the name of its option without the dashes.
#pragma once

#include <QString>

namespace analyser {
class Sentence;
}

namespace ui::shell {

// "with --accumulation 4" becomes "with accumulation 4".
QString withFieldNames(QString text);
analyser::Sentence fieldNamesIn(const analyser::Sentence& sentence);

} // namespace ui::shell
