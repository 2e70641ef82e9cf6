// Files on other computers: names that are refused, and copies from an sshd that the test starts on the loopback.
#include "app/cli/remote_file.h"
#include "reports/core/error.h"
#include "tests/app/cli/cli_runner.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QProcess>

#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <map>

using app::cli::parseRemote;

namespace {

// A port that was free a moment ago.
int freePort() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  int port = 0;
  if (bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
      getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0)
    port = ntohs(address.sin_port);
  close(socket);
  return port;
}

std::string contentOf(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

} // namespace

class RemoteFileTest : public QObject {
  Q_OBJECT
private slots:
  void names() {
    const auto place = parseRemote("ssh://ann@node-3.example:2222/data/a%20b.tsr");
    QCOMPARE(place.user, std::string("ann"));
    QCOMPARE(place.host, std::string("node-3.example"));
    QCOMPARE(place.port, 2222);
    QCOMPARE(place.path, std::string("/data/a b.tsr"));
    QCOMPARE(parseRemote("ssh://[fe80::1]/x").host, std::string("fe80::1"));
    QCOMPARE(parseRemote("ssh://[fe80::1]:22/x").text(), std::string("ssh://[fe80::1]:22/x"));
    QCOMPARE(parseRemote("ssh://host/~/x").path, std::string("/~/x"));
  }
  void hostileNamesAreRefused_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"ssh://-oProxyCommand=id/x",
                             "ssh://-l/x",
                             "ssh://a b/x",
                             "ssh://a;id/x",
                             "ssh://$(id)/x",
                             "ssh://`id`/x",
                             "ssh://a|b/x",
                             "ssh://a&b/x",
                             "ssh://a'b/x",
                             "ssh://a\"b/x",
                             "ssh://a\nb/x",
                             "ssh://a\\b/x",
                             "ssh:///x",
                             "ssh://host",
                             "ssh://-u@host/x",
                             "ssh://u v@host/x",
                             "ssh://@host/x",
                             "ssh://host:0/x",
                             "ssh://host:99999/x",
                             "ssh://host:/x",
                             "ssh://host:2x/x",
                             "ssh://host:-1/x",
                             "ssh://[::1/x",
                             "ssh://[-oX=y]/x",
                             "ssh://host/a%0ab",
                             "ssh://host/a%0",
                             "ssh://host/a\nget b",
                             "ssh://%2doX/x"})
      QTest::newRow(name) << QString::fromLatin1(name);
  }
  void hostileNamesAreRefused() {
    QFETCH(QString, name);
    QVERIFY_EXCEPTION_THROWN(parseRemote(name.toStdString()), reports::Error);
    tests::verifyFails(tests::cli({"summary", name.toStdString()}), "ssh://");
  }
  void quoting() { QCOMPARE(app::cli::quotedForSftp("/a b\"c\\d"), std::string("\"/a b\\\"c\\\\d\"")); }
  void listings() {
    const auto entries = app::cli::entriesOf("sftp> ls -ln \"/x\"\n"
                                             "drwxr-xr-x    2 0        0            4096 Nov 22 16:00 sub folder\n"
                                             "-rw-r--r--    1 1000     1000   8589934592 Jan  1  2024 big one.tsr\n"
                                             "prw-r--r--    1 0        0               0 Nov 22 16:00 pipe\n"
                                             "total rubbish\n",
                                             1'767'225'600); // 2026-01-01, 00:00 UTC
    QCOMPARE(entries.size(), std::size_t(2));
    QVERIFY(entries[0].isFolder && entries[0].name == "sub folder");
    QCOMPARE(entries[1].bytes, int64_t(8589934592));
    // A date without a year is the last such day; a date without a time has no time zone.
    QVERIFY2(entries[0].modifiedIso.starts_with("2025-11-2") && entries[0].modifiedIso.size() == 17 &&
                 entries[0].modifiedIso.ends_with('Z'),
             entries[0].modifiedIso.c_str());
    QCOMPARE(entries[1].modifiedIso, std::string("2024-01-01"));
    QCOMPARE(entries[1].name, std::string("big one.tsr"));
  }

  // The error is ssh's message, not sftp's "Connection closed". No network is needed: names below .invalid never resolve.
  void sshSaysWhyItFailed() {
    if (QProcess::execute("sh", {"-c", "command -v sftp ssh >/dev/null"}) != 0) QSKIP("sftp is not installed (openssh-client)");
    const tests::TemporaryFolder folder;
    qputenv("XDG_CACHE_HOME", (folder / "cache").c_str());
    const auto said = [](const std::string& host) { return tests::cli({"fetch", "ssh://" + host + "/~/", "--list"}).err; };
    const std::string unknown = said("nowhere.invalid"), refused = said("127.0.0.1:" + std::to_string(freePort()));
    QVERIFY2(unknown.find("Could not resolve hostname nowhere.invalid") != std::string::npos, unknown.c_str());
    QVERIFY2(refused.find("Connection refused") != std::string::npos, refused.c_str());
    QVERIFY2(unknown.find("Connection closed") == std::string::npos, unknown.c_str());
  }

  void copiesFromALoopback() {
    const QString sshd = QStringLiteral("/usr/sbin/sshd");
    if (!QFile::exists(sshd) || QProcess::execute("sh", {"-c", "command -v sftp ssh-keygen >/dev/null"}) != 0)
      QSKIP("sshd or sftp is not installed (openssh-server, openssh-client)");
    const tests::TinyReport report;
    const auto& folder = report.folder();
    const auto key = [&](const char* name) { return (folder / name).string(); };
    for (const char* name : {"host_key", "user_key"})
      QCOMPARE(QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-f", QString::fromStdString(key(name))}), 0);
    write(folder / "authorized", contentOf(key("user_key.pub")));
    const int port = freePort();
    write(folder / "sshd_config", "ListenAddress 127.0.0.1:" + std::to_string(port) + "\nHostKey " + key("host_key") +
                                      "\nAuthorizedKeysFile " + key("authorized") +
                                      "\nStrictModes no\nUsePAM no\nPidFile none\nPasswordAuthentication no\n"
                                      "KbdInteractiveAuthentication no\nSubsystem sftp internal-sftp\n");
    write(folder / "ssh_config", "Host *\n  IdentityFile " + key("user_key") + "\n  IdentitiesOnly yes\n  UserKnownHostsFile " +
                                     key("known") + "\n  StrictHostKeyChecking accept-new\n");
    QProcess server;
    server.setProcessChannelMode(QProcess::MergedChannels);
    server.start(sshd, {"-D", "-e", "-f", QString::fromStdString((folder / "sshd_config").string())});
    QByteArray words;
    while (server.waitForReadyRead(20000)) {
      words += server.readAll();
      if (words.contains("listening")) break;
    }
    if (!words.contains("listening")) QSKIP(("sshd cannot be started here: " + words.trimmed()).constData());
    qputenv("XDG_CACHE_HOME", (folder / "cache").c_str());
    qputenv("TILESCOPE_SSH_CONFIG", (folder / "ssh_config").c_str());
    const std::string base = "ssh://" + std::string(getpwuid(getuid())->pw_name) + "@127.0.0.1:" + std::to_string(port);

    std::filesystem::create_directory(folder / "far");
    const auto far = folder / "far" / "a [1]* 'it\" & b.bin";
    std::string bytes(3 << 20, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = char(i * 2654435761u >> 13);
    write(far, bytes);
    const auto age = [&] { // as if it had been written yesterday
      std::filesystem::last_write_time(far, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24));
    };
    age();
    const auto listed = tests::cli({"fetch", base + (folder / "far").string(), "--list"});
    QVERIFY2(listed.code == 0, listed.err.c_str());
    QVERIFY2(listed.out.find(std::to_string(bytes.size()) + "\t") == 0, listed.out.c_str());
    // JSON for programs: the address of an entry works for every file name.
    std::filesystem::create_directory(folder / "far" / "100% in");
    write(folder / "far" / "100% in" / "x.json", "[]");
    std::filesystem::create_symlink("100% in", folder / "far" / "link");
    const auto entries = [&](const std::string& place) {
      const auto ran = tests::cli({"fetch", place, "--list", "--json"});
      if (ran.code != 0) qWarning("%s", ran.err.c_str());
      std::map<std::string, nlohmann::json> byName;
      for (auto& entry : nlohmann::json::parse(ran.out)) byName[entry["name"]] = entry;
      return byName;
    };
    auto there = entries(base + (folder / "far").string());
    QCOMPARE(there.size(), std::size_t(3));
    QCOMPARE(there["100% in"]["kind"].get<std::string>(), std::string("folder"));
    QCOMPARE(there["link"]["kind"].get<std::string>(), std::string("link"));
    QCOMPARE(there[far.filename()]["kind"].get<std::string>(), std::string("file"));
    QCOMPARE(there[far.filename()]["bytes"].get<std::size_t>(), bytes.size());
    for (const char* way : {"100% in", "link"}) QCOMPARE(entries(there[way]["address"]).count("x.json"), std::size_t(1));
    auto inside = entries(there["100% in"]["address"]);
    const std::string address = inside["x.json"]["address"];
    QCOMPARE(address, base + (folder / "far" / "100%25%20in" / "x.json").string());
    QCOMPARE(entries(address)["x.json"]["address"].get<std::string>(), address); // a file is its own entry
    const auto fetched = tests::cli({"fetch", there[far.filename()]["address"]});
    QVERIFY2(fetched.code == 0, fetched.err.c_str());
    tests::verifyFails(tests::cli({"fetch", base + "/no/such/folder", "--list", "--json"}), "ssh://");
    const std::string name = base + far.string();
    const auto fetch = [&](std::vector<std::string> more) {
      more.insert(more.begin(), {"fetch", name});
      const auto ran = tests::cli(more);
      if (ran.code != 0) qWarning("%s", ran.err.c_str());
      return std::filesystem::path(ran.out.substr(0, ran.out.size() - 1));
    };
    const auto copy = fetch({});
    QCOMPARE(copy.filename(), far.filename());
    QVERIFY(contentOf(copy) == bytes);
    // The cached copy is used while the remote file is unchanged …
    std::string mine = bytes;
    mine[0] = 'M';
    write(copy, mine);
    QCOMPARE(fetch({}), copy);
    QVERIFY(contentOf(copy) == mine);
    // … and is replaced with --reload, or if the remote file has changed.
    fetch({"--reload"});
    QVERIFY(contentOf(copy) == bytes);
    write(far, bytes + "more");
    age();
    fetch({});
    QVERIFY(contentOf(copy) == bytes + "more");
    // An interrupted copy resumes at its end: its first byte is not copied again.
    std::filesystem::remove(copy);
    write(copy.parent_path() / "part", mine.substr(0, 1 << 20));
    fetch({});
    QVERIFY(contentOf(copy) == mine + "more");

    // A file written a moment ago may change again within the same minute, and its listing does not show that.
    write(far, "first");
    fetch({});
    QVERIFY(contentOf(copy) == "first");
    write(far, "other");
    fetch({});
    QVERIFY(contentOf(copy) == "other");
    // Several at once wait for each other.
    std::vector<std::future<std::filesystem::path>> together;
    for (int i = 0; i < 4; ++i)
      together.push_back(std::async(std::launch::async, [&] {
        reports::NoProgress quiet;
        const app::cli::RemoteFiles files(app::cli::RemoteFiles::usualCache(), (folder / "ssh_config").string());
        return files.fetch(parseRemote(name), false, quiet, {});
      }));
    for (auto& one : together) QCOMPARE(one.get(), copy);
    QVERIFY(contentOf(copy) == "other");
    // Names that the cache uses itself.
    for (const char* own : {"part", "state", "lock"}) {
      std::filesystem::copy_file(report.path(), folder / own);
      const auto read = tests::cli({"summary", base + (folder / own).string()});
      QVERIFY2(read.code == 0, read.err.c_str());
    }
    // A name that sftp would take for an option is a file of this name in the home folder, which is not there.
    tests::verifyFails(tests::cli({"fetch", base + "/~/-r"}), "-r");
    QVERIFY(!std::filesystem::exists("far"));

    // Every command takes such a name.
    const auto local = tests::cli({"summary", report.path().string()});
    const auto remote = tests::cli({"summary", base + report.path().string()});
    QVERIFY2(remote.code == 0, remote.err.c_str());
    QCOMPARE(remote.out.size() > 100, true);
    QCOMPARE(remote.code, local.code);
    tests::verifyFails(tests::cli({"export", report.path().string(), "--format", "chrome", "-o", base + "/x.json"}),
                       "not written");
    tests::verifyFails(tests::cli({"summary", base + "/no/such/file.tsr"}), "ssh://");
    tests::verifyFails(tests::cli({"summary", base + (folder / "far").string()}), "folder");
    server.terminate();
    server.waitForFinished();
  }
};

TILESCOPE_TEST(RemoteFileTest)
#include "remote_file_test.moc"
