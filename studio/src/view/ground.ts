// The ground: a grid whose cells suit the size of the motion, fading out with distance, and the shadows that fall on it; and still water.

import {
  type Box3,
  CircleGeometry,
  Color,
  DoubleSide,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  ShaderMaterial,
  ShadowMaterial,
  Vector2,
  Vector3,
} from 'three';
import { round } from '../format';
import { color, theme } from '../theme';
import { setRaw } from './backdrop';

const VERTEX = /* glsl */ `
  varying vec2 place;
  void main() {
    vec4 world = modelMatrix * vec4(position, 1.0);
    place = world.xz;
    gl_Position = projectionMatrix * viewMatrix * world;
  }`;

const FRAGMENT = /* glsl */ `
  varying vec2 place;
  uniform vec3 lineColor;
  uniform vec3 groundColor;
  uniform vec2 centre;
  uniform float cell;
  uniform float radius;

  // How much of a pixel is covered by the lines of a grid with cells of size 1, at p; cells of less than a few pixels fade out.
  float lines(vec2 p, vec2 pixel) {
    vec2 cover = clamp(1.0 - abs(p - floor(p + 0.5)) / pixel, 0.0, 1.0) * clamp(1.6 - 4.0 * pixel, 0.0, 1.0);
    return max(cover.x, cover.y);
  }

  void main() {
    vec2 fromCentre = (place - centre) / radius;
    float fade = 1.0 - dot(fromCentre, fromCentre);
    if (fade <= 0.0) discard;
    vec2 p = place / cell;
    vec2 pixel = fwidth(p);
    float ink = max(0.28 * lines(p, pixel), 0.6 * lines(0.2 * p, 0.2 * pixel));
    gl_FragColor = vec4(mix(groundColor, lineColor, ink), fade * fade * (0.55 + 0.45 * ink));
  }`;

/** The blue-green that water has in the model too. */
const WATER = 0x1a6b80;

/** Still water around a motion: a round sheet that lets see what is below. */
export function waterAt(height: number, { centre, radius }: { centre: Vector3; radius: number }): Mesh {
  const look = { color: WATER, roughness: 0.15, transparent: true, opacity: 0.28, depthWrite: false, side: DoubleSide };
  const sheet = new Mesh(new CircleGeometry(2.5 * radius, 64).rotateX(-Math.PI / 2), new MeshStandardMaterial(look));
  sheet.position.set(centre.x, height, centre.z);
  return sheet;
}

export class Ground {
  /** Part of the backdrop. */
  readonly grid: Mesh;
  /** Part of the scene, where the light is. */
  readonly shadow: Mesh;
  /** Side of a small square, metres. */
  readonly cell: number;
  private readonly home = new Vector3();
  /** Around which it fades out. */
  private readonly centre = new Vector2();
  private readonly lineColor = new Color();
  private readonly groundColor = new Color();
  private readonly shade = new ShadowMaterial({ opacity: 0.25 });

  /** The ground under a motion; shadows fall on it within `shaded` metres of its middle, or anywhere if that is not given. */
  constructor(box: Box3, size: number, shaded?: number) {
    const extent = Math.max(box.getSize(new Vector3()).length(), size);
    const centre = box.getCenter(this.home);
    this.centre.set(centre.x, centre.z);
    this.cell = round(Math.max(extent / 16, size / 8));
    const radius = 2.6 * extent;
    const ink = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthTest: false,
      depthWrite: false,
      uniforms: {
        lineColor: { value: this.lineColor },
        groundColor: { value: this.groundColor },
        centre: { value: this.centre },
        cell: { value: this.cell },
        radius: { value: radius },
      },
    });
    const plane = (reach: number) => new PlaneGeometry(2 * reach, 2 * reach).rotateX(-Math.PI / 2);
    this.grid = new Mesh(plane(radius), ink);
    this.shadow = new Mesh(plane(shaded ?? radius), this.shade);
    this.shadow.renderOrder = -1;
    this.shadow.receiveShadow = true;
    this.shade.depthWrite = false;
    for (const mesh of [this.grid, this.shadow]) mesh.position.set(centre.x, box.min.y - 0.004 * size, centre.z);
    this.recolor();
  }

  /** Lets the ground reach as far around another place: the lines stay where they are. */
  moveBy(offset: Vector3): void {
    const { x, z } = this.home.clone().add(offset);
    this.centre.set(x, z);
    for (const mesh of [this.grid, this.shadow]) {
      mesh.position.x = x;
      mesh.position.z = z;
    }
  }

  recolor(): void {
    setRaw(this.lineColor, color('grid'));
    setRaw(this.groundColor, color('ground'));
    this.shade.opacity = theme() === 'dark' ? 0.45 : 0.2;
  }
}
