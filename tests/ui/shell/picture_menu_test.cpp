#include "ui/shell/picture_menu.h"

#include "tests/support/test_main.h"
#include "ui/plot/histogram.h"
#include "ui/theme/theme.h"

#include <QImageReader>
#include <QTemporaryDir>
#include <QTest>
#include <QVBoxLayout>

using namespace ui::shell;

class PictureMenuTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;
  QTemporaryDir m_folder;

private slots:
  void aPlotIsFoundFromWhatLiesOnIt() {
    QWidget view;
    auto* plot = new ui::plot::Histogram(m_theme, "Tiles by memory used", &view);
    auto* inner = new QWidget(plot);
    auto* other = new QWidget(&view);
    QCOMPARE(pictured(inner, view), plot);
    QCOMPARE(pictured(plot, view), plot);
    QVERIFY(!pictured(other, view));
    QVERIFY(!pictured(nullptr, view));
  }

  void picturesAreWrittenInBothFormats() {
    ui::plot::Histogram plot(m_theme, "Tiles by memory used");
    plot.resize(300, 160);
    plot.setBars(ui::plot::histogramOf({1, 2, 2, 3, 9}, 1, 10), "tiles");
    const QString png = m_folder.filePath("a.png"), pdf = m_folder.filePath("a.pdf");
    QCOMPARE(writePicture(plot, png), QString());
    QCOMPARE(QImageReader(png).size(), QSize(600, 320) * plot.devicePixelRatioF());
    QCOMPARE(writePicture(plot, pdf), QString());
    QFile file(pdf);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.read(5) == "%PDF-" && file.size() > 1000);
    QVERIFY(writePicture(plot, m_folder.filePath("no such folder/a.png")).contains("no such folder"));
    QVERIFY(!writePicture(plot, m_folder.filePath("no such folder/a.pdf")).isEmpty());
  }

  void namesOfFilesArePlain() {
    QCOMPARE(pictureName("Memory per tile"), QString("memory-per-tile"));
    QCOMPARE(pictureName("Größe (B)"), QString("gr-e-b"));
    QCOMPARE(pictureName("…"), QString("picture"));
  }
};

TILESCOPE_TEST(PictureMenuTest)
#include "picture_menu_test.moc"
