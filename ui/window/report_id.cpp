#include "ui/window/report_id.h"

#include "analyser/session/session.h"

#include <QByteArray>
#include <QCryptographicHash>

namespace ui::shell {

QString reportId(const analyser::Session& session) {
  QCryptographicHash hash(QCryptographicHash::Sha1);
  for (const auto& [key, value] : session.metadata()) {
    hash.addData(QByteArray::fromStdString(key) + '=' + QByteArray::fromStdString(value) + '\n');
  }
  return QString::fromLatin1(hash.result().toHex().left(12));
}

} // namespace ui::shell
