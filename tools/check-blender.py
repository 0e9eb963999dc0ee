#!/usr/bin/env python3
"""Imports moved glTF files into Blender and plays them as they open: exit code 1 if a file has no action with `.world` in its name, or
if what plays on opening does not move the node that carries the world motion.

    python tools/check-blender.py FILE...

Needs the `bpy` module (pip install bpy). Prints one line per file.
"""

import json
import pathlib
import sys

import bpy

# A body that is carried less far than this, in units of the file, and turned by less than this, radians, stands still.
STILL = 1e-9


def main(files):
    if not files:
        print("usage: check-blender.py FILE...", file=sys.stderr)
        return 2
    return 0 if all([check(file) for file in files]) else 1


def check(file):
    """Whether Blender imports `file`, has an action whose name holds `.world`, and plays it on opening."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    try:
        bpy.ops.import_scene.gltf(filepath=file)
    except Exception as error:  # Blender raises RuntimeError, and add-on code anything at all
        print(f"{file}: Blender cannot import it: {error}")
        return False
    actions = sorted(action.name for action in bpy.data.actions)
    if not any(".world" in name for name in actions):
        print(f"{file}: {len(bpy.data.objects)} objects, actions {actions}: none has `.world` in its name")
        return False
    carriers = carriers_of_the_motion()
    far = max((travel(carrier) for carrier in carriers), default=0.0)
    playing = sorted({action.name for action in active_actions()})
    found = (far > STILL or stands_still(file)) and any(".world" in name for name in playing)
    names = [name for _, name in carriers]
    print(
        f"{file}: {len(bpy.data.objects)} objects, actions {actions}; on opening {playing} move {names} by {far:.3g}"
        + ("" if found else ": the moved clip does not play")
    )
    return found


def stands_still(file):
    """Whether the summary beside the file says that the body neither travels nor turns, as a cube that only changes its size."""
    summary = pathlib.Path(file).with_suffix(".json")
    if not summary.exists():
        return False
    said = json.loads(summary.read_text())
    return max(map(abs, said["displacement"])) < STILL and abs(said["rotation_deg"]) < STILL


def carriers_of_the_motion():
    """The objects and bones that carry the motion: (object, name). Files that were built anew, as from motion capture, have it on the node of
    the body's name, which is an object without a parent or a first bone."""
    named = lambda name: name.split(".")[0].rstrip("0123456789") in ("world", "root")
    objects = [(thing, thing.name) for thing in bpy.data.objects]
    armatures = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    bones = [(thing, bone.name) for thing in armatures for bone in thing.pose.bones]
    found = [carrier for carrier in objects + bones if named(carrier[1])]
    tops = [(thing, thing.name) for thing in bpy.data.objects if thing.parent is None]
    first = [(thing, bone.name) for thing in armatures for bone in thing.pose.bones if bone.parent is None]
    return found or tops + first


def active_actions():
    """The actions that play when the file has just been opened: those assigned, and those of strips that are not muted."""
    things = list(bpy.data.objects) + [key for key in bpy.data.shape_keys]
    for thing in things:
        data = thing.animation_data
        if data is None:
            continue
        if data.action is not None:
            yield data.action
        for track in data.nla_tracks:
            if not track.mute:
                yield from (strip.action for strip in track.strips if strip.action is not None)


def travel(carrier):
    """How far the carrier goes or turns while what is active plays."""
    thing, name = carrier
    last = max((action.frame_range[1] for action in active_actions()), default=0.0)
    start, far = matrix(thing, name, 0), 0.0
    for i in range(1, 9):
        now = matrix(thing, name, int(round(last * i / 8)))
        far = max(far, (now.translation - start.translation).length)
        far = max(far, now.to_quaternion().rotation_difference(start.to_quaternion()).angle)
    return far


def matrix(thing, name, frame):
    """Where the object, or its bone of that name, is in `frame`."""
    bpy.context.scene.frame_set(frame)
    if thing.name == name:
        return thing.matrix_world.copy()
    return (thing.matrix_world @ thing.pose.bones[name].matrix).copy()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
