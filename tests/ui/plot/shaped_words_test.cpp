#include "ui/plot/shaped_words.h"

#include "tests/support/test_main.h"
#include "ui/theme/theme.h"

#include <QFontMetrics>
#include <QImage>
#include <QPainter>
#include <QTest>

using ui::plot::ShapedWords;

class ShapedWordsTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;
  static constexpr int kHigh = 20;

  // The columns from the left that have ink.
  int drawn(ShapedWords& words, const QFont& font, int width, const QString& text) const {
    QImage image(400, kHigh, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setFont(font);
    words.draw(painter, QRect(0, 0, width, kHigh), text);
    for (int x = image.width(); x-- > 0;)
      for (int y = 0; y < kHigh; ++y)
        if (image.pixel(x, y) != qRgb(255, 255, 255)) return x + 1;
    return 0;
  }

private slots:
  void aTextIsShortenedOnceForAWidth() {
    int asked = 0;
    ShapedWords words([&](const QFontMetrics& metrics, const QString& text, int width) {
      ++asked;
      return metrics.elidedText(text, Qt::ElideRight, width);
    });
    const QFont font = m_theme.small();
    const QString text = "layer0/attention/query";
    const int whole = words.widthOf(text, font);
    QVERIFY(whole > 60);
    QVERIFY(drawn(words, font, whole, text) > whole - 8);
    QCOMPARE(asked, 0);
    QVERIFY(drawn(words, font, 48, text) <= 48);
    QVERIFY(drawn(words, font, 53, text) <= 48); // the same eight pixels
    QCOMPARE(asked, 1);
    QVERIFY(drawn(words, font, 56, text) <= 56);
    QCOMPARE(asked, 2);
  }

  void anotherFontIsShapedAnew() {
    ShapedWords words;
    QFont large = m_theme.small();
    large.setPointSizeF(2 * large.pointSizeF());
    const int small = words.widthOf("layer0", m_theme.small());
    QVERIFY(words.widthOf("layer0", large) > small + 10);
    QCOMPARE(words.widthOf("layer0", m_theme.small()), small);
  }
};

TILESCOPE_TEST(ShapedWordsTest)
#include "shaped_words_test.moc"
