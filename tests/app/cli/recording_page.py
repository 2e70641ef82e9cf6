"""Runs the examples of the help page on recording as a reader would, with the page's own value of TILESCOPE_TRACE.

    recording_page.py TILESCOPE_CLI PAGE PYTHON_FOLDER COMPILER HEADER_FOLDER LIBRARY"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def slices(program, recordings, folder):
    said = subprocess.run([program, "import", *recordings, "-o", f"{folder}/out.tsr", "--json"], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(said)["slices"]


def main():
    program, page, modules, compiler, headers, library = sys.argv[1:]
    text = pathlib.Path(page).read_text(encoding="utf-8")
    options = json.loads(re.search(r"TILESCOPE_TRACE='([^']*)'", text)[1])
    blocks = dict(re.findall(r"^```(cpp|python)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    with tempfile.TemporaryDirectory() as root:
        for kind, wanted in (("cpp", 1), ("python", 3)):  # load; epoch, load and __getitem__
            folder = pathlib.Path(root) / kind
            folder.mkdir()
            source = folder / f"example.{kind}"
            source.write_text(blocks[kind])
            command = [sys.executable, "-B", source]
            if kind == "cpp":
                command = [folder / "example"]
                subprocess.run([compiler, "-std=c++17", source, "-I", headers, library, "-pthread", "-o", command[0]], check=True)
            trace = json.dumps(dict(options, directory=str(folder)))
            subprocess.run(command, check=True, env=dict(os.environ, TILESCOPE_TRACE=trace, PYTHONPATH=modules))
            found = slices(program, [str(file) for file in folder.glob("*.tsrec")], folder)
            assert found == wanted, f"{kind}: {found} slices, not {wanted}"


main()
