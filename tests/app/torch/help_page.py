"""Runs the blocks of the help page "From PyTorch" as a reader would: writes its files, runs its commands.

    help_page.py TILESCOPE_CLI PAGE LIBRARY

Exits with 77 (skipped) if torch or onnx is not installed."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy  # noqa: F401
    import onnx  # noqa: F401
    import torch  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def main():
    program, page = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).read_text()
    blocks = re.findall(r"^```(python|sh)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 12, "the page has lost its blocks"
    with tempfile.TemporaryDirectory() as folder:
        bin_folder = pathlib.Path(folder) / "bin"
        bin_folder.mkdir()
        (bin_folder / "tilescope-cli").symlink_to(program)
        (bin_folder / "python3").symlink_to(sys.executable)
        packages = pathlib.Path(__file__).resolve().parents[3] / "app" / "python"
        environment = dict(os.environ, PATH=f"{bin_folder}:{os.environ['PATH']}", PYTHONPATH=str(packages), TILESCOPE_LIBRARY=sys.argv[3])
        for number, (kind, text) in enumerate(blocks):
            if kind == "python":
                name = "export.py" if number == 0 else text.split("\n", 1)[0].lstrip("# ")
                (pathlib.Path(folder) / name).write_text(text)
                continue
            print("$", text.strip(), flush=True)
            # 1 is the answer "they differ" of compare
            ended = subprocess.run(["sh", "-eu", "-c", text], cwd=folder, env=environment).returncode
            assert ended == 0 or (ended == 1 and "compare" in text), f"ended with {ended}"
        far = abs(numpy.load(f"{folder}/out/scores.npy") - numpy.load(f"{folder}/scores.npy")).max()
        assert far < 1e-5, f"scores differ by {far}"
        for written in ("poptorch.tsr", "out/training/profile.pop", "poptorch.html", "memory.svg"):
            assert os.path.getsize(f"{folder}/{written}") > 1000, f"{written} is not written"


main()
