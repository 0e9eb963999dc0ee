#!/usr/bin/env python3
"""Imports glTF files into Blender and looks for the moved clip: exit code 1 if a file has no action with `.world` in its name.

    python tools/check-blender.py FILE...

Needs the `bpy` module (pip install bpy). Prints one line per file.
"""

import sys

import bpy


def main(files):
    if not files:
        print("usage: check-blender.py FILE...", file=sys.stderr)
        return 2
    return 0 if all([check(file) for file in files]) else 1


def check(file):
    """Whether Blender imports `file` and has an action whose name holds `.world`."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    try:
        bpy.ops.import_scene.gltf(filepath=file)
    except Exception as error:  # Blender raises RuntimeError, and add-on code anything at all
        print(f"{file}: Blender cannot import it: {error}")
        return False
    actions = sorted(action.name for action in bpy.data.actions)
    found = any(".world" in name for name in actions)
    print(f"{file}: {len(bpy.data.objects)} objects, actions {actions}" + ("" if found else ": none has `.world` in its name"))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
