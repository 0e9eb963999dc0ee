// The path of a body, in a colour that is not the body's, and not hidden by the land it follows.

import {
  BufferGeometry,
  Color,
  Group,
  Line,
  Line3,
  LineBasicMaterial,
  type Material,
  type Matrix4,
  type Mesh,
  type MeshStandardMaterial,
  Vector3,
} from 'three';
import { Line2 } from 'three/addons/lines/Line2.js';
import { LineGeometry } from 'three/addons/lines/LineGeometry.js';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { type Derived, vec3 } from '../derive';
import { color } from '../theme';

export interface PathLooks {
  /** How far the line may pass from the places it goes through, metres. */
  tolerance: number;
  /** How much nearer to the eye than it is the line counts, metres: between frames, and where the body is bent over a hilltop, its centroid
   *  is in the ground. */
  lift: number;
  /** Of a run that goes on: what takes it back to the one before, and of how many runs the path stays. */
  before?: { back: Matrix4; runs: number } | undefined;
}

/** The way of a body's centroid: the whole of it faint, what lies behind it strong. */
export class Path extends Group {
  private readonly past: Line2 | undefined;
  /** What lies behind of earlier runs, from the end of the last one backwards. */
  private readonly trail: Line2 | undefined;
  private readonly inks: (LineMaterial | LineBasicMaterial)[] = [];
  /** Frames the strong line goes through; the rest lie within the tolerance of it. */
  private readonly kept: number[];

  constructor(body: Derived, { tolerance, lift, before }: PathLooks) {
    super();
    const rows = body.track.centers.map((row) => new Vector3(...vec3(row)));
    this.kept = simplified(rows, tolerance);
    const places = this.kept.map((k) => rows[k] as Vector3);
    if (places.length < 2) return;
    const whole = new Line(
      new BufferGeometry().setFromPoints(rows),
      new LineBasicMaterial({ transparent: true, opacity: 0.5 }),
    );
    this.past = strong(places);
    const drawn = [whole, this.past];
    if (before) {
      this.trail = strong(earlier(places, before.back, before.runs));
      drawn.push(this.trail);
    }
    for (const line of drawn) {
      line.material.depthWrite = false;
      line.frustumCulled = false;
      line.renderOrder = 1; // before the ghosts, so that it shows through them
      if (lift > 0) raise(line.material, lift);
      this.inks.push(line.material);
    }
    this.add(...drawn);
    this.recolor();
  }

  recolor(): void {
    for (const ink of this.inks) ink.color.set(color('path'));
  }

  /** Shows what lies behind a frame, after so many runs. */
  update(frame: number, loops: number): void {
    if (!this.past) return;
    show(
      this.past,
      this.kept.findLastIndex((k) => k <= frame),
    );
    if (this.trail) show(this.trail, loops * (this.kept.length - 1));
  }
}

function strong(places: Vector3[]): Line2 {
  const line = new Line2(
    new LineGeometry().setPositions(places.flatMap((place) => place.toArray())),
    new LineMaterial({ linewidth: 3, transparent: true }),
  );
  line.userData.segments = places.length - 1;
  return line;
}

function show(line: Line2, segments: number): void {
  line.geometry.instanceCount = Math.min(segments, line.userData.segments as number);
  line.visible = segments > 0;
}

/** The places of earlier runs, the latest first. */
function earlier(places: Vector3[], back: Matrix4, runs: number): Vector3[] {
  const all = [...places].reverse().map((place) => place.clone().applyMatrix4(back));
  const run = all.slice(1);
  for (let k = 1; k < runs; k++) for (const place of run) all.push(place.applyMatrix4(back).clone());
  return all;
}

/** Lets a line count as nearer to the eye by some metres. */
function raise(material: Material, metres: number): void {
  const nearer = /* glsl */ `
    float ahead = -max(gl_Position.w - float(${metres}), 0.5 * gl_Position.w);
    gl_Position.z = (projectionMatrix[2][2] * ahead + projectionMatrix[3][2]) / -ahead * gl_Position.w;
  }`;
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace(/\}\s*$/, nearer);
  };
  material.customProgramCacheKey = () => `raised ${metres}`;
}

/** Colours a path may have, the usual one first; the stylesheet has them by these names. */
const INKS = { cool: '#0a62c2', warm: '#c8102e' } as const;
/** Colours that are nearer than this (OKLab, lightness counted half because light and shade change it) are taken for the same. */
const ALIKE = 0.16;

/** The ink that tells paths from bodies. */
export function inkBeside(bodies: Mesh[]): keyof typeof INKS {
  const looks = bodies.map((mesh) => lab(tintOf(mesh)));
  const nearest = (ink: string) => {
    const [l, a, b] = lab(new Color(ink));
    return looks.reduce((least, [L, A, B]) => Math.min(least, Math.hypot((l - L) / 2, a - A, b - B)), Infinity);
  };
  const [cool, warm] = [nearest(INKS.cool), nearest(INKS.warm)];
  return cool > ALIKE || cool >= warm ? 'cool' : 'warm';
}

/** The colour of a body: of its material and, on the mean, of its vertices. */
function tintOf(mesh: Mesh): Color {
  const tint = ([mesh.material].flat()[0] as MeshStandardMaterial).color?.clone() ?? new Color('grey');
  const colors = mesh.geometry.attributes.color;
  if (!colors) return tint;
  const mean = new Color(0, 0, 0);
  for (let i = 0; i < colors.count; i++) mean.add(new Color(colors.getX(i), colors.getY(i), colors.getZ(i)));
  return tint.multiply(mean.multiplyScalar(1 / colors.count));
}

/** OKLab of a colour (Ottosson 2020). */
function lab({ r, g, b }: Color): [number, number, number] {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Numbers of the points that a line needs to pass within `tolerance` of all; greedy, from each as far as it goes (at most 32). */
function simplified(points: Vector3[], tolerance: number): number[] {
  const kept = [0];
  const [line, nearest] = [new Line3(), new Vector3()];
  for (let from = 0, to = 2; to < points.length; to++) {
    line.set(points[from] as Vector3, points[to] as Vector3);
    const strays = points
      .slice(from + 1, to)
      .some((p) => line.closestPointToPoint(p, true, nearest).distanceTo(p) > tolerance);
    if (!strays && to - from < 32) continue;
    from = to - 1;
    kept.push(from);
  }
  if (points.length > 1) kept.push(points.length - 1);
  return kept;
}
