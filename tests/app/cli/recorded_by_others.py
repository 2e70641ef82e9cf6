#!/usr/bin/env python3
"""Lets another program record a trace of itself, now, imports it and counts its events without any code of ours.

    recorded_by_others.py TILESCOPE_CLI FOLDER chromium|node

Exit code 77, with a line that says why: the program is not installed, or it cannot record here.
"""
import glob
import json
import os
import shutil
import subprocess
import sys
from collections import Counter, defaultdict

PAGE = "<script>let sum = 0; for (let i = 0; i < 1e6; i++) sum += i; document.title = sum</script>"
SCRIPT = "let sum = 0; for (let i = 0; i < 1e6; i++) sum += i; setTimeout(() => {}, 20)"
SKIPPED, LONGEST = 77, 120


def skip(why):
    print("skipped: " + why)
    sys.exit(SKIPPED)


def program(names):
    found = [path for path in map(shutil.which, names) if path]
    return found[0] if found else skip(names[0] + " is not installed")


def run(command, folder):
    try:
        ran = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        skip("%s did not end within %d s" % (command[0], LONGEST))
    return ran.stdout.decode(errors="replace")


def chromium(folder):
    name = program(["chromium", "chromium-browser", "google-chrome"])
    page, trace = os.path.join(folder, "page.html"), os.path.join(folder, "chromium.json")
    with open(page, "w") as file:
        file.write(PAGE)
    said = run([name, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + os.path.join(folder, "profile"),
                "--trace-startup=*", "--trace-startup-file=" + trace, "--trace-startup-duration=2",
                "--trace-startup-format=json", "--dump-dom", "file://" + os.path.abspath(page)], folder)
    return trace, said


def node(folder):
    name = program(["node", "nodejs"])
    said = run([name, "--trace-events-enabled", "--trace-event-categories", "v8,node,node.async_hooks", "-e", SCRIPT], folder)
    traces = glob.glob(os.path.join(folder, "node_trace.*.log"))
    return traces[0] if traces else "", said


def count(trace):
    """Expected output of tilescope-cli import --json, counted event by event."""
    with open(trace, encoding="utf-8", errors="replace") as file:
        content = json.load(file)
    events = content["traceEvents"] if isinstance(content, dict) else content
    kinds = Counter(event["ph"] for event in events)
    marks = defaultdict(list)
    for event in events:
        if event["ph"] in "BE":
            marks[event["pid"], event["tid"]].append(event)
    pairs = unclosed = unmatched = 0
    for thread in marks.values():
        open_slices = 0
        for event in sorted(thread, key=lambda e: e["ts"]):
            if event["ph"] == "B":
                open_slices += 1
            elif open_slices:
                open_slices, pairs = open_slices - 1, pairs + 1
            else:
                unmatched += 1
        unclosed += open_slices
    threads = {(e["pid"], e["tid"]) for e in events if e["ph"] in "XB"}
    return {"slices": kinds["X"] + pairs, "instants": kinds["i"] + kinds["I"] + kinds["R"], "counter_samples": kinds["C"],
            "threads": len(threads)}, {"unclosed_begins": unclosed, "unmatched_ends": unmatched}


def main():
    cli, folder, tool = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    trace, said = {"chromium": chromium, "node": node}[tool](folder)
    if not os.path.isfile(trace) or os.path.getsize(trace) == 0:
        skip("%s recorded nothing here: %s" % (tool, said.strip()[-300:]))
    wanted, odd = count(trace)
    out = subprocess.run([cli, "import", trace, "-o", os.path.join(folder, "out.tsr"), "--json"], stdout=subprocess.PIPE)
    if out.returncode != 0:
        sys.exit("the import failed")
    got = json.loads(out.stdout)
    mended = {name: got["mended"].get(name, 0) for name in odd}
    found = {name: got[name] for name in wanted}
    print("%s: %s, %s" % (tool, found, mended))
    if not wanted["slices"] or found != wanted or mended != odd:
        sys.exit("counted in the file: %s, %s" % (wanted, odd))
    shutil.rmtree(folder, ignore_errors=True)


main()
