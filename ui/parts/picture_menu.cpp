#include "ui/parts/picture_menu.h"

#include "ui/plot/frame.h"
#include "ui/plot/legend.h"
#include "ui/plot/picture_painter.h"
#include "ui/theme/save_dialog.h"
#include "ui/theme/theme.h"
#include "ui/theme/whole_file.h"

#include <QBuffer>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QGuiApplication>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSpinBox>
#include <QSvgGenerator>
#include <QTabWidget>

namespace ui::shell {

namespace {

constexpr int kSharp = 2;                    // image pixels per screen pixel
constexpr int kPointsPerInch = 96;           // so that a PDF is as large as the widget
constexpr int kPdfResolution = 1200;         // dots per inch
constexpr int kEdge = 12, kTitleHeight = 32; // pixels: margin of an image; height of its title
constexpr QSize kLeastPlot(64, 64);

// Switches to light colours for its lifetime.
class LightPose {
public:
  explicit LightPose(const Picture& picture)
      : m_theme(picture.paper && picture.paper->isDark() ? picture.paper : nullptr), m_widget(*picture.widget) {
    pose(true);
  }
  ~LightPose() { pose(false); }
  LightPose(const LightPose&) = delete;
  LightPose& operator=(const LightPose&) = delete;

private:
  void pose(bool light) {
    if (!m_theme) return;
    m_theme->poseLight(light);
    plot::repaintPlots(m_widget);
  }

  theme::Theme* m_theme;
  QWidget& m_widget;
};

// Prepares a plot for an image: without hover lines, and in the requested size. The destructor restores it.
class Posed {
public:
  explicit Posed(const Picture& picture) : m_picture(picture), m_light(picture), m_size(picture.widget->size()) {
    QEvent leave(QEvent::Leave);
    for (QWidget* widget : picture.widget->findChildren<QWidget*>() + QList<QWidget*>{picture.widget})
      QCoreApplication::sendEvent(widget, &leave);
    if (!picture.size.isValid()) return;
    m_least = picture.widget->minimumSize(), m_most = picture.widget->maximumSize();
    picture.widget->setMinimumSize(0, 0), picture.widget->setMaximumSize(QWIDGETSIZE_MAX, QWIDGETSIZE_MAX);
    const bool isFramed = !picture.title.isEmpty() || picture.legend;
    const int width = picture.size.width() - (isFramed ? 2 * kEdge : 0);
    int above = picture.title.isEmpty() ? 0 : kTitleHeight;
    if (picture.legend) {
      m_legend = picture.legend->size();
      const int high = picture.legend->hasHeightForWidth() ? picture.legend->heightForWidth(width) : m_legend.height();
      picture.legend->resize(width, high);
      above += high + kEdge;
    }
    // The requested size includes title and legend.
    resize(QSize(width, picture.size.height() - above - (isFramed ? 2 * kEdge : 0)).expandedTo(kLeastPlot));
  }
  ~Posed() {
    if (!m_picture.size.isValid()) return;
    m_picture.widget->setMinimumSize(m_least), m_picture.widget->setMaximumSize(m_most);
    resize(m_size);
    if (m_picture.legend) m_picture.legend->resize(m_legend);
  }
  Posed(const Posed&) = delete;
  Posed& operator=(const Posed&) = delete;

private:
  void resize(QSize size) {
    m_picture.widget->resize(size);
    plot::repaintPlots(*m_picture.widget);
  }

