"""Checks small inputs found outside of the project against their correct values: traces, models, training.

    outside.py TILESCOPE_CLI FOLDER

The folder is not part of the project. Exits with 77 (skipped) if it is absent."""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
from weights import array_in, weights_of

if len(sys.argv) < 3 or not pathlib.Path(sys.argv[2], "README.md").is_file():
    print("skipped: the folder of faults from outside is absent")
    sys.exit(77)
PROGRAM, FOLDER = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
SCRATCH = tempfile.TemporaryDirectory()
REPORT = str(pathlib.Path(SCRATCH.name, "r.tsr"))


def run(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=SCRATCH.name)
    return done.returncode, done.stdout, done.stderr


def each_key_once(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), pairs
    return dict(pairs)


class Trace:
    """An imported trace: the slices, counters, arrows and instants in its report."""

    def __init__(self, *names, options=()):
        code, out, err = run("import", *(FOLDER / name for name in names), "-o", REPORT, "--json", *options)
        assert code == 0, err
        self.counts = json.loads(out)

    def query(self, sql):
        code, out, err = run("query", REPORT, sql, "--json")
        assert code == 0, err
        return json.loads(out)

    def slices(self):
        return self.query(
            "SELECT s.name, s.start_tick AS start, s.duration_ticks AS duration, s.depth, t.name AS thread, p.name AS process, p.pid,"
            " (SELECT json FROM details WHERE id = s.ref) AS details FROM host_thread t JOIN host_process p ON p.id = t.process_id"
            " JOIN slice s ON s.track_id = t.track_id ORDER BY s.start_tick, s.depth")

    def named(self, name):
        return [s for s in self.slices() if s["name"] == name]

    def one(self, name):
        slices = self.named(name)
        assert len(slices) == 1, (name, self.slices())
        return slices[0]

    def details(self, name):
        return json.loads(self.one(name)["details"] or "{}", object_pairs_hook=each_key_once)

    def instants(self):
        return {i["name"]: json.loads(i["json"] or "{}") for i in self.query(
            "SELECT i.name, d.json FROM instant i LEFT JOIN details d ON d.id = i.details_id")}

    def arrows(self):
        """From what to what, by the names of slices and instants at both ends."""
        marks = {(i["track_id"], i["tick"]): i["name"] for i in self.query("SELECT track_id, tick, name FROM instant")}
        starts = {(s["track_id"], s["start_tick"]): s["name"] for s in self.query("SELECT track_id, start_tick, name FROM slice")}
        ends = []
        for f in self.query("SELECT * FROM flow"):
            ends.append(tuple((marks if f[end + "_instant"] else starts).get((f[end + "_track_id"], f[end + "_tick"]), "?")
                              for end in ("from", "to")))
        return sorted(ends)

    def values(self, graph):
        """A list of values for each series whose graph ends so."""
        series = {}
        for row in self.query("SELECT c.id, c.graph, v.value FROM counter_series c JOIN counter_sample v ON v.series_id = c.id"
                              " ORDER BY c.id, v.tick"):
            if row["graph"].endswith(graph):
                series.setdefault(row["id"], []).append(row["value"])
        return sorted(series.values())

    def durations(self):
        return sorted((s["name"], s["duration"]) for s in self.slices())


def b01():
    t = Trace("traces/b01-overlap-kernels.json")
    kernels = {s["name"]: s["duration"] for s in t.slices()}
    assert len(t.slices()) == 6 and len(t.query("SELECT from_slice FROM flow")) == 3
    assert (kernels["gemm_a"], kernels["gemm_b"], kernels["gemm_c"]) == (3776, 2500, 4000)
    assert t.named("gemm_c")[0]["depth"] == t.named("gemm_a")[0]["depth"]


def b20():
    slices = Trace("traces/b20-pdl-staircase.json.gz").slices()
    assert len(slices) == 5000 and sum(s["duration"] for s in slices) == 51_000_000
    assert len({s["depth"] for s in slices}) == 2


def b02():
    assert Trace("traces/b02-async-overlap.json").durations() == [("first", 3000), ("second", 3000), ("whole", 5000)]


