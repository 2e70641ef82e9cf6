"""An example: what does a training script do while the IPU waits?

    python3 -m tilescope_host_waits [FOLDER]

simulates five runs of the sample mnist-train (device.tsr), records a training loop on this computer (host.tsrec), and lays both on
one time axis (both.tsr). The loop imitates a script: it loads a batch, runs the device, looks at the loss. Files of an earlier call
are replaced. Needs tilescope-cli in PATH, or its path in TILESCOPE_CLI.
"""

import os
import subprocess
import sys
import time

import tilescope_trace as trace

BATCHES = 5
_host = trace.Channel("host")


def load(batch):
    with trace.scope(_host, "load batch", {"batch": batch}):
        time.sleep(0.004)


def run(batch):
    with trace.scope(_host, "Engine::run", {"batch": batch}):
        time.sleep(0.001)


def look():
    with trace.scope(_host, "print loss"):
        time.sleep(0.001)


def train():
    for batch in range(BATCHES):
        load(batch)
        run(batch)
        look()


def main():
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and sys.argv[1].startswith("-")):
        sys.exit(__doc__.strip() if sys.argv[1] in ("-h", "--help") else "usage: python3 -m tilescope_host_waits [FOLDER]")
    folder = sys.argv[1] if len(sys.argv) == 2 else "host-waits"
    device, recording, both = (os.path.join(folder, name) for name in ("device.tsr", "host.tsrec", "both.tsr"))
    program = os.environ.get("TILESCOPE_CLI", "tilescope-cli")

    def cli(*words):
        print("$", "tilescope-cli", *words, flush=True)
        subprocess.run([program, *words], check=True)

    try:
        os.makedirs(folder, exist_ok=True)
        cli("run", "mnist-train", "--iterations", str(BATCHES), "-o", device)
        if os.path.exists(recording):
            os.remove(recording)
        print("records the training loop in", recording, flush=True)
        trace.start({"directory": folder, "file": "host.tsrec"})
        if not trace.is_recording():
            sys.exit("tilescope_host_waits: %s could not be written" % recording)
        train()
        trace.stop()
        cli("import", recording, "--device", device, "-o", both)
    except FileNotFoundError as reason:
        sys.exit("tilescope_host_waits: %s: not found; install tilescope-cli, or set TILESCOPE_CLI to its path" % reason.filename)
    except OSError as reason:
        sys.exit("tilescope_host_waits: %s" % reason)
    except subprocess.CalledProcessError as reason:
        sys.exit(reason.returncode)
    summary = subprocess.run([program, "summary", both], check=True, stdout=subprocess.PIPE, text=True).stdout
    print("\n" + "\n".join(line for line in summary.splitlines() if line.startswith("The IPU waits")))
    print("The window shows it on the page Host: tilescope", both)


if __name__ == "__main__":
    main()
