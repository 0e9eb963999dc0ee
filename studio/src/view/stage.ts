// Renderer and light. Quality adapts: when frames come slowly (no graphics card, a phone), shadows go first, then resolution; but only
// while something moves. A still picture is always drawn in full.

import {
  type Box3,
  DirectionalLight,
  HemisphereLight,
  NeutralToneMapping,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three';
import { theme } from '../theme';
import { Backdrop } from './backdrop';

/** Mean seconds a frame may take while playing before quality is lowered. */
const SLOW = 1 / 28;
/** It is measured over windows of at least so many frames and seconds. */
const WINDOW = { frames: 6, seconds: 0.5 };
/** Renderers that have no graphics card behind them. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

export class Stage {
  readonly scene = new Scene();
  readonly backdrop = new Backdrop();
  readonly camera = new PerspectiveCamera(36, 1, 0.01, 100);
  readonly renderer: WebGLRenderer;
  readonly kind: 'hardware' | 'software';
  /** While moving: 0 the best, 1 without shadows, 2 also at a lower resolution. */
  quality = 0;
  /** Whether the next picture is one of many: then quality counts for less than speed. */
  private moving = true;
  /** Frames drawn so far. */
  drawn = 0;
  private readonly sky = new HemisphereLight(0xffffff, 0x8a8f98, 1.5);
  private readonly sun = new DirectionalLight(0xffffff, 2.2);
  private readonly fill = new DirectionalLight(0xdfe8ff, 0.5);
  private readonly offset = new Vector3();
  private window = { frames: 0, seconds: 0 };

  /** Throws when the browser has no WebGL. */
  constructor(
    canvas: HTMLCanvasElement,
    private readonly onQuality: () => void,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: false, powerPreference: 'high-performance' });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.autoClear = false;
    this.renderer.debug.checkShaderErrors = import.meta.env.DEV; // asking makes the browser wait for each shader
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 3;
    this.scene.add(this.sky, this.sun, this.sun.target, this.fill, this.fill.target);
    this.kind = SOFTWARE.test(rendererName(this.renderer.getContext())) ? 'software' : 'hardware';
    if (this.kind === 'software') this.quality = 1;
    this.sun.castShadow = this.quality === 0;
    this.relight();
  }

  /** Whether shadows are drawn now. */
  get hasShadows(): boolean {
    return this.sun.castShadow;
  }

  /** Whether pictures follow one another now; it changes what is drawn when quality is low. */
  setMoving(moving: boolean): void {
    if (moving === this.moving) return;
    this.moving = moving;
    if (this.quality > 0) this.apply();
  }

  /** Lets the light and its shadows cover a sphere. */
  light(centre: Vector3, radius: number): void {
    this.offset.set(0.45, 1, 0.35).setLength(radius * 3);
    this.fill.position.set(-radius, radius * 0.6, -radius);
    const { camera } = this.sun.shadow;
    Object.assign(camera, {
      left: -radius,
      right: radius,
      top: radius,
      bottom: -radius,
      near: radius,
      far: radius * 5,
    });
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = radius * 0.003;
    this.lightAt(centre);
  }

  lightAt(centre: Vector3): void {
    this.sun.target.position.copy(centre);
    this.sun.position.copy(centre).add(this.offset);
  }

  relight(): void {
    const dark = theme() === 'dark';
    this.sky.intensity = dark ? 1.1 : 1.7;
    this.sun.intensity = dark ? 2.1 : 2.2;
    this.backdrop.recolor();
    this.renderer.toneMappingExposure = dark ? 0.95 : 1.05;
  }

  resize(width: number, height: number): void {
    const most = this.moving && this.quality >= 2 ? 0.75 : 2;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, most));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  render(): void {
    this.drawn += 1;
    this.camera.updateMatrixWorld();
    this.renderer.clear();
    this.backdrop.keep = this.moving && this.quality > 0;
    this.backdrop.draw(this.renderer, this.camera);
    this.renderer.render(this.scene, this.camera);
  }

  /** Takes note of how long a frame took while playing. */
  measure(seconds: number): void {
    if (this.quality >= 2 || seconds > 1) return;
    this.window.frames += 1;
    this.window.seconds += seconds;
    const { frames, seconds: total } = this.window;
    if (frames < WINDOW.frames || total < WINDOW.seconds) return;
    this.window = { frames: 0, seconds: 0 };
    if (total / frames <= SLOW) return;
    this.quality += 1;
    this.apply();
  }

  private apply(): void {
    this.sun.castShadow = !this.moving || this.quality === 0;
    this.onQuality();
  }
}

function rendererName(gl: WebGLRenderingContext | WebGL2RenderingContext): string {
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  return info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
}

export function sphereOf(box: Box3): { centre: Vector3; radius: number } {
  return { centre: box.getCenter(new Vector3()), radius: box.getSize(new Vector3()).length() / 2 };
}
