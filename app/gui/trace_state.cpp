#include "app/gui/trace_state.h"

#include "reports/recording/recording_reader.h"

#include <QDateTime>
#include <QFileInfo>

#include <filesystem>

namespace app::gui {

quint64 traceState(const QString& file) {
  const QFileInfo info(file);
  return quint64(info.size()) * 0x9e3779b97f4a7c15u + quint64(info.lastModified().toMSecsSinceEpoch()) +
         reports::recordedBytes(std::filesystem::path(file.toStdString())) * 31;
}

} // namespace app::gui
