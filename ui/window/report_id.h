// The id of a report in links, the same on any computer: a hash of the report's metadata. Two runs differ at least in the time
// they were made.
#pragma once

#include <QString>

namespace analyser {
class Session;
}

namespace ui::shell {

QString reportId(const analyser::Session& session); // 12 hexadecimal digits

} // namespace ui::shell
