"""Follows the help page on waits of the device as a reader would: its commands and its program.

    host_waits_page.py TILESCOPE_CLI PAGE PYTHON_FOLDER"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


def main():
    program, page, modules = sys.argv[1:]
    text = pathlib.Path(page).read_text(encoding="utf-8")
    script = re.search(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[1]
    commands = [shlex.split(line) for line in re.findall(r"^    (tilescope-cli .*)$", text, re.MULTILINE)]
    options = re.search(r"TILESCOPE_TRACE='([^']*)'", text)[1]
    assert len(commands) == 2, commands
    with tempfile.TemporaryDirectory() as folder:
        def cli(*words):
            return subprocess.run([program, *words], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout

        cli(*commands[0][1:])
        pathlib.Path(folder, "train.py").write_text(script)
        subprocess.run([sys.executable, "-B", "train.py"], cwd=folder, check=True,
                       env=dict(os.environ, TILESCOPE_TRACE=options, PYTHONPATH=modules))
        cli(*commands[1][1:])
        rows = json.loads(cli("query", "both.tsr", "--format", "json",
                              "SELECT r.run_id, r.end_tick - r.start_tick AS ns, run.cycles * 1e9 / machine.clock_hz AS own "
                              "FROM run_link r JOIN run ON run.id = r.run_id, machine"))
        assert len(rows) == 5, rows
        for row in rows:
            assert abs(row["ns"] - row["own"]) <= 1, row
        issues = cli("query", "both.tsr", "--format", "json", "SELECT message FROM report_issue WHERE message LIKE '%Engine::run%'")
        assert json.loads(issues) == [], issues
        said = cli("summary", "both.tsr")
        assert "The IPU waits" in said and "load batch" in said, said
        # The example that comes with the modules does the same by one command, which the page names.
        example = re.search(r"^    python3 (-m \w+)$", text, re.MULTILINE)[1].split()
        for _ in range(2):  # again: it replaces its files
            said = subprocess.run([sys.executable, "-B", *example], cwd=folder, check=True, stdout=subprocess.PIPE, text=True,
                                  env=dict(os.environ, TILESCOPE_CLI=program, PYTHONPATH=modules)).stdout
            assert "The IPU waits" in said and "“load batch”" in said, said
            assert "5 of 5 runs" in said, said
            assert pathlib.Path(folder, "host-waits", "both.tsr").exists()
        title = json.loads(cli("query", "host-waits/both.tsr", "--format", "json", "SELECT value FROM metadata WHERE key = 'title'"))
        assert title[0]["value"].startswith("MNIST"), title  # the workload stays the run's


main()
