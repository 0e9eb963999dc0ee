// Scenery: what is around the bodies, and what follows from it for ground and camera.

import { Box3, type Mesh, Raycaster, Vector3 } from 'three';
import { type Derived, vec3 } from '../derive';
import { sceneryKind } from './model';

/** How far beyond the motion scenery is still in view, as a part of the motion's longest side. */
const MARGIN: Record<string, number> = { obstacle: 0.35, food: 0.35, goal: 1 };
/** The same for what is too large to be in view whole: a long wall must not make the motion small. */
const CUT_OFF = 0.08;

/** Widens the box of the motion by the obstacles and goals near it, as far as they are near. */
export function withNearby(box: Box3, scenery: Mesh[]): void {
  const moved = box.clone();
  const side = Math.max(...moved.getSize(new Vector3()).toArray());
  for (const mesh of scenery) {
    const margin = MARGIN[sceneryKind(mesh) ?? ''];
    const part = new Box3().setFromObject(mesh);
    if (margin === undefined || part.isEmpty()) continue;
    const neighbourhood = moved.clone().expandByScalar(margin * side);
    if (!part.intersectsBox(neighbourhood)) continue;
    const whole = neighbourhood.containsBox(part);
    const cut = part.intersect(whole ? neighbourhood : moved.clone().expandByScalar(CUT_OFF * side));
    if (!cut.isEmpty()) box.union(cut);
  }
}

/** Land is no smaller than this part of the motion; what is smaller lies on the ground, or half in it. */
const LAND = 0.25;

/** Whether there is room for flat ground: land neither takes its place nor lies below it. */
export function flatGround(moved: Box3, scenery: Mesh[]): boolean {
  const slack = moved.getSize(new Vector3()).multiplyScalar(0.15);
  const extent = Math.max(moved.max.x - moved.min.x, moved.max.z - moved.min.z);
  return !scenery.some((mesh) => {
    if (sceneryKind(mesh) !== 'ground') return false;
    const { min, max } = new Box3().setFromObject(mesh);
    const under = (axis: 'x' | 'z') =>
      min[axis] <= moved.min[axis] + slack[axis] && max[axis] >= moved.max[axis] - slack[axis];
    const wide = Math.max(max.x - min.x, max.z - min.z) > LAND * extent;
    return (under('x') && under('z')) || (wide && min.y < moved.min.y - 1e-3 * slack.length());
  });
}

/** Whether there is land that bodies are on. */
export function hasLand(scenery: Mesh[]): boolean {
  return scenery.some((mesh) => sceneryKind(mesh) === 'ground');
}

/** The part of the bodies' ways that is in sight from a place. */
export function shareSeen(eye: Vector3, bodies: Derived[], scenery: Mesh[]): number {
  const solid = scenery.filter((mesh) => !['goal', 'water'].includes(sceneryKind(mesh) ?? ''));
  const triangles = solid.reduce((sum, mesh) => sum + (mesh.geometry.index?.count ?? 0) / 3, 0);
  if (!triangles) return 1;
  const rows = bodies.flatMap(({ track }) => track.centers);
  const stride = Math.max(1, Math.ceil(rows.length / Math.min(Math.max(3e5 / triangles, 5), 24)));
  const places = rows.filter((_, k) => k % stride === 0).map((row) => new Vector3(...vec3(row)));
  const caster = new Raycaster();
  const clear = places.filter((place) => {
    const ray = place.clone().sub(eye);
    caster.far = ray.length() * (1 - 1e-6);
    caster.set(eye, ray.normalize());
    return caster.intersectObjects(solid, false).length === 0;
  });
  return places.length ? clear.length / places.length : 1;
}
