#include "ui/theme/icons.h"

#include "ui/theme/theme.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

// The static library's resources are not linked without a reference to their name.
inline void initIconResources() { Q_INIT_RESOURCE(icons); }

namespace ui::theme {

namespace {

class TintedIconEngine : public QIconEngine {
public:
  TintedIconEngine(const Theme& theme, QString name, Tint tint) : m_theme(theme), m_name(std::move(name)), m_tint(tint) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    const int size = std::min(rect.width(), rect.height());
    const QPixmap image = iconPixmap(m_name, size, colour(mode), painter->device()->devicePixelRatioF());
    painter->drawPixmap(rect.center().x() - size / 2, rect.center().y() - size / 2, image);
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override {
    return iconPixmap(m_name, std::min(size.width(), size.height()), colour(mode), 1);
  }
  QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal scale) override {
    QPixmap image = iconPixmap(m_name, int(std::min(size.width(), size.height()) / scale), colour(mode), scale);
    return image;
  }
  QIconEngine* clone() const override { return new TintedIconEngine(m_theme, m_name, m_tint); }
  QSize actualSize(const QSize& size, QIcon::Mode, QIcon::State) override { return size; }
  bool isNull() override { return false; }

private:
  QColor colour(QIcon::Mode mode) const {
    return mode == QIcon::Disabled ? m_theme.tokens().disabled : tintColour(m_theme, m_tint);
  }
  const Theme& m_theme;
  QString m_name;
  Tint m_tint;
};

} // namespace

QColor tintColour(const Theme& theme, Tint tint) {
  const Tokens& t = theme.tokens();
  switch (tint) {
  case Tint::Text: return t.text;
  case Tint::Secondary: return t.secondary;
  case Tint::Accent: return t.accent;
  case Tint::Good: return t.good;
  case Tint::Warning: return t.warning;
  case Tint::Bad: return t.bad;
  case Tint::OnAccent: return t.accentText;
  }
  return t.text;
}

QIcon icon(const Theme& theme, const QString& name, Tint tint) { return QIcon(new TintedIconEngine(theme, name, tint)); }

QPixmap iconPixmap(const QString& name, int size, const QColor& colour, double devicePixelRatio) {
  initIconResources();
  const QString key = QStringLiteral("icon/%1/%2/%3/%4").arg(name).arg(size).arg(colour.name()).arg(devicePixelRatio);
  QPixmap image;
  if (QPixmapCache::find(key, &image)) return image;
  image = QPixmap(QSize(size, size) * devicePixelRatio);
  image.fill(Qt::transparent);
  QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
  if (file.open(QIODevice::ReadOnly)) {
    QByteArray svg = file.readAll();
    svg.replace("currentColor", colour.name().toLatin1());
    QSvgRenderer renderer(svg);
    QPainter painter(&image);
    renderer.render(&painter, QRectF(QPointF(), QSizeF(image.size())));
  }
  image.setDevicePixelRatio(devicePixelRatio);
  QPixmapCache::insert(key, image);
  return image;
}

} // namespace ui::theme
