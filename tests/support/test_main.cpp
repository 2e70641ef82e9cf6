#include "tests/support/test_main.h"
#include "tests/support/temporary_folder.h"

#include <QCoreApplication>
#include <QTest>
#ifdef TILESCOPE_TEST_WIDGETS
#include <QApplication>
#endif

#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace tests {

namespace {
struct Entry {
  const char* name;
  std::function<QObject*()> make;
};
std::vector<Entry>& entries() {
  static std::vector<Entry> list;
  return list;
}

// Gives a test class its own folders for settings, runs and copies, so that it does not write to the user's folders.
class ClassHome {
public:
  ClassHome() {
    for (const char* place : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"})
      qputenv(place, (m_folder / place).c_str());
  }

private:
  TemporaryFolder m_folder;
};
} // namespace

int registerTest(const char* name, std::function<QObject*()> make) {
  entries().push_back({name, std::move(make)});
  return 0;
}

} // namespace tests

// Arguments are Qt Test's own; `--class NAME` runs one class only.
int main(int argc, char** argv) {
  qputenv("TILESCOPE_READER_NICE", "0"); // so that readers answer without delay beside other tests
#ifdef TILESCOPE_TEST_WIDGETS
  QApplication app(argc, argv);
#else
  QCoreApplication app(argc, argv);
#endif
  const char* only = nullptr;
  // On a termination signal, Qt's handler starts one debugger after another and never ends.
  char plainSignals[] = "-nocrashhandler";
  std::vector<char*> arguments{argv[0], plainSignals};
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--class") == 0 && i + 1 < argc)
      only = argv[++i];
    else
      arguments.push_back(argv[i]);
  }
  int failures = 0, run = 0;
  for (const auto& entry : tests::entries()) {
    if (only && std::strcmp(only, entry.name) != 0) continue;
    ++run;
    const tests::ClassHome home;
    const std::unique_ptr<QObject> test(entry.make());
    failures += QTest::qExec(test.get(), int(arguments.size()), arguments.data());
  }
  if (!run) {
    std::fprintf(stderr, "no test class ran\n");
    return 2;
  }
  return failures > 100 ? 100 : failures;
}