  const Picture& m_picture;
  LightPose m_light;
  QSize m_size, m_least, m_most, m_legend;
};

// The size of an image whose widgets already have their final size.
QSize sizeOf(const Picture& picture) {
  if (picture.title.isEmpty() && !picture.legend) return picture.widget->size();
  const int width = std::max(picture.widget->width(), picture.legend ? picture.legend->width() : 0) + 2 * kEdge;
  const int title = picture.title.isEmpty() ? 0 : kTitleHeight, legend = picture.legend ? picture.legend->height() + kEdge : 0;
  return {width, title + legend + picture.widget->height() + 2 * kEdge};
}

// A widget in a scroll area has a transparent background, and the pixels of a new image are uninitialised.
QPalette opaquePalette(const QWidget* widget) {
  for (; widget; widget = widget->parentWidget())
    if (widget->palette().color(QPalette::Base).alpha() == 255) return widget->palette();
  return QGuiApplication::palette();
}

void paintPicture(plot::PicturePainter& painter, const Picture& picture) {
  const QPalette colours = picture.paper ? picture.paper->palette() : opaquePalette(picture.widget);
  painter->fillRect(QRect(QPoint(), sizeOf(picture)), colours.color(QPalette::Base));
  if (picture.title.isEmpty() && !picture.legend) return painter.draw(*picture.widget);
  const int title = picture.title.isEmpty() ? 0 : kTitleHeight, legend = picture.legend ? picture.legend->height() + kEdge : 0;
  // The plot comes first: on a device without clipping, later parts cover what the plot paints outside its rectangle.
  const QRect place(QPoint(kEdge, kEdge + title + legend), picture.widget->size());
  painter->save();
  painter->translate(place.topLeft());
  painter.draw(*picture.widget);
  painter->restore();
  if (plot::ignoresClips(*painter))
    plot::fillAround(*painter, QRect(QPoint(), sizeOf(picture)), place, colours.color(QPalette::Base));
  painter->translate(kEdge, kEdge);
  if (title > 0) {
    QFont font = picture.widget->font();
    font.setBold(true);
    painter->setFont(font);
    painter->setPen(QPen(colours.color(QPalette::WindowText)));
    painter->drawText(QRect(0, 0, sizeOf(picture).width() - 2 * kEdge, kTitleHeight - kEdge / 2), Qt::AlignVCenter,
                      picture.title);
  }
  painter->translate(0, title);
  if (picture.legend) painter.draw(*picture.legend);
}

QPixmap pictureOf(const Picture& picture) {
  const double scale = picture.widget->devicePixelRatioF() * kSharp;
  QPixmap pixels((QSizeF(sizeOf(picture)) * scale).toSize());
  pixels.setDevicePixelRatio(scale);
  plot::PicturePainter::paintOn(pixels, false, [&](auto& painter) { paintPicture(painter, picture); });
  return pixels;
}

QByteArray pdfOf(const Picture& picture) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setResolution(kPdfResolution);
  writer.setPageMargins({});
  writer.setPageSize(QPageSize(QSizeF(sizeOf(picture)) / kPointsPerInch, QPageSize::Inch));
  writer.setTitle(picture.title);
  plot::PicturePainter::paintOn(writer, true, [&](auto& painter) {
    painter->scale(double(kPdfResolution) / kPointsPerInch, double(kPdfResolution) / kPointsPerInch);
    paintPicture(painter, picture);
  });
  return buffer.data();
}

QByteArray svgOf(const Picture& picture) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setResolution(kPointsPerInch);
  generator.setSize(sizeOf(picture));
  generator.setViewBox(QRect(QPoint(), sizeOf(picture)));
  generator.setTitle(picture.title.isEmpty() ? picture.widget->accessibleName() : picture.title);
  plot::PicturePainter::paintOn(generator, true, [&](auto& painter) { paintPicture(painter, picture); });
  return buffer.data();
}

QByteArray pngOf(const QPixmap& picture) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  picture.save(&buffer, "PNG");
  return buffer.data();
}

QString writePicture(const QString& file, const QByteArray& bytes) {
  const QString why = theme::writeWhole(file, bytes);
  return why.isEmpty() ? why : QObject::tr("The image could not be written to %1: %2").arg(file, why);
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

QString writePicture(const Picture& picture, const QString& file) {
  if (!picture.widget) return QObject::tr("The plot is no longer shown, so no image was written.");
  const QString ending = QFileInfo(file).suffix().toLower();
  const Posed posed(picture);
  if (ending == QLatin1String("png")) return writePicture(file, pngOf(pictureOf(picture)));
  if (ending == QLatin1String("svg")) return writePicture(file, svgOf(picture));
  if (ending == QLatin1String("pdf")) return writePicture(file, pdfOf(picture));
  return QObject::tr("An image cannot be written as .%1: choose a name that ends in .png, .svg or .pdf.").arg(ending);
}

QString writePicture(const QPixmap& picture, const QString& file) { return writePicture(file, pngOf(picture)); }

QString savePicture(const Picture& picture, const QString& proposedName) {
  if (!picture.widget) return {};
  QString file = theme::saveFileName(picture.widget->window(), QObject::tr("Save image"), proposedName + QStringLiteral(".png"),
                                     QObject::tr("PNG (*.png);;SVG (*.svg);;PDF (*.pdf)"));
  if (file.isEmpty()) return {};
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".png");
  return writePicture(picture, file);
}

void copyPicture(const Picture& picture) {
  if (!picture.widget) return;
  const Posed posed(picture);
  QGuiApplication::clipboard()->setPixmap(pictureOf(picture));
}

QSize askPictureSize(QWidget& widget) {
  constexpr int kLeastSize = 160, kMostSize = 8000; // pixels
  QDialog dialog(widget.window());
  dialog.setWindowTitle(QObject::tr("Size of the image"));
  auto* form = new QFormLayout(&dialog);
  const auto addField = [&](const QString& name, int value) {
    auto* field = new QSpinBox;
    field->setRange(kLeastSize, kMostSize);
    field->setValue(value);
    field->setSuffix(QObject::tr(" px"));
    form->addRow(name, field);
    return field;
  };
  const QSpinBox* width = addField(QObject::tr("Width"), widget.width());
  const QSpinBox* height = addField(QObject::tr("Height"), widget.height());
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel);
  QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  form->addRow(buttons);
  return dialog.exec() == QDialog::Accepted ? QSize(width->value(), height->value()) : QSize();
}

QWidget* legendOf(const QWidget& plot, const QWidget& view) {
  for (const QWidget* around = plot.parentWidget(); around && !qobject_cast<const QTabWidget*>(around);
       around = around->parentWidget()) {
    for (auto* legend : around->findChildren<plot::Legend*>())
      if (legend->isVisible() && legend->mapTo(&view, QPoint()).y() <= plot.mapTo(&view, QPoint()).y()) return legend;
    if (around == &view) break;
  }
  return nullptr;
}

} // namespace ui::shell
