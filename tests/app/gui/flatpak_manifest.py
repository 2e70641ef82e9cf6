"""The Flatpak manifest fits the project.

    flatpak_manifest.py SOURCE_FOLDER

Each library that a CMakeLists.txt looks for is a module or part of the runtime, each option for our module exists, each download has a
hash, and the program gets no more rights than it needs. flatpak-builder, if installed, reads it as well. Nothing is downloaded."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(sys.argv[1]).resolve()
FILE = SOURCE / "resources/packaging/flatpak/org.tilescope.Tilescope.json"

# What CMakeLists.txt calls a library: the module that builds it, or None for a part of the runtime and its compiler.
LIBRARIES = {
    "SQLite3": None, "ZLIB": None, "Threads": None, "OpenMP": None, "Qt6": None,
    "nlohmann_json": "nlohmann-json", "fmt": "fmt", "utf8cpp": "utfcpp", "re2": "re2", "CLI11": "cli11", "zstd": "zstd",
    "Protobuf": "protobuf", "onnx_proto": "onnx", "Eigen3": "eigen", "TBB": "onetbb", "dnnl": "onednn", "QCustomPlotQt6": "qcustomplot",
    "md": "libmd",
}
# May read files, be drawn by the desktop, and share memory with the X server.
RIGHTS = {"--share=ipc", "--socket=wayland", "--socket=fallback-x11", "--filesystem=host:ro"}


def libraries_of_cmake():
    found = {"md"}  # linked by its name
    for name in ("CMakeLists.txt", "reports/CMakeLists.txt", "simcore/CMakeLists.txt", "ui/CMakeLists.txt", "app/CMakeLists.txt"):
        text = re.sub(r"#.*", "", (SOURCE / name).read_text())
        found |= set(re.findall(r"find_package\((\w+)", text))
        found |= {library for library in re.findall(r"find_library\(\w+ (\S+)", text)}
    return found


def main():
    manifest = json.loads(FILE.read_text())
    assert manifest["id"] == FILE.stem and (SOURCE / f"resources/desktop/{manifest['id']}.desktop").exists(), manifest["id"]
    assert set(manifest["finish-args"]) == RIGHTS, manifest["finish-args"]
    modules = {module["name"]: module for module in manifest["modules"]}
    assert list(modules)[-1] == manifest["command"] == "tilescope"

    wanted = libraries_of_cmake()
    assert wanted <= set(LIBRARIES), f"the manifest does not know {wanted - set(LIBRARIES)}"
    assert set(LIBRARIES) <= wanted, f"nothing looks for {set(LIBRARIES) - wanted}"
    built = {module for module in LIBRARIES.values() if module}
    assert built == set(modules) - {"tilescope"}, built ^ (set(modules) - {"tilescope"})

    for name, module in modules.items():
        for source in module["sources"]:
            if source["type"] == "archive":
                assert source["url"].startswith("https://") and re.fullmatch(r"[0-9a-f]{64}", source["sha256"]), f"{name}: {source}"
            else:
                assert (FILE.parent / source["path"]).exists(), f"{name}: {source}"
    assert (FILE.parent / modules["tilescope"]["sources"][0]["path"]).resolve() == SOURCE
    options = set(re.findall(r"option\((TILESCOPE_\w+)", (SOURCE / "CMakeLists.txt").read_text()))
    for option in modules["tilescope"]["config-opts"]:
        name = option[2:].partition("=")[0]
        assert name in options or name.startswith("CMAKE_"), option

    if shutil.which("flatpak-builder"):
        subprocess.run(["flatpak-builder", "--show-manifest", FILE], check=True, stdout=subprocess.DEVNULL)
    else:
        print("skipped: flatpak-builder is not installed")
    print(f"{len(modules)} modules, {len(wanted)} libraries")


main()
