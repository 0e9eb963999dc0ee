// What follows from a track: velocity, momentum and net wrench at its centroid, frame by frame.
//
// Momentum and wrench are given about the world's origin; moved to the centroid c the linear part p stays and the angular part is L − c × p.

import type { Track, Vec } from './data';

export type Vec3 = [number, number, number];

/** An angular and a linear vector in the world frame, at the body's centroid, one pair a frame. */
export interface Field {
  angular: Vec3[];
  linear: Vec3[];
  /** Greatest length over the run. */
  greatestAngular: number;
  greatestLinear: number;
}

/** Below this a momentum, force or torque (SI) is rounding error of a quantity that is zero, and no arrow is drawn for it. */
export const ZERO = 1e-9;

export interface Derived {
  track: Track;
  velocity: Field;
  momentum: Field;
  wrench: Field;
}

export function derive(track: Track, dt: number): Derived {
  const centres = track.centers.map(vec3);
  const momenta = track.momenta.map((row) => [part(row, 0), part(row, 3)] as const);
  // The rate of rounding errors is no force.
  const still = momenta.every(([angular, linear]) => Math.max(length(angular), length(linear)) < ZERO);
  const given = track.wrenches?.map((row): Pair => [part(row, 0), part(row, 3)]);
  const zero = (): Pair => [
    [0, 0, 0],
    [0, 0, 0],
  ];
  const wrenches =
    given ?? (still ? momenta.map(zero) : zip(rate(momenta.map(first), dt), rate(momenta.map(second), dt)));
  const spin = track.twists.map((row, k) => rotate(track.rotations[k] ?? [0, 0, 0, 1], part(row, 0)));
  return {
    track,
    velocity: field(spin, rate(centres, dt)),
    momentum: about(centres, momenta),
    wrench: about(centres, wrenches),
  };
}

/** Time derivative: central differences, one-sided at the ends. */
export function rate(values: Vec3[], dt: number): Vec3[] {
  const last = values.length - 1;
  return values.map((_, k) => {
    const [from, to] = [Math.max(0, k - 1), Math.min(last, k + 1)];
    if (from === to) return [0, 0, 0];
    const [a, b] = [values[from] as Vec3, values[to] as Vec3];
    const scale = 1 / ((to - from) * dt);
    return [(b[0] - a[0]) * scale, (b[1] - a[1]) * scale, (b[2] - a[2]) * scale];
  });
}

export function length(v: Vec): number {
  return Math.hypot(v[0] ?? 0, v[1] ?? 0, v[2] ?? 0);
}

export function vec3(row: Vec): Vec3 {
  return part(row, 0);
}

/** Value at a time between frames, in between linearly. */
export function at(rows: Vec[], time: number, dt: number): Vec3 {
  const place = Math.min(Math.max(time / dt, 0), Math.max(0, rows.length - 1));
  const k = Math.floor(place);
  const [a, b, u] = [vec3(rows[k] ?? []), vec3(rows[k + 1] ?? rows[k] ?? []), place - k];
  return [a[0] + u * (b[0] - a[0]), a[1] + u * (b[1] - a[1]), a[2] + u * (b[2] - a[2])];
}

type Pair = readonly [Vec3, Vec3];
const first = (pair: Pair) => pair[0];
const second = (pair: Pair) => pair[1];
const zip = (a: Vec3[], b: Vec3[]): Pair[] => a.map((v, k) => [v, b[k] ?? [0, 0, 0]]);

function about(centres: Vec3[], pairs: Pair[]): Field {
  const angular = pairs.map(([turn, push], k): Vec3 => {
    const [x, y, z] = centres[k] ?? [0, 0, 0];
    return [
      turn[0] - (y * push[2] - z * push[1]),
      turn[1] - (z * push[0] - x * push[2]),
      turn[2] - (x * push[1] - y * push[0]),
    ];
  });
  return field(angular, pairs.map(second));
}

function field(angular: Vec3[], linear: Vec3[]): Field {
  const greatest = (rows: Vec3[]) => rows.reduce((most, v) => Math.max(most, length(v)), 0);
  return { angular, linear, greatestAngular: greatest(angular), greatestLinear: greatest(linear) };
}

function part(row: Vec, from: number): Vec3 {
  return [row[from] ?? 0, row[from + 1] ?? 0, row[from + 2] ?? 0];
}

/** v turned by the unit quaternion q: v + 2 q × (q × v + w v). */
function rotate(q: Vec, v: Vec3): Vec3 {
  const [x, y, z, w] = [q[0] ?? 0, q[1] ?? 0, q[2] ?? 0, q[3] ?? 1];
  const t: Vec3 = [y * v[2] - z * v[1] + w * v[0], z * v[0] - x * v[2] + w * v[1], x * v[1] - y * v[0] + w * v[2]];
  return [v[0] + 2 * (y * t[2] - z * t[1]), v[1] + 2 * (z * t[0] - x * t[2]), v[2] + 2 * (x * t[1] - y * t[0])];
}