def b18():
    d = {s["name"]: (s["start"], s["duration"]) for s in Trace("traces/b18-be-order.json").slices()}
    assert d["p"][1] == 10_000 and d["q"][1] == 10_000 and d["r"][1] == 4000 and d["zero"][1] == 0
    assert d["Event5"][1] == 50_000 and d["Event6"][1] == 64_000


def b06():
    t = Trace("traces/b06-durations.json")
    assert len(t.slices()) + sum(t.counts["mended"].values()) >= 9 and t.counts["mended"]


def b07():
    names = {s["name"] for s in Trace("traces/b07a-backslash.json").slices()}
    assert {r"torch\cuda\__init__.py(219): _lazy_init", r"C:\Users\x\new\model.py(3): f"} <= names


def b26():
    details = json.loads(Trace("traces/b26-args-nan.json").named("a")[0]["details"])
    assert details["w"] == 3


def b16():
    slices = {s["name"]: s["process"] for s in Trace("traces/b16-recycled-pid.json").slices()}
    assert "cargo" in slices["compile"] and "query-api" in slices["serve"]


def b21():
    series = Trace("traces/b21-bazel-counters.json").query("SELECT samples FROM counter_series")
    assert sum(s["samples"] for s in series) == 12


def p04():
    Trace("traces/p04-periods.txt")
    weights = {stack.rsplit(";", 1)[-1]: weight for stack, weight in folded().items()}
    assert weights["hot"] == 49 * weights["cold"], weights


def p05():
    names = {s["name"] for s in Trace("traces/p05-cpp-names.txt").slices()}
    assert len([n for n in names if "operator()" in n or "<" in n or "(" in n]) >= 1 and len(names) >= 3


def folded():
    """Weights of the stacks of the trace that was imported last."""
    code, out, err = run("export", REPORT, "--format", "folded")
    assert code == 0, err
    stacks = {}
    for line in out.splitlines():
        stack, weight = line.rsplit(" ", 1)
        stacks[stack] = int(weight)
    return stacks


def c1():
    reports = []
    for name in ("base", "other"):
        report = str(pathlib.Path(SCRATCH.name, name + ".tsr"))
        assert run("import", FOLDER / f"traces/c1-{name}.json", "-o", report)[0] == 0
        reports.append(report)
    code, out, err = run("compare", *reports)
    assert code == 0 and "8.25 %" in out, out + err


def b12():
    stacks = Trace("traces/b12-instant-stack.json").instants()
    assert stacks["hi"]["stack"] == ["a", "b", "c"] and stacks["hi2"]["stack"] == ["main", "work", "leaf"], stacks


def b15():
    t = Trace("traces/b15-args.json")
    a, both = t.details("alloc"), t.details("be")
    assert (a["ptr"], a["addr"], a["corr"]) == (18446744073709551615, 9223372036854775807, 9007199254740993), a
    assert both["02.z"] == 5 and both["02.z (begin)"] == 1 and both["01.a"] == 2 and both["end"] is True, both


def b22():
    t = Trace("traces/b22-devtools-cpu-profile.json")
    stacks = folded()
    assert t.counts["samples"] == 5 and stacks["main"] == 1_000_000 and stacks["main;parse"] == 1_500_000, stacks


def b23():
    t = Trace("traces/b23-node.cpuprofile")
    assert t.counts["samples"] == 5 and folded() == {"main": 1_000_000, "main;parse": 1_400_000}, folded()


def b24():
    t = Trace("traces/b24-clang-a.json", "traces/b24-clang-b.json", options=("--align", "absolute"))
    starts = [s["start"] for s in t.named("ExecuteCompiler")]
    assert len(starts) == 2 and starts[1] - starts[0] == 3_953_326_000, starts


def p03():
    t = Trace("traces/p03-no-time.txt")
    assert t.counts["samples"] == 2 and folded() == {"java;run;leaf": 1, "java;run;leaf2": 1}, folded()


def pf1():
    t = Trace("traces/pf1-flows-tree.pftrace")
    threads = {s["name"]: s["thread"] for s in t.slices()}
    assert threads["proc"] == "GPU queue > stream A" and threads["fin"] == "GPU queue > stream B", threads
    assert t.arrows() == [("gen", "proc"), ("proc", "fin"), ("second", "third")], t.arrows()


