// Runs that are cycles: at the end of one the body has the shape it began with, elsewhere. Played again and again it goes on from there,
// carried along by the motion of a whole run, instead of hopping back.

import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Result } from '../data';
import { type Vec3, vec3 } from '../derive';
import type { Model } from './model';

/** How far the surface may be from closing, as a part of the body's size. */
const CLOSED = 0.02;
/** How far a run may rise or tip, as a part of its way and as a cosine: the ground goes along on the level only. */
const LEVEL = { rise: 0.1, tip: 0.9998 };
const UP = new Vector3(0, 1, 0);

export class Carry {
  private loops = 0;
  private readonly now = new Matrix4();

  private constructor(
    /** From where the body is at the start of a run to where it is at its end. */
    private readonly once: Matrix4,
    private readonly start: Vector3,
  ) {}

  /** How a result goes on; undefined if it is no cycle, or if there is something around the body that does not repeat. */
  static of(result: Result, model: Model | undefined, size: number): Carry | undefined {
    const [track, another] = result.tracks;
    if (!result.summary.cycle_transform || !model || model.scenery.length || !track || another) return undefined;
    const [from, to] = [poseAt(track, 0), poseAt(track, result.frames - 1)];
    if (!from || !to) return undefined;
    const once = to.multiply(from.invert());
    const start = new Vector3(...vec3(track.centers[0] ?? []));
    const way = start.clone().applyMatrix4(once).sub(start);
    if (Math.abs(way.y) > Math.max(LEVEL.rise * way.length(), CLOSED * size)) return undefined;
    if (UP.clone().transformDirection(once).y < LEVEL.tip) return undefined;
    return closes(model, once, (result.frames - 1) * result.dt, CLOSED * size) ? new Carry(once, start) : undefined;
  }

  /** What moves a run to where it is after so many others. */
  after(loops: number): Matrix4 {
    if (loops < this.loops) {
      this.now.identity();
      this.loops = 0;
    }
    for (; this.loops < loops; this.loops++) this.now.premultiply(this.once);
    return this.now;
  }

  /** What takes a run back to the one before. */
  get back(): Matrix4 {
    return this.once.clone().invert();
  }

  /** How far the ground and the eye of a bystander have gone along, `part` of the way through a run: not at all in the first, of which the
   *  whole is in view; then as fast as the body and, during the second, so much faster that it comes to the middle of the view. */
  drift(loops: number, part: number): Vector3 {
    if (loops === 0) return new Vector3();
    const begin = this.start.clone().applyMatrix4(this.after(loops));
    const end = begin.clone().applyMatrix4(this.once);
    const first = this.start.clone().applyMatrix4(this.once);
    const t = Math.min(loops - 1 + part, 1);
    const catchUp = first
      .clone()
      .sub(this.start)
      .multiplyScalar(0.5 * t * t * (3 - 2 * t));
    return begin.lerp(end, part).sub(first).add(catchUp).setY(0);
  }
}

function poseAt({ positions, rotations }: Result['tracks'][number], frame: number): Matrix4 | undefined {
  const [p, q] = [positions[frame], rotations[frame]];
  if (!p || !q) return undefined;
  const turn = new Quaternion(...([...vec3(q), q[3] ?? 1] as [...Vec3, number])).normalize();
  return new Matrix4().compose(new Vector3(...vec3(p)), turn, new Vector3(1, 1, 1));
}

/** Whether the surface at the end is that at the start, moved. */
function closes(model: Model, once: Matrix4, duration: number, tolerance: number): boolean {
  const [before, after] = [model.surfaces(0), model.surfaces(duration)];
  const [p, q] = [new Vector3(), new Vector3()];
  return before.every((places, k) => {
    const ends = after[k];
    if (ends?.length !== places.length) return false;
    for (let i = 0; i < places.length; i += 3) {
      if (!(p.fromArray(places, i).applyMatrix4(once).distanceTo(q.fromArray(ends, i)) <= tolerance)) return false;
    }
    return true;
  });
}
