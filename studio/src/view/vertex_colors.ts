// Colours by value: each vertex of a mesh by what acts on it in the present frame. Dark to light, so that it reads without hue (viridis).

import { BufferAttribute, Color, type Material, Mesh, MeshLambertMaterial } from 'three';
import type { VertexColors } from '../data';
import type { Model } from './model';

const STOPS = ['#440154', '#3b528b', '#21918c', '#5ec962', '#fde725'].map((hex) => new Color(hex));

/** The scale as a CSS gradient, for the legend. */
export const GRADIENT = `linear-gradient(to right, ${STOPS.map((stop) => `#${stop.getHexString()}`).join(', ')})`;

export class ValueColors {
  private readonly meshes: { mesh: Mesh; plain: Material | Material[]; values: number[][] }[] = [];
  private readonly painted = new MeshLambertMaterial({ vertexColors: true });
  private on = false;

  constructor(
    model: Model,
    private readonly colors: VertexColors,
  ) {
    for (const { node, values } of colors.meshes) {
      model.node(node)?.traverse((object) => {
        const count = object instanceof Mesh ? object.geometry.attributes.position?.count : undefined;
        if (object instanceof Mesh && count && count === values[0]?.length) {
          this.meshes.push({ mesh: object, plain: object.material, values });
        }
      });
    }
  }

  show(on: boolean, frame: number): void {
    this.on = on;
    for (const { mesh, plain } of this.meshes) mesh.material = on ? this.painted : plain;
    this.update(frame);
  }

  update(frame: number): void {
    if (!this.on) return;
    const [low, high] = this.colors.range;
    const ink = new Color();
    for (const { mesh, values } of this.meshes) {
      const row = values[Math.min(frame, values.length - 1)] ?? [];
      const attribute = colorsOf(mesh, row.length);
      row.forEach((value, i) => {
        scale(ink, (value - low) / (high - low || 1));
        attribute.setXYZ(i, ink.r, ink.g, ink.b);
      });
      attribute.needsUpdate = true;
    }
  }
}

function colorsOf(mesh: Mesh, count: number): BufferAttribute {
  const existing = mesh.geometry.attributes.color;
  if (existing instanceof BufferAttribute && existing.name === 'value') return existing;
  const attribute = new BufferAttribute(new Float32Array(3 * count), 3);
  attribute.name = 'value';
  mesh.geometry.setAttribute('color', attribute);
  return attribute;
}

function scale(ink: Color, part: number): void {
  const place = Math.min(Math.max(part, 0), 1) * (STOPS.length - 1);
  const k = Math.min(Math.floor(place), STOPS.length - 2);
  ink.lerpColors(STOPS[k] as Color, STOPS[k + 1] as Color, place - k);
}