def pf5():
    threads = {s["name"]: s["thread"] for s in Trace("traces/pf5-two-parents.pftrace").slices()}
    assert threads == {"a1": "GPU 0 > stream", "b1": "GPU 1 > stream", "on parent": "GPU 0"}, threads


def f01():
    t = Trace("traces/f01-utf16le.txt")
    assert t.counts["samples"] == 7 and folded() == {"main;a;b": 3, "main;c": 4}, folded()


# ---- Perfetto: each takes the imported trace


def counter_cleared(t):
    assert t.values("thread_time") == [[1_000_000, 1_010_000, 2_000_000, 2_010_000]], t.values("thread_time")


def two_counters(t):
    assert t.values("") == [[1, 2], [1000, 1001]], t.values("")


def arrows(*wanted):
    def check(t):
        assert t.arrows() == sorted(wanted), t.arrows()

    return check


def legacy_async(t):
    load, write = t.one("load"), t.one("write")
    assert (load["duration"], load["pid"]) == (2000, 10) and (write["duration"], write["pid"]) == (7000, 20), (load, write)
    channels = {s["name"]: s["category"] for s in t.query("SELECT name, category FROM slice")}
    assert channels == {"load": "net", "write": "disk"}, channels


def typed_fields(t):
    log = t.instants()["log"]
    assert log["message"] == "disk full" and log["source"] == {"file": "foo.cc", "function": "Foo", "line": 12}, log
    assert t.details("with stack")["stack"] == ["main", "leaf (leaf.cc:42)"]
    task = t.details("task")
    assert task["posted_from"]["function"] == "Foo" and task["thread_duration_ns"] == 5000, task


def parent_tracks(t):
    rows = [r["name"] for r in t.query("SELECT name FROM host_thread ORDER BY sort_order, track_id")]
    rows = [r for r in rows if " > " in r]
    assert rows == ["device 0 > copy", "device 0 > compute", "device 1 > copy", "device 1 > compute"], rows


def two_machines(t):
    host, guest = t.one("on host"), t.one("in guest")
    assert (host["duration"], guest["duration"]) == (100, 750), (host, guest)
    assert host["pid"] == guest["pid"] == 5 and host["process"] != guest["process"], (host, guest)


def states(t):
    active, idle = t.one("active"), t.one("idle")
    assert active["duration"] == 2000 and idle["start"] - active["start"] == 2000 and active["thread"] == "power", (active, idle)


def own_threads(t):
    found = {s["name"]: (s["thread"], s["duration"]) for s in t.slices()}
    assert found == {"a": ("worker", 100), "b": ("reader", 750)}, found


def sched(t):
    first, second = t.named("worker")
    assert json.loads(first["details"]) == {"tid": 101, "priority": 120, "end_state": "D"}, first
    assert json.loads(second["details"])["end_state"] == "S" and t.one("step")["thread"] == "worker", second
    found = [(s["name"], s["duration"]) for s in t.slices() if s["thread"] == "states of worker"]
    assert found == [("Running", 1000), ("Uninterruptible sleep", 3000), ("Runnable", 100), ("Running", 900)], found


def duplicate_keys(t):
    have = t.details("a")
    assert have["status"] == "failed" and have["status (begin)"] == "started" and have["shape"]["dims"] == [2, 2], have


def trailing_comma(t):
    assert t.details("a") == {"k": 1} and t.counts["mended"]["details_mended"] == 1


def system_trace(t):
    assert t.one("a")["duration"] == 10_000 and t.one("worker")["thread"] == "CPU 0"


def thread_clock(t):
    assert t.details("mostly waiting") == {"thread_start_ns": 5_000_000, "thread_duration_ns": 20_000}
    facts = {f["key"]: f["value"] for f in t.query("SELECT key, value FROM metadata")}
    assert json.loads(facts["trace.metadata"])["cpuThrottling"] == 4 and "My App" in facts["trace.otherData"]


def two_sessions(t):
    rows = {s["name"]: s["thread"] for s in t.slices()}
    assert rows["on_cpu_func"].endswith("cpu-clock") and rows["fault_func"].endswith("page-faults"), rows


