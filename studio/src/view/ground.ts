// The ground: a grid whose cells suit the size of the motion, fading out with distance, and the shadows that fall on it.

import { type Box3, Color, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector2, Vector3 } from 'three';
import { round } from '../format';
import { color, theme } from '../theme';

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

  // How much of a pixel is covered by the lines of a grid; cells of less than a few pixels fade out.
  float lines(vec2 p, float size) {
    vec2 pixel = fwidth(p);
    vec2 toLine = abs(fract(p / size - 0.5) - 0.5) * size / pixel;
    vec2 cover = (1.0 - min(toLine, 1.0)) * (1.0 - smoothstep(0.15, 0.4, pixel / size));
    return max(cover.x, cover.y);
  }

  void main() {
    float fade = 1.0 - smoothstep(0.1, 1.0, length(place - centre) / radius);
    float ink = max(0.28 * lines(place, cell), 0.6 * lines(place, 5.0 * cell));
    gl_FragColor = vec4(mix(groundColor, lineColor, ink), fade * mix(0.55, 1.0, ink));
    #include <colorspace_fragment>
  }`;

export class Ground extends Group {
  /** Side of a small square, metres. */
  readonly cell: number;
  private readonly lineColor = new Color();
  private readonly groundColor = new Color();
  private readonly shadow = new ShadowMaterial({ opacity: 0.25 });

  constructor(box: Box3, size: number) {
    super();
    const extent = Math.max(box.getSize(new Vector3()).length(), size);
    const centre = box.getCenter(new Vector3());
    this.cell = round(Math.max(extent / 16, size / 8));
    const radius = 2.6 * extent;
    const ink = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: {
        lineColor: { value: this.lineColor },
        groundColor: { value: this.groundColor },
        centre: { value: new Vector2(centre.x, centre.z) },
        cell: { value: this.cell },
        radius: { value: radius },
      },
    });
    const plane = new PlaneGeometry(2 * radius, 2 * radius).rotateX(-Math.PI / 2);
    const [grid, shadow] = [new Mesh(plane, ink), new Mesh(plane, this.shadow)];
    grid.renderOrder = -2;
    shadow.renderOrder = -1;
    shadow.receiveShadow = true;
    this.shadow.depthWrite = false;
    this.add(grid, shadow);
    this.position.set(centre.x, box.min.y - 0.004 * size, centre.z);
    this.recolor();
  }

  recolor(): void {
    this.lineColor.set(color('grid'));
    this.groundColor.set(color('ground'));
    this.shadow.opacity = theme() === 'dark' ? 0.45 : 0.2;
  }

  showShadows(on: boolean): void {
    const shadow = this.children[1];
    if (shadow) shadow.visible = on;
  }
}
