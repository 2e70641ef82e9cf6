// The rail: every view has a name, an icon, a question, and opens.
#include "app/gui/view_list.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/theme/icons.h"

#include <QSet>
#include <QTest>

class ViewListTest : public QObject {
  Q_OBJECT

private slots:
  void rowsAreWholeAndOfOneKind() {
    QSet<QString> ids, titles;
    int section = -1;
    for (const ui::shell::ViewEntry& entry : app::gui::viewList()) {
      QVERIFY2(!entry.title.isEmpty() && !entry.question.isEmpty() && entry.factory, qPrintable(entry.id));
      QVERIFY2(!ids.contains(entry.id) && !titles.contains(entry.title), qPrintable(entry.id));
      ids << entry.id, titles << entry.title;
      QVERIFY2(!ui::theme::iconPixmap(entry.id, 20, Qt::black, 1).isNull(), qPrintable(entry.id));
      QVERIFY2(int(entry.section) >= section, "sections stand together");
      section = int(entry.section);
    }
    QVERIFY(ids.size() >= 13);
  }

  void everyViewOpensOnAReport() {
    for (const ui::shell::ViewEntry& entry : app::gui::viewList()) {
      tests::ViewWorld world;
      world.open(entry.id, entry.needs == ui::shell::Needs::Comparison ? world.session : nullptr);
      QVERIFY2(world.settle(), qPrintable(entry.id));
    }
  }
};

TILESCOPE_TEST(ViewListTest)
#include "view_list_test.moc"