def atrace_tracks(t):
    assert ("load page", 100) in t.durations() and t.one("load page")["thread"] == "Requests" and "mark" in t.instants()
    assert ("x", 100) in t.durations() and t.counts["mended"] == {"unclosed_async": 1}, (t.durations(), t.counts)


def without_time(t):
    assert t.counts["mended"] == {"events_without_time": 1} and t.counts["duration_ns"] == 1000, t.counts


def all_packets(t):
    assert t.values("frequency") == [[1_800_000]] and t.values("counter 1") == [[5]] and not t.counts["mended"], t.counts


def descriptor_later(t):
    found = [(s["name"], s["thread"], s["duration"]) for s in t.slices()]
    assert found == [("a", "worker", 100), ("b", "worker", 100)], found


def perfetto(name, check):
    def test():
        check(Trace(f"perfetto/{name}"))

    test.__name__ = name
    return test


def durations(*wanted):
    def check(trace):
        have = trace.durations()
        for pair in wanted:
            assert pair in have, have

    return check


def refused(path, word):
    def test():
        code, out, err = run("import", FOLDER / path, "-o", REPORT)
        assert code == 2 and word in err and "folded stacks" not in err.split("(")[0], out + err

    test.__name__ = path
    return test


def passes(name, *options):
    def test():
        code, out, err = run("onnx-test", FOLDER / "models" / name, "--strict", *options)
        assert code == 0 and out.startswith("pass"), out + err

    test.__name__ = name
    return test


def runs(name, *options, note=""):
    def test():
        code, _, err = run("run", FOLDER / "models" / name, "-o", REPORT, *options)
        assert code == 0 and "NaN" not in err and note in err, err

    test.__name__ = f"run {name}"
    return test


def trains(folder, *options):
    def test():
        code, out, err = run("run", folder / "model.onnx", "--train", "--input", f"input={folder}/x.npy", "--input",
                             f"labels={folder}/y.npy", "--learning-rate", "0.5", "--iterations", "10", "-o", REPORT, "--json", "--save-model", "saved.onnx", *options)
        assert code == 0, err
        have, right = json.loads(out)["values"]["loss"], json.loads((folder / "torch_losses.json").read_text())
        assert len(have) == len(right) and max(abs(a - b) for a, b in zip(have, right)) < 1e-4, (have, right)
        saved, start = (weights_of(path.read_bytes()) for path in (pathlib.Path(SCRATCH.name, "saved.onnx"), folder / "model.onnx"))
        compared = 0
        with zipfile.ZipFile(folder / "after10.npz") as weights:
            for name in weights.namelist():
                wanted = array_in(weights.read(name))
                name = name.removesuffix(".npy")
                if wanted is None or name not in saved:
                    continue
                compared += 1
                # torch's export counted a batch of its own: the file starts with that, torch's ten steps started with 0 and 1.
                if name.endswith((".running_mean", ".running_var")):
                    before = 0 if name.endswith("mean") else 1
                    wanted = [w + 0.9**10 * (first - before) for w, first in zip(wanted, start[name])]
                worst = max(abs(a - b) for a, b in zip(saved[name], wanted))
                assert len(saved[name]) == len(wanted) and worst < 1e-3, (name, worst)
            assert compared >= len(weights.namelist()) / 2, (sorted(saved), weights.namelist())

    test.__name__ = folder.name
    return test


def train_logits_BNV():
    folder = FOLDER / "training/train_logits_BNV"
    losses = {}
    for key, options in (("labels", ("--input", f"labels={folder}/y.npy")), ("guess", ()), ("axis", ("--class-axis", "2"))):
        code, out, err = run("run", folder / "model.onnx", "--train", *options, "--learning-rate", "0.5", "--iterations", "3", "-o", REPORT,
                             "--json")
        assert code == 0, err
        assert ("note: classes are along dimension 2" in err) == (key == "guess"), (key, err)
        losses[key] = json.loads(out)["values"]["loss"]
    assert losses["guess"] == losses["axis"], losses
    assert abs(losses["labels"][0] - math.log(20)) < 1 and losses["labels"][2] < losses["labels"][0], losses # 20 classes, not 6


