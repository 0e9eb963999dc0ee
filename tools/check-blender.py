"""Imports glTF files into Blender (the `bpy` package) and prints their actions.

    pip install bpy
    python tools/check-blender.py FILE...

Exits with 1 if a file cannot be imported or has no action whose name contains `.world`.
"""

import sys

import bpy


def actions(path):
    """Names of the actions that the import of one file brings."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    return sorted(action.name for action in bpy.data.actions)


failed = False
for path in sys.argv[1:]:
    try:
        names = actions(path)
    except Exception as error:  # the add-on raises what it likes; all of it means the file does not open
        names = []
        print(f"{path}: {error}")
    ok = any(".world" in name for name in names)
    failed |= not ok
    print(f"{path}: {'ok' if ok else 'NO .world ACTION'}: {', '.join(names)}")
sys.exit(1 if failed else 0)
