// SCHEMA.md and the column lists in reports/rows say the same. To bring the page up to date after a change of the lists, run
// the test program with TILESCOPE_UPDATE_SCHEMA=1 and look at the difference.
#include "reports/sqlite/schema.h"
#include "reports/sqlite/sql_tables.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace reports;

namespace {

const char* const kPage = TILESCOPE_SOURCE_DIR "/reports/SCHEMA.md";

std::string readPage() {
  std::ifstream in(kPage, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Begin and end of the generated text between its two marks; 0, 0 if a mark is missing.
std::pair<std::size_t, std::size_t> madePart(const std::string& page, const std::string& what) {
  const auto begin = page.find("<!-- begin " + what);
  const auto lineEnd = page.find("-->\n", begin);
  const auto end = page.find("<!-- end " + what + " -->", lineEnd);
  if (begin == std::string::npos || lineEnd == std::string::npos || end == std::string::npos) return {0, 0};
  return {lineEnd + 4, end};
}

void compare(const std::string& what, const std::string& made) {
  std::string page = readPage();
  const auto [begin, end] = madePart(page, what);
  QVERIFY2(begin > 0, "SCHEMA.md has lost the marks of a made part");
  if (std::getenv("TILESCOPE_UPDATE_SCHEMA")) {
    page.replace(begin, end - begin, made);
    std::ofstream(kPage, std::ios::binary) << page;
    return;
  }
  QCOMPARE(QString::fromStdString(page.substr(begin, end - begin)), QString::fromStdString(made));
}

} // namespace

class SchemaDocTest : public QObject {
  Q_OBJECT
private slots:
  void storedTablesAreDocumented() { compare("tables", schemaMarkdown()); }
  void decodingTablesAreDocumented() { compare("sql tables", sqlTablesMarkdown()); }

  void identityIsDocumented() {
    const std::string page = readPage();
    QVERIFY(page.find("0x54534350") != std::string::npos);
    QCOMPARE(kApplicationId, 0x54534350);
    QVERIFY(page.find("Schema version: " + std::to_string(kSchemaVersion) + ".") != std::string::npos);
  }

  void everyTableAndColumnSaysWhatItMeans() {
    for (const auto& table : allTableTexts()) {
      QVERIFY2(table.meaning.size() >= 10, table.name.c_str());
      for (const auto& column : table.columns) QVERIFY2(column.meaning.size() >= 2, (table.name + "." + column.name).c_str());
    }
  }
};

TILESCOPE_TEST(SchemaDocTest)
#include "schema_doc_test.moc"