TESTS = [b01, b20, b02, b18, b06, b07, b12, b15, b26, b16, b21, b22, b23, b24, p03, p04, p05, pf1, pf5, f01, c1]
TESTS += [
    perfetto("01_incremental_counter_cleared.pftrace", counter_cleared),
    perfetto("03_counters_of_two_threads.pftrace", two_counters),
    perfetto("04_flow_to_instants.pftrace", arrows(("send", "received"))),
    perfetto("05_flow_inside_slice.pftrace", arrows(("enqueue", "dequeue"))),
    perfetto("06_legacy_bind_id_flow.pftrace", arrows(("send", "receive"))),
    perfetto("07_legacy_async_two_processes.pftrace", legacy_async),
    perfetto("08_thread_clock.json", thread_clock),
    perfetto("09_typed_fields.pftrace", typed_fields),
    perfetto("10_parent_tracks.pftrace", parent_tracks),
    perfetto("12_two_machines.pftrace", two_machines),
    perfetto("13_state_track.pftrace", states),
    perfetto("14_no_track_uuid.pftrace", own_threads),
    perfetto("16_sched.pftrace", sched),
    perfetto("17_duplicate_keys.pftrace", duplicate_keys),
    perfetto("18_json_trailing_comma_in_args.json", trailing_comma),
    perfetto("23_system_trace_events.json", system_trace),
    perfetto("24_systrace.txt", durations(("step", 100_000))),
    perfetto("26_cpuprofile.json", durations(("f", 2_000_000))),
    perfetto("30_two_perf_sessions.pftrace", two_sessions),
    perfetto("33_atrace_tracks.pftrace", atrace_tracks),
    perfetto("34_timestamp_delta_us.pftrace", durations(("a", 20_000), ("b", 100_000))),
    perfetto("35_no_timestamp.pftrace", without_time),
    perfetto("37_json_ts.json", durations(("a", 500_100))),
    perfetto("38_sequence_scoped_uuid.pftrace", durations(("a", 1000), ("b", 1000), ("c", 0))),
    perfetto("39_unknown_packet_not_counted.pftrace", all_packets),
    perfetto("40_step_phases.json", durations(("a", 5000))),
    perfetto("42_descriptor_after_events.pftrace", descriptor_later),
    perfetto("44_clock_snapshot_after.pftrace", durations(("a", 2000))),
    refused("perfetto/19_strace.txt", "is a log of strace"),
    perfetto("20_ninja_log.txt", durations(("obj/a.o", 1_200_000_000), ("obj/b.o", 2_200_000_000), ("app", 1_700_000_000))),
    refused("perfetto/21_meminfo.txt", "is a list of names and numbers"),
    refused("perfetto/25_gecko.json", "is a profile of the Firefox Profiler"),
    refused("perfetto/27_instruments.xml", "is a table of Instruments"),
    refused("perfetto/28_trace.zip", "is a zip archive"),
    refused("perfetto/41_simpleperf.trace", "is a file of simpleperf samples"),
]
TESTS += [passes(n) for n in ("attn_len_b1", "attn_len_b2h2", "attn_len_start", "attn_mask3", "mha_padding_1d", "mha_cross_bnsh",
                              "nms_after_filter", "script_while", "script_lstmcell_loop", "bf16_mlp")]
TESTS += [runs("script_while"), runs("hf_mask_fp16", "--precision", "fp16", note="largest number, 65504"), runs("o23_relu"), runs("o23_rms")]
for training in sorted((FOLDER / "training").glob("*/torch_losses.json")):
    frozen = ["--freeze", "b.*"] if training.parent.name == "train_frozen" else []
    TESTS.append(trains(training.parent, *frozen))
TESTS.append(train_logits_BNV)

failed = 0
for test in TESTS:
    try:
        test()
        print("pass", test.__name__)
    except (AssertionError, KeyError, IndexError, ValueError) as error:
        failed += 1
        print("FAIL", test.__name__, type(error).__name__, str(error)[:600])
print(f"{len(TESTS) - failed} passed, {failed} failed")
sys.exit(1 if failed else 0)
