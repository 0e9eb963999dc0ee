// Renderer and light. Quality adapts: when frames come slowly (no graphics card, a phone), shadows go first, then resolution.

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

/** A frame that takes longer than this, seconds, is slow. */
const SLOW = 1 / 28;
/** Frames measured before quality is lowered by a level. */
const PATIENCE = 12;

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(36, 1, 0.01, 100);
  readonly renderer: WebGLRenderer;
  /** 0 the best, 1 without shadows, 2 also at a lower resolution. */
  quality = 0;
  /** Frames drawn so far. */
  drawn = 0;
  private readonly sky = new HemisphereLight(0xffffff, 0x8a8f98, 1.5);
  private readonly sun = new DirectionalLight(0xffffff, 2.2);
  private readonly fill = new DirectionalLight(0xdfe8ff, 0.5);
  private readonly offset = new Vector3();
  private slow = 0;

  /** Throws when the browser has no WebGL. */
  constructor(
    canvas: HTMLCanvasElement,
    private readonly onQuality: () => void,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, powerPreference: 'high-performance' });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.setClearColor(0x000000, 0);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 3;
    this.scene.add(this.sky, this.sun, this.sun.target, this.fill, this.fill.target);
    this.relight();
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
    this.renderer.toneMappingExposure = dark ? 0.95 : 1.05;
  }

  resize(width: number, height: number): void {
    const most = this.quality >= 2 ? 0.75 : 2;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, most));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  render(): void {
    this.drawn += 1;
    this.renderer.render(this.scene, this.camera);
  }

  /** Takes note of how long a frame took while playing. */
  measure(seconds: number): void {
    if (this.quality >= 2 || seconds > 1) return;
    this.slow = seconds > SLOW ? this.slow + 1 : Math.max(0, this.slow - 2);
    if (this.slow < PATIENCE) return;
    this.slow = 0;
    this.quality += 1;
    if (this.quality === 1) this.sun.castShadow = false;
    this.onQuality();
  }
}

export function sphereOf(box: Box3): { centre: Vector3; radius: number } {
  return { centre: box.getCenter(new Vector3()), radius: box.getSize(new Vector3()).length() / 2 };
}
