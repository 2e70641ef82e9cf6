#!/usr/bin/env python3
"""Reads the files of `tilescope-cli export` without any code of ours: Chrome JSON with json, Perfetto with a protobuf walker.

    read_exports.py TILESCOPE_CLI FOLDER [TRACE...]

Imports each TRACE, or one that is made up here, exports it in both formats and compares the two: every slice with its name, start and duration,
instants, counter values and flows must be the same. For the made-up trace they must also be what was written.
"""
import json
import os
import subprocess
import sys
from collections import Counter
from decimal import Decimal

NAME, TYPE, IID, UUID, COUNTER, FLOW, END_FLOW = 23, 9, 10, 11, 44, 47, 48
BEGIN, END, INSTANT, VALUE = 1, 2, 3, 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def fields(data):
    """(number, value) of a message: an int, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif kind == 5:
            value, at = int.from_bytes(data[at:at + 4], "little"), at + 4
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError("wire type %d at byte %d" % (kind, at))
        yield key >> 3, value
    if at != len(data):
        raise ValueError("a message ends within a field")


def double(bits):
    import struct
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def read_perfetto(path):
    with open(path, "rb") as file:
        data = file.read()
    names, slices, instants, values, flows, open_slices = {}, [], [], [], Counter(), {}
    for number, packet in fields(data):
        if number != 1:
            raise ValueError("field %d outside a packet" % number)
        parts = list(fields(packet))
        time = next((v for n, v in parts if n == 8), None)
        for n, interned in parts:
            if n == 12:
                for kind, entry in fields(interned):
                    if kind == 2:  # event names
                        entry = dict(fields(entry))
                        names[entry[1]] = entry[2].decode()
        for n, event in parts:
            if n != 11:
                continue
            event = list(fields(event))
            get = dict(event).get
            name = get(NAME).decode() if get(NAME) is not None else names.get(get(IID))
            track = get(UUID)
            for kind, value in event:
                if kind in (FLOW, END_FLOW):
                    flows[value] += 1
            if get(TYPE) == BEGIN:
                open_slices.setdefault(track, []).append((name, time))
            elif get(TYPE) == END:
                name, start = open_slices[track].pop()
                slices.append((name, start, time - start))
            elif get(TYPE) == INSTANT:
                instants.append((name, time))
            elif get(TYPE) == VALUE:
                values.append((time, double(get(COUNTER)) if get(COUNTER) is not None else float(get(30))))
    if any(open_slices.values()):
        raise ValueError("slices without an end")
    return sorted(slices), sorted(instants), sorted(values), sum(1 for ends in flows.values() if ends == 2)


def nanoseconds(micros):
    whole = Decimal(str(micros)) * 1000
    if whole != whole.to_integral_value():
        raise ValueError("a time is not a whole number of nanoseconds: %s" % micros)
    return int(whole)


def read_chrome(path):
    with open(path) as file:
        trace = json.load(file, parse_float=Decimal)
    slices, instants, values, flows, pairs = [], [], [], {}, {}
    for event in trace["traceEvents"]:
        kind = event["ph"]
        if kind == "X":
            slices.append((event["name"], nanoseconds(event["ts"]), nanoseconds(event["dur"])))
        elif kind == "b":
            pairs.setdefault((event["cat"], str(event["id"])), []).append(event)
        elif kind == "e":
            begin = pairs[(event["cat"], str(event["id"]))].pop()
            start = nanoseconds(begin["ts"])
            slices.append((begin["name"], start, nanoseconds(event["ts"]) - start))
        elif kind in "in":  # n: of asynchronous work
            instants.append((event["name"], nanoseconds(event["ts"])))
        elif kind == "C":
            values += [(nanoseconds(event["ts"]), float(value)) for value in event["args"].values()]
        elif kind in "sf":
            flows.setdefault((event["cat"], event["name"], str(event["id"])), set()).add(kind)
    return sorted(slices), sorted(instants), sorted(values), sum(1 for ends in flows.values() if len(ends) == 2)


def made_up(path):
    events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "host"}}]
    for i in range(400):
        tid = 1 + i % 3
        events.append({"ph": "X", "name": "outer %d" % (i % 7), "pid": 1, "tid": tid, "ts": 10 * i + 0.125, "dur": 9.5, "args": {"i": i}})
        events.append({"ph": "X", "name": "inner ä", "cat": "c", "pid": 1, "tid": tid, "ts": 10 * i + 1, "dur": 2})
        events.append({"ph": "C", "name": "memory", "pid": 1, "ts": 10 * i, "args": {"used": i * 1.5, "free": 400 - i}})
    for i in range(50):
        events.append({"ph": "i", "name": "mark", "pid": 1, "tid": 1, "ts": 80 * i + 2, "s": "t"})
        events.append({"ph": "s", "name": "f", "cat": "f", "id": i, "pid": 1, "tid": 1 + (i % 3), "ts": 10 * i + 1})
        events.append({"ph": "f", "bp": "e", "name": "f", "cat": "f", "id": i, "pid": 1, "tid": 1 + (i + 1) % 3, "ts": 10 * (i + 1) + 1})
    with open(path, "w") as file:
        json.dump({"traceEvents": events}, file)
    return 800, 50, 800, 50


def main():
    cli, folder, traces = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(folder, exist_ok=True)
    wanted = None
    if not traces:
        traces = [os.path.join(folder, "made_up.json")]
        wanted = made_up(traces[0])
    for trace in traces:
        report = os.path.join(folder, "report.tsr")
        subprocess.run([cli, "import", trace, "-o", report], check=True, stdout=subprocess.DEVNULL)
        read = {}
        for name, reader in (("chrome", read_chrome), ("perfetto", read_perfetto)):
            out = os.path.join(folder, "exported." + name)
            subprocess.run([cli, "export", report, "--format", name, "-o", out], check=True, stdout=subprocess.DEVNULL)
            read[name] = reader(out)
        counts = tuple(len(part) if isinstance(part, list) else part for part in read["chrome"])
        print(os.path.basename(trace), "slices %d, instants %d, counter values %d, flows %d" % counts)
        for part, a, b in zip(("slices", "instants", "counter values", "flows"), read["chrome"], read["perfetto"]):
            if a != b:
                differing = [x for x in zip(a, b) if x[0] != x[1]][:1] if isinstance(a, list) else (a, b)
                sys.exit("%s: %s differ between Chrome JSON and Perfetto: %s" % (trace, part, differing))
        if wanted is not None and counts != wanted:
            sys.exit("%s: wanted %s, read %s" % (trace, wanted, counts))


main()
