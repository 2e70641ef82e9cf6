// File dialogs that Qt shows itself have our icons, and columns as wide as names and dates.
#include "ui/theme/standard_dialogs.h"

#include "tests/support/test_main.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QInputDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QScreen>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace ui;

class StandardDialogsTest : public QObject {
  Q_OBJECT

private slots:
  void ofQtAreOurs() {
    theme::Theme theme;
    QObject owner;
    new theme::StandardDialogs(theme, &owner);
    QFileDialog dialog;
    dialog.setOption(QFileDialog::DontUseNativeDialog);
    dialog.show();
    QVERIFY(QTest::qWaitForWindowExposed(&dialog));
    const auto image = [](const QIcon& icon) { return icon.pixmap(16, 16).toImage(); };
    for (const auto& [button, name] :
         {std::pair("backButton", "back"), {"toParentButton", "up"}, {"newFolderButton", "folder-new"}}) {
      auto* tool = dialog.findChild<QToolButton*>(button);
      QVERIFY2(tool, button);
      QVERIFY2(!image(tool->icon()).isNull() && image(tool->icon()) == image(theme::icon(theme, name)), button);
    }
    for (const auto* button : dialog.findChild<QDialogButtonBox*>()->buttons()) QVERIFY(button->icon().isNull());
    QVERIFY(dialog.findChild<QTreeView*>("treeView")->header()->sectionSize(0) >= 300);
    QVERIFY(dialog.screen()->availableGeometry().contains(dialog.geometry().center()));
    QVERIFY(dialog.x() >= 0 && dialog.y() >= 0);
    // An icon that is not in the resources would be an empty image.
    for (const char* name : {"up", "folder-new", "icons", "rows"}) {
      const QImage drawn = theme::iconPixmap(name, 24, Qt::black, 1).toImage();
      bool hasInk = false;
      for (int y = 0; y < drawn.height() && !hasInk; ++y)
        for (int x = 0; x < drawn.width(); ++x) hasInk = hasInk || qAlpha(drawn.pixel(x, y)) > 0;
      QVERIFY2(hasInk, name);
    }
  }

  void aFieldShowsTheWholeName() {
    theme::Theme theme;
    QObject owner;
    new theme::StandardDialogs(theme, &owner);
    QInputDialog dialog;
    dialog.setLabelText("Name");
    dialog.setTextValue("mnist-train on Bow, with values, batch=32");
    dialog.show();
    QVERIFY(QTest::qWaitForWindowExposed(&dialog));
    const auto* field = dialog.findChild<QLineEdit*>();
    QVERIFY(field->width() > field->fontMetrics().horizontalAdvance(field->text()) + 2 * theme::kGrid);
  }
};

TILESCOPE_TEST(StandardDialogsTest)
#include "standard_dialogs_test.moc"
