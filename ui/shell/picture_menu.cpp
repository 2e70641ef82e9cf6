#include "ui/shell/picture_menu.h"

#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QWidget>

namespace ui::shell {

namespace {

constexpr int kSharp = 2;            // pixels of a picture for one of the screen
constexpr int kPointsPerInch = 96;   // so that a PDF is as large as the widget
constexpr int kPdfResolution = 1200; // dots per inch

QPixmap pictureOf(QWidget& widget) {
  const double scale = widget.devicePixelRatioF() * kSharp;
  QPixmap picture((QSizeF(widget.size()) * scale).toSize());
  picture.setDevicePixelRatio(scale);
  picture.fill(widget.palette().color(QPalette::Window));
  widget.render(&picture);
  return picture;
}

bool writePdf(QWidget& widget, const QString& file) {
  QPdfWriter writer(file);
  writer.setResolution(kPdfResolution);
  writer.setPageMargins({});
  writer.setPageSize(QPageSize(QSizeF(widget.size()) / kPointsPerInch, QPageSize::Inch));
  QPainter painter;
  if (!painter.begin(&writer)) return false;
  painter.scale(double(kPdfResolution) / kPointsPerInch, double(kPdfResolution) / kPointsPerInch);
  widget.render(&painter);
  return painter.end();
}

} // namespace

QWidget* pictured(QWidget* widget, const QWidget& view) {
  for (; widget && widget != &view; widget = widget->parentWidget())
    if (widget->property(kPicture).toBool()) return widget;
  return nullptr;
}

QString pictureName(const QString& title) {
  static const QRegularExpression odd(QStringLiteral("[^a-z0-9]+"));
  QString name = title.toLower().replace(odd, QStringLiteral("-"));
  while (name.endsWith('-')) name.chop(1);
  return name.isEmpty() ? QStringLiteral("picture") : name;
}

QString writePicture(QWidget& widget, const QString& file) {
  const bool pdf = file.endsWith(QStringLiteral(".pdf"), Qt::CaseInsensitive);
  if (pdf ? writePdf(widget, file) : pictureOf(widget).save(file, "PNG")) return {};
  return QObject::tr("The picture could not be written to %1").arg(file);
}

QString savePicture(QWidget& widget, const QString& proposedName) {
  QString file = QFileDialog::getSaveFileName(&widget, QObject::tr("Save picture"), proposedName + QStringLiteral(".png"),
                                              QObject::tr("Pictures (*.png);;PDF (*.pdf)"));
  if (file.isEmpty()) return {};
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".png");
  return writePicture(widget, file);
}

void copyPicture(QWidget& widget) { QGuiApplication::clipboard()->setPixmap(pictureOf(widget)); }

} // namespace ui::shell
