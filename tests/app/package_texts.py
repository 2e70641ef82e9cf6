"""What lintian says of the packages' texts, without building them.

    package_texts.py SOURCE_FOLDER

The lines of a description are shorter than 80 characters and none begins with a dot, which would be a command; each program that is
installed has a manual page; the library says what depends on it."""

import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])
text = (SOURCE / "resources/packaging/packaging.cmake").read_text()

descriptions = re.findall(r'^set\(CPACK_COMPONENT_(\w+)_DESCRIPTION "([^"]*)"\)', text, re.MULTILINE)
assert len(descriptions) == 6, [name for name, _ in descriptions]
for name, description in descriptions:
    for line in description.split("\n"):
        assert len(line) < 80 and not line.startswith("."), f"{name}: {line}"

pages = {page.stem for page in (SOURCE / "resources/man").glob("*.1")} | {"tilescope-cli"}  # which prints its own
programs = {name for line in re.findall(r"install\(TARGETS ([\w -]+) RUNTIME", text) for name in line.split()}
tools = re.search(r"foreach\(tool ([\w -]+)\)", text).group(1).split()
assert {"tilescope", "tilescope-cli", "tilescope-popc"} <= programs and len(tools) == 3, (programs, tools)
missing = (programs | {f"tilescope-{tool}" for tool in tools}) - pages
assert not missing, f"without a manual page: {missing}"

assert "CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA" in text and "activate-noawait ldconfig" in text
print(f"{len(descriptions)} descriptions, {len(pages)} pages")
