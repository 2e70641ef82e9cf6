"""The simulated pod as the command line tools of the field show a real one: gc-info, gc-monitor and gc-inventory.

The pod is that of simcore/run/device.h: 16 IPUs of the machine that TILESCOPE_MACHINE names (gc200), and the groups of 2, 4, 8 and 16
of them. What a simulated device does not have (temperature, power, serial numbers, utilisation) is N/A, as the tools write it. A
program that simulates does not lock devices of other programs, so no process is ever attached.
"""

import argparse
import csv
import json
import os
import sys

from . import _program
from ._program import ProgramError

POD_IPUS = 16
PARTITION = "simulated"
_ARCHITECTURES = {"gc2": "ipu1", "gc200": "ipu2", "bow": "ipu21", "c600": "ipu21"}
_BOARDS = {"gc2": ("C2", 2), "gc200": ("M2000", 4), "bow": ("BOW-2000", 4), "c600": ("C600", 1)}  # type, IPUs


class Pod:
    def __init__(self):
        name = os.environ.get("TILESCOPE_MACHINE") or "gc200"
        machines = {machine["name"]: machine for machine in json.loads(_program.output("machines", "--json"))}
        if name not in machines:
            raise ProgramError("TILESCOPE_MACHINE: unknown machine %s; known machines: %s" % (name, ", ".join(machines)))
        self.machine = machines[name]
        self.architecture = self.machine["architecture"]
        self.board, self.board_ipus = _BOARDS.get(self.architecture, ("simulated", 1))
        self.groups = [range(first, first + size) for size in (1, 2, 4, 8, 16) for first in range(0, POD_IPUS, size)]

    @property
    def clock(self):
        return "%dMHz" % round(self.machine["clock_hz"] / 1e6)

    @property
    def is_fabric(self):
        return self.board_ipus == 4

    def board_of(self, ipu):
        return "%s-%d" % (PARTITION, ipu // self.board_ipus)

    def ipu_on_board(self, ipu):
        return self.board_ipus - 1 - ipu % self.board_ipus

    def place(self, ipu):
        if self.is_fabric:
            return "IPU-M host: [%s], IPU#: [%d]" % (self.board_of(ipu), self.ipu_on_board(ipu))
        return "Board: [%s], IPU#: [%d]" % (self.board_of(ipu), self.ipu_on_board(ipu))

    @property
    def target(self):
        return "Fabric" if self.is_fabric else "PCIe"

    def device_lines(self, number):
        group = self.groups[number]
        if len(group) == 1:
            return ["-+- Id: [%d], target: [%s], %s" % (number, self.target, self.place(group[0]))]
        return ["-+- Id: [%d], target: [Multi IPU]" % number] + [
            " |--- Id: [%d], DNC Id: [%d], %s" % (ipu, i, self.place(ipu)) for i, ipu in enumerate(group)]

    def attributes(self, number):
        """The attributes of a device, as text."""
        group, machine = self.groups[number], self.machine
        found = {"id": number, "target": self.target if len(group) == 1 else "Multi IPU"}
        if len(group) == 1:
            found.update({"average board temp": "N/A", "average die temp": "N/A", "board ipu index": self.ipu_on_board(number),
                          "board serial number": "N/A"})
        else:
            found["num ipus"] = len(group)
        found.update({
            "board type": self.board, "clock": self.clock, "driver version": "N/A", "firmware version": "N/A",
            "ipu architecture": _ARCHITECTURES.get(self.architecture, "N/A"), "ipu error state": "no errors", "ipu power": "N/A",
            "ipu utilisation": "N/A", "ipu utilisation (session)": "N/A", "machine": machine["name"], "remote buffers": 1,
            "remote buffers supported": 1, "tile memory (bytes)": machine["memory_per_tile_bytes"],
            "tiles per ipu": machine["tiles_per_ipu"], "total board power": "N/A"})
        return {key: str(value) for key, value in found.items()}

    def cards(self):
        return [range(first, first + self.board_ipus) for first in range(0, POD_IPUS, self.board_ipus)]


def _parser(name, text):
    parser = argparse.ArgumentParser(prog=name, description=text + " (simulated by Tilescope)")
    parser.add_argument("--version", action="store_true", help="print the version of tilescope-cli")
    parser.add_argument("--all-partitions", action="store_true", help="accepted: there is one partition")
    return parser


def _version():
    print("Poplar version: %s" % _program.output("--version").strip())


def info(arguments):
    parser = _parser("gc-info", "lists devices and their attributes")
    parser.add_argument("-l", "--list-devices", action="store_true", help="all devices: single IPUs and groups")
    parser.add_argument("-a", "--list-all-devices", action="store_true", help="the same")
    parser.add_argument("-d", "--device-id", type=int, metavar="N", help="the device that -i is about (0)")
    parser.add_argument("-i", "--device-info", action="store_true", help="attributes of a device")
    parser.add_argument("--ipu-count", action="store_true", help="number of IPUs")
    parser.add_argument("--ipu-arch", action="store_true", help="architecture of the IPUs")
    parser.add_argument("--tile-clock-speed", action="store_true", help="clock of the tiles")
    options = parser.parse_args(arguments)
    if options.version:
        return _version()
    pod = Pod()
    number = options.device_id or 0
    if not 0 <= number < len(pod.groups):
        raise ProgramError("device %d does not exist: devices are 0 to %d" % (number, len(pod.groups) - 1))
    if options.ipu_count:
        print(POD_IPUS if options.device_id is None else len(pod.groups[number]))
    elif options.ipu_arch:
        print(pod.attributes(number)["ipu architecture"])
    elif options.tile_clock_speed:
        print(pod.clock)
    elif options.device_info:
        print("Device Info:")
        for key, value in pod.attributes(number).items():
            print("  %s: %s" % (key, value))
    elif options.list_devices or options.list_all_devices:
        print("Graphcore device listing:\nPartition: %s [active]" % PARTITION)
        for i in range(len(pod.groups)):
            print("\n".join(pod.device_lines(i)))
    else:
        parser.print_help()


def inventory(arguments):
    parser = _parser("gc-inventory", "attributes of all IPUs")
    parser.add_argument("-j", "--json", action="store_true", help="as a JSON object")
    options = parser.parse_args(arguments)
    if options.version:
        return _version()
    pod = Pod()
    devices = [pod.attributes(ipu) for ipu in range(POD_IPUS)]
    if options.json:
        print(json.dumps({"devices": devices}, indent=2))
        return
    for device in devices:
        print("Device:")
        for key, value in device.items():
            print("  %s: %s" % (key, value))


def _rule(widths):
    return "+%s+" % "+".join("-" * width for width in widths)


def _line(cells, widths):
    return "|%s|" % "|".join(cell.center(width) for cell, width in zip(cells, widths))


def _card_table(pod):
    names = ("IPU-M" if pod.is_fabric else "Card",
             "Serial", "IPU-M SW", "Server version", "ICU FW", "Type", "ID", "IPU#", "Routing")
    widths = (15, 20, 10, 16, 10, 10, 4, 6, 9)
    whole = [sum(widths) + len(widths) - 1]
    print(_rule(whole))
    print(_line(["gc-monitor   Partition: %s [active] has %d IPUs" % (PARTITION, POD_IPUS)], whole))
    print(_rule(widths))
    print(_line(names, widths))
    print(_rule(widths))
    for card in pod.cards():
        for ipu in card:
            print(_line((pod.board_of(ipu), "N/A", "N/A", "N/A", "N/A", pod.board, str(ipu), str(pod.ipu_on_board(ipu)),
                         "N/A"), widths))
        print(_rule(widths))


def _monitored(pod, ipu):
    return {"ID": str(ipu), "IPU#": str(pod.ipu_on_board(ipu)), "PID": "", "Command": "", "User": "", "Clock": pod.clock,
            "IPU utilisation": "N/A", "IPU utilisation session": "N/A", "IPU temp": "N/A", "Board temp": "N/A", "Power": "N/A"}


def monitor(arguments):
    parser = _parser("gc-monitor", "boards, their IPUs, and the processes that use them")
    parser.add_argument("--no-card-info", action="store_true", help="processes only")
    parser.add_argument("--csv", action="store_true", help="a line for each IPU, with a header")
    parser.add_argument("-j", "--json", action="store_true", help="a JSON object of cards and their IPUs")
    parser.add_argument("command", nargs="?", choices=["version"], help="the same as --version")
    options = parser.parse_args(arguments)
    if options.version or options.command:
        return _version()
    pod = Pod()
    if options.json:
        print(json.dumps({"cards": [{"IPU-M": pod.board_of(card[0]), "Serial": "N/A", "Type": pod.board,
                                     "ipus": [_monitored(pod, ipu) for ipu in card]} for card in pod.cards()]}, indent=2))
    elif options.csv:
        rows = [{"Card": pod.board_of(ipu), "Type": pod.board, **_monitored(pod, ipu)} for ipu in range(POD_IPUS)]
        writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        if not options.no_card_info:
            _card_table(pod)
        whole = [108]
        print(_rule(whole))
        print(_line(["No attached processes in partition %s" % PARTITION], whole))
        print(_rule(whole))


def run(tool):
    """Runs one of the tools with the arguments of this process."""
    try:
        tool(sys.argv[1:])
        sys.stdout.flush()
    except ProgramError as reason:
        sys.exit("%s: %s" % (os.path.basename(sys.argv[0]), reason))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
