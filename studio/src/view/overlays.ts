// What can be laid over the moving model: arrows of velocity, momentum and net wrench, and ghosts. The path and colours by value have files of their own.

import {
  Color,
  Group,
  Mesh,
  type MeshBasicMaterial,
  MeshLambertMaterial,
  type MeshStandardMaterial,
  Vector3,
} from 'three';
import { at, type Derived, type Field, vec3, ZERO } from '../derive';
import { color } from '../theme';
import { Arrow, Curl, inkOf } from './arrows';
import type { Model } from './model';

export const ARROWS = ['velocity', 'momentum', 'wrench'] as const;
export type ArrowKind = (typeof ARROWS)[number];

/** Symbols beside the tips: of the linear and of the angular vector. */
const SYMBOLS: Record<ArrowKind, [string, string]> = { velocity: ['v', 'ω'], momentum: ['p', 'L'], wrench: ['F', 'τ'] };
/** Per kind, as parts of the body's size: thickness, longest arrow and largest curl over a run; then where a curl begins, radians. They
 *  differ so that arrows in the same direction do not hide each other. */
const LOOKS: Record<ArrowKind, { thickness: number; longest: number; widest: number; begin: number }> = {
  velocity: { thickness: 0.006, longest: 0.64, widest: 0.12, begin: 0 },
  momentum: { thickness: 0.01, longest: 0.5, widest: 0.16, begin: 2.1 },
  wrench: { thickness: 0.008, longest: 0.57, widest: 0.2, begin: 4.2 },
};

export interface Label {
  text: string;
  kind: ArrowKind;
  place: Vector3;
}

/** The three kinds of arrows of one body. */
export class BodyArrows extends Group {
  private readonly parts: Record<ArrowKind, { arrow: Arrow; curl: Curl; ink: MeshBasicMaterial }>;

  constructor(
    private readonly body: Derived,
    private readonly greatest: Record<ArrowKind, { linear: number; angular: number }>,
    private readonly size: number,
  ) {
    super();
    const part = (kind: ArrowKind) => {
      const ink = inkOf(color(kind));
      const { thickness, begin } = LOOKS[kind];
      return { arrow: new Arrow(ink, thickness * size), curl: new Curl(ink, thickness * 5, begin), ink };
    };
    this.parts = {
      velocity: part('velocity'),
      momentum: part('momentum'),
      wrench: part('wrench'),
    };
    for (const { arrow, curl } of Object.values(this.parts)) this.add(arrow, curl);
  }

  recolor(): void {
    for (const kind of ARROWS) this.parts[kind].ink.color.set(color(kind));
  }

  /** Places the arrows that are on at a time; returns their labels. */
  update(time: number, dt: number, on: ReadonlySet<string>): Label[] {
    const origin = new Vector3(...at(this.body.track.centers, time, dt));
    const labels: Label[] = [];
    for (const kind of ARROWS) {
      const { arrow, curl } = this.parts[kind];
      const field: Field = this.body[kind];
      const greatest = this.greatest[kind];
      const linear = new Vector3(...at(field.linear, time, dt));
      const angular = new Vector3(...at(field.angular, time, dt));
      const shown = on.has(kind);
      const part = (value: Vector3, most: number) => (shown && most > ZERO ? value.length() / most : 0);
      arrow.point(origin, linear, part(linear, greatest.linear) * LOOKS[kind].longest * this.size);
      curl.around(origin, angular, part(angular, greatest.angular) * LOOKS[kind].widest * this.size, 0.012 * this.size);
      const [straight, curled] = SYMBOLS[kind];
      if (arrow.visible) labels.push({ text: straight, kind, place: arrow.tip });
      if (curl.visible) labels.push({ text: curled, kind, place: curl.tip });
    }
    return labels;
  }
}

/** The greatest of each kind over all bodies: they share one scale. */
export function greatestOf(bodies: Derived[]): Record<ArrowKind, { linear: number; angular: number }> {
  const most = (kind: ArrowKind) => ({
    linear: Math.max(0, ...bodies.map((body) => body[kind].greatestLinear)),
    angular: Math.max(0, ...bodies.map((body) => body[kind].greatestAngular)),
  });
  return { velocity: most('velocity'), momentum: most('momentum'), wrench: most('wrench') };
}

/** How many ghosts: as many as the way has room for. */
export function ghostCount(body: Derived | undefined, size: number): number {
  const rows = body?.track.centers ?? [];
  const way = rows.reduce(
    (sum, row, k) => sum + (k ? new Vector3(...vec3(row)).distanceTo(new Vector3(...vec3(rows[k - 1] ?? []))) : 0),
    0,
  );
  return Math.min(Math.max(Math.round(way / (0.3 * size)) + 1, 3), 9);
}

/** Copies of the model at even times along the run, older ones fainter. */
export class Ghosts extends Group {
  constructor(model: Model, duration: number, count: number) {
    super();
    for (let i = 0; i < count; i++) {
      const opacity = 0.1 + (0.3 * i) / (count - 1);
      for (const { mesh, geometry } of model.frozen((duration * i) / (count - 1))) {
        geometry.computeVertexNormals();
        const { color: tint, map, side } = [mesh.material].flat()[0] as MeshStandardMaterial;
        const material = new MeshLambertMaterial({
          color: tint ?? new Color('grey'),
          map: map ?? null,
          vertexColors: Boolean(geometry.attributes.color),
          opacity,
          transparent: true,
        });
        material.side = side;
        const ghost = new Mesh(geometry, material);
        ghost.renderOrder = 2;
        this.add(ghost);
      }
    }
  }
}
