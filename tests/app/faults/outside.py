"""Checks small inputs found outside of the project against their correct values: traces, models, training.

    outside.py TILESCOPE_CLI FOLDER

The folder is not part of the project. Exits with 77 (skipped) if it is absent."""

import json
import pathlib
import subprocess
import sys
import tempfile

if len(sys.argv) < 3 or not pathlib.Path(sys.argv[2], "README.md").is_file():
    print("skipped: the folder of faults from outside is absent")
    sys.exit(77)
PROGRAM, FOLDER = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
SCRATCH = tempfile.TemporaryDirectory()
REPORT = str(pathlib.Path(SCRATCH.name, "r.tsr"))


def run(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=SCRATCH.name)
    return done.returncode, done.stdout, done.stderr


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
    code, out, _ = (Trace("traces/p04-periods.txt"), *run("export", REPORT, "--format", "folded"))[1:]
    weights = {line.rsplit(" ", 1)[0].rsplit(";", 1)[-1]: int(line.rsplit(" ", 1)[1]) for line in out.splitlines()}
    assert code == 0 and weights["hot"] == 49 * weights["cold"], weights


def p05():
    names = {s["name"] for s in Trace("traces/p05-cpp-names.txt").slices()}
    assert len([n for n in names if "operator()" in n or "<" in n or "(" in n]) >= 1 and len(names) >= 3


def c1():
    reports = []
    for name in ("base", "other"):
        report = str(pathlib.Path(SCRATCH.name, name + ".tsr"))
        assert run("import", FOLDER / f"traces/c1-{name}.json", "-o", report)[0] == 0
        reports.append(report)
    code, out, err = run("compare", *reports)
    assert code == 0 and "8.25 %" in out, out + err


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


def series(count):
    def check(trace):
        assert len(trace.query("SELECT id FROM counter_series")) == count

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


def runs(name, *options):
    def test():
        code, _, err = run("run", FOLDER / "models" / name, "-o", REPORT, *options)
        assert code == 0 and "NaN" not in err, err

    test.__name__ = f"run {name}"
    return test


def trains(folder, *options):
    def test():
        code, out, err = run("run", folder / "model.onnx", "--train", "--input", f"input={folder}/x.npy", "--input",
                             f"labels={folder}/y.npy", "--learning-rate", "0.5", "--iterations", "10", "-o", REPORT, "--json", *options)
        assert code == 0, err
        have, right = json.loads(out)["values"]["loss"], json.loads((folder / "torch_losses.json").read_text())
        assert len(have) == len(right) and max(abs(a - b) for a, b in zip(have, right)) < 1e-4, (have, right)

    test.__name__ = folder.name
    return test


TESTS = [b01, b20, b02, b18, b06, b07, b26, b16, b21, p04, p05, c1]
TESTS += [
    perfetto("03_counters_of_two_threads.pftrace", series(2)),
    perfetto("12_two_machines.pftrace", durations()),
    perfetto("14_no_track_uuid.pftrace", durations(("a", 100), ("b", 750))),
    perfetto("34_timestamp_delta_us.pftrace", durations(("a", 20_000), ("b", 100_000))),
    perfetto("42_descriptor_after_events.pftrace", durations(("a", 100), ("b", 100))),
    perfetto("44_clock_snapshot_after.pftrace", durations(("a", 2000))),
    refused("perfetto/19_strace.txt", "strace"),
    refused("perfetto/21_meminfo.txt", ""),
]
TESTS += [passes(n) for n in ("attn_len_b1", "attn_len_b2h2", "attn_len_start", "attn_mask3", "mha_padding_1d", "mha_cross_bnsh",
                              "nms_after_filter", "script_while", "script_lstmcell_loop", "bf16_mlp")]
TESTS += [runs("script_while"), runs("hf_mask_fp16", "--precision", "fp16"), runs("o23_relu"), runs("o23_rms")]
for training in sorted((FOLDER / "training").glob("*/torch_losses.json")):
    frozen = ["--freeze", "b.*"] if training.parent.name == "train_frozen" else []
    TESTS.append(trains(training.parent, *frozen))

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
