// What lies behind everything: the sky's gradient and the ground's grid. While the camera stands still they need not be drawn anew: without
// a graphics card they would cost more than the rest, so a picture of them is kept.

import {
  Camera,
  Color,
  GLSL3,
  Matrix4,
  Mesh,
  NearestFilter,
  type PerspectiveCamera,
  PlaneGeometry,
  RawShaderMaterial,
  Scene,
  Vector2,
  type WebGLRenderer,
  WebGLRenderTarget,
} from 'three';
import { color } from '../theme';

const VERTEX = /* glsl */ `
  in vec3 position;
  out vec2 place;
  void main() {
    place = position.xy * 0.5 + 0.5;
    gl_Position = vec4(position.xy, 1.0, 1.0);
  }`;

const SKY = /* glsl */ `
  precision highp float;
  in vec2 place;
  out vec4 ink;
  uniform vec3 top;
  uniform vec3 bottom;
  void main() { ink = vec4(mix(bottom, top, place.y), 1.0); }`;

const COPY = /* glsl */ `
  precision highp float;
  uniform sampler2D picture;
  out vec4 ink;
  void main() { ink = texelFetch(picture, ivec2(gl_FragCoord.xy), 0); }`;

export class Backdrop {
  /** The ground's grid goes in here. */
  readonly scene = new Scene();
  /** Whether to keep a picture. */
  keep = false;
  private readonly uniforms = { top: { value: new Color() }, bottom: { value: new Color() } };
  private readonly copy = new Scene();
  private readonly kept = new WebGLRenderTarget(1, 1, { samples: 4, depthBuffer: false, magFilter: NearestFilter });
  private readonly seenFrom = { view: new Matrix4(), projection: new Matrix4(), size: new Vector2() };
  private readonly noCamera = new Camera();
  private isFresh = false;

  constructor() {
    this.scene.add(screen(SKY, this.uniforms, -10));
    this.copy.add(screen(COPY, { picture: { value: this.kept.texture } }, 0));
    this.recolor();
  }

  recolor(): void {
    setRaw(this.uniforms.top.value, color('view-top'));
    setRaw(this.uniforms.bottom.value, color('view-bottom'));
    this.isFresh = false;
  }

  draw(renderer: WebGLRenderer, camera: PerspectiveCamera): void {
    if (!this.stands(renderer, camera) || !this.keep) {
      this.isFresh = false;
      renderer.render(this.scene, camera);
      return;
    }
    if (!this.isFresh) {
      this.kept.setSize(this.seenFrom.size.x, this.seenFrom.size.y);
      renderer.setRenderTarget(this.kept);
      renderer.render(this.scene, camera);
      renderer.setRenderTarget(null);
      this.isFresh = true;
    }
    renderer.render(this.copy, this.noCamera);
  }

  /** Whether the last picture was taken from the same place. */
  private stands(renderer: WebGLRenderer, camera: PerspectiveCamera): boolean {
    const { view, projection, size } = this.seenFrom;
    const now = renderer.getDrawingBufferSize(new Vector2());
    const same = view.equals(camera.matrixWorld) && projection.equals(camera.projectionMatrix) && size.equals(now);
    view.copy(camera.matrixWorld);
    projection.copy(camera.projectionMatrix);
    size.copy(now);
    return same;
  }
}

/** Colours of the backdrop are used as they are in the stylesheet: it is mixed as the page mixes. */
export function setRaw(to: Color, css: string): void {
  const { r, g, b } = new Color(css).convertLinearToSRGB();
  to.setRGB(r, g, b);
}

function screen(fragmentShader: string, uniforms: RawShaderMaterial['uniforms'], order: number): Mesh {
  const material = new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: VERTEX, fragmentShader, uniforms });
  material.depthTest = false;
  material.depthWrite = false;
  const mesh = new Mesh(new PlaneGeometry(2, 2), material);
  mesh.frustumCulled = false;
  mesh.renderOrder = order;
  return mesh;
}
