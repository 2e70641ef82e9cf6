// Devices as programs use them: searched, attached, moved (C++), described.
#include "reports/core/error.h"
#include "simcore/graph/graph.h"
#include "simcore/run/device.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <optional>

using namespace simcore;
using run::Device;
using run::DevicePod;
using run::IpuModel;
using run::TargetType;
using tests::errorOf;
using tests::has;

class DeviceTest : public QObject {
  Q_OBJECT
private slots:
  void aPodHasDevicesOfEverySize() {
    const auto manager = DevicePod::createDeviceManager();
    QCOMPARE(manager.getNumDevices(), std::size_t(16 + 8 + 4 + 2 + 1));
    for (const int n : {1, 2, 4, 8, 16}) QCOMPARE(manager.getDevices(TargetType::Ipu, n).size(), std::size_t(16 / n));
    QVERIFY(manager.getDevices(TargetType::Ipu, 3).empty() && manager.getDevices(TargetType::Cpu, 1).empty());
    for (int id = 0; id < 31; ++id) QCOMPARE(manager.getDevice(id).getId(), id);
    QVERIFY(has(errorOf([&] { manager.getDevice(31); }), "31"));
    QCOMPARE(manager.getDevice(30).getTarget().tiles(), 16 * 1472);
    QCOMPARE(manager.getDevice(0).getTarget().tile.workers, 6);
  }

  void theFirstFreeOneIsTaken() {
    const auto attachOne = [](int ipus) -> std::optional<Device> {
      for (auto& d : DevicePod().getDevices(TargetType::Ipu, ipus))
        if (d.attach()) return std::move(d);
      return std::nullopt;
    };
    std::optional<Device> first = attachOne(1), second = attachOne(1), pair = attachOne(2);
    QCOMPARE(first->getId(), 0);
    QCOMPARE(second->getId(), 1);
    QCOMPARE(pair->getId(), 17); // IPUs 2 and 3
    QVERIFY(!attachOne(16));
    Device copy;
    copy = *pair;
    pair.reset();
    QVERIFY(copy.isAttached());
    QVERIFY(!DevicePod().getDevice(3).attach());
    copy.detach();
    QVERIFY(DevicePod().getDevice(3).attach()); // and gone at once
    first.reset();
    second.reset();
    QVERIFY(attachOne(16));
    QVERIFY(attachOne(16)); // the one before is gone
  }

  void modelsAndPartsOfThem() {
    IpuModel model;
    model.numIPUs = 2;
    model.tilesPerIPU = 20;
    const Device device = model.createDevice();
    QVERIFY(device.attach() && device.supportsRemoteBuffers());
    QCOMPARE(device.getTarget().tiles(), 40);
    QCOMPARE(graph::Graph(device.getTarget()).tiles(), int64_t(40));
    model.version = "ipu1";
    model.tilesPerIPU = 0;
    QCOMPARE(model.createDevice().getTarget().tilesPerIpu, 1216);
    QCOMPARE(DevicePod().getDevice(16).createVirtualDevice(100).getTarget().tiles(), 200);
    model.version = "ipu9";
    QVERIFY(has(errorOf([&] { model.createDevice(); }), "ipu9"));
    QVERIFY(has(errorOf([] { Device().attach(); }), "declared without a value"));
    QVERIFY(has(errorOf([&] { device.createVirtualDevice(21); }), "tile"));
    Device whole = DevicePod().getDevice(5), part = whole.createVirtualDevice(7);
    QVERIFY(part.attach() && whole.isAttached());
    whole = Device();
    QVERIFY(part.isAttached() && !DevicePod().getDevice(5).attach());
  }
};

TILESCOPE_TEST(DeviceTest)
#include "device_test.moc"
