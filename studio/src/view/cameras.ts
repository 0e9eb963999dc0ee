// Three ways to look: orbit around the motion, follow the body, or fly freely.

import { type Box3, Euler, MathUtils, type PerspectiveCamera, Spherical, Vector3 } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { reducedMotion } from '../theme';

export const MODES = ['orbit', 'follow', 'free'] as const;
export type Mode = (typeof MODES)[number];

/** Seconds a glide from one view to another takes. */
const GLIDE = 0.35;
const MOVES: Record<string, [number, number, number]> = {
  w: [0, 0, -1],
  s: [0, 0, 1],
  a: [-1, 0, 0],
  d: [1, 0, 0],
  q: [0, -1, 0],
  e: [0, 1, 0],
};

export class Cameras {
  mode: Mode = 'orbit';
  private readonly controls: OrbitControls;
  private readonly centre = new Vector3();
  /** How far the motion as a whole has gone on. */
  private readonly carried = new Vector3();
  private readonly held = new Set<string>();
  private glide: { position: Vector3; target: Vector3; done: number } | undefined;
  private box: Box3 | undefined;
  private size = 1;
  /** From where the motion is seen at first: unit vector from its middle. */
  private direction = new Vector3(0.3, 0.6, 0.9).normalize();

  constructor(
    private readonly camera: PerspectiveCamera,
    private readonly canvas: HTMLCanvasElement,
    private readonly invalidate: () => void,
  ) {
    this.controls = new OrbitControls(camera, canvas);
    this.controls.enableDamping = !reducedMotion();
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = Math.PI * 0.96;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', invalidate);
    this.controls.addEventListener('start', () => {
      this.glide = undefined;
    });
    this.listenFree();
  }

  /** Says what there is to see: the box of the whole motion, the size of a body and the way it went; `seen` says how much of the way is in
   *  sight from a place. */
  frame(box: Box3, size: number, way: Vector3, seen: (eye: Vector3) => number): void {
    this.box = box;
    this.size = size;
    this.direction = this.clearest(sideOn(way), box, seen);
    this.camera.near = size * 0.01;
    this.camera.far = Math.max(box.getSize(new Vector3()).length(), size) * 30;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = size * 0.1;
    this.controls.maxDistance = this.camera.far * 0.4;
    this.reset(true);
  }

  setMode(mode: Mode): void {
    this.mode = mode;
    this.controls.enabled = mode !== 'free';
    this.held.clear();
    if (mode !== 'free') this.reset();
    this.invalidate();
  }

  /** Back to where the mode begins. */
  reset(atOnce = false): void {
    if (!this.box) return;
    const whole = this.mode === 'follow' ? this.bodyBox() : this.box.clone().translate(this.carried);
    const target = whole.getCenter(new Vector3());
    const position = target.clone().addScaledVector(this.direction, this.distance(whole, target));
    this.glide = { position, target, done: atOnce || reducedMotion() ? 1 : 0 };
    this.invalidate();
  }

  /** The body's centre moved: when following, so does the camera. */
  follow(centre: Vector3): void {
    const step = centre.clone().sub(this.centre);
    this.centre.copy(centre);
    if (this.mode === 'follow') this.shift(step);
  }

  /** The motion as a whole went on so far from where it was: so does what orbits it. */
  carry(offset: Vector3): void {
    const step = offset.clone().sub(this.carried);
    this.carried.copy(offset);
    if (this.mode === 'orbit' && step.lengthSq() > 0) this.shift(step);
  }

  private shift(step: Vector3): void {
    this.camera.position.add(step);
    this.controls.target.add(step);
    this.glide?.position.add(step);
    this.glide?.target.add(step);
  }

  /** Turns the view by these angles, radians: to the right and up. */
  turn(right: number, up: number): void {
    this.glide = undefined;
    if (this.mode === 'free') {
      this.look(right, up);
    } else {
      const arm = this.camera.position.clone().sub(this.controls.target);
      const place = new Spherical().setFromVector3(arm);
      place.theta += right;
      place.phi = MathUtils.clamp(place.phi - up, 0.05, this.controls.maxPolarAngle);
      this.camera.position.copy(this.controls.target).add(arm.setFromSpherical(place));
    }
    this.invalidate();
  }

  /** Comes closer (below 1) or goes away (above 1). */
  zoom(factor: number): void {
    this.glide = undefined;
    if (this.mode === 'free') {
      this.camera.translateZ(Math.log(factor) * this.size);
    } else {
      const arm = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
      arm.clampLength(this.controls.minDistance, this.controls.maxDistance);
      this.camera.position.copy(this.controls.target).add(arm);
    }
    this.invalidate();
  }

  /** Lets time pass; whether the camera is still moving. */
  update(seconds: number): boolean {
    if (this.glide) this.glideOn(seconds);
    if (this.mode === 'free') return this.fly(seconds);
    return this.controls.update() || this.glide !== undefined;
  }

  private glideOn(seconds: number): void {
    const { glide } = this;
    if (!glide) return;
    const before = ease(glide.done);
    glide.done = Math.min(1, glide.done + seconds / GLIDE);
    const part = before < 1 ? (ease(glide.done) - before) / (1 - before) : 1;
    this.camera.position.lerp(glide.position, part);
    this.controls.target.lerp(glide.target, part);
    this.camera.lookAt(this.controls.target);
    if (glide.done >= 1) this.glide = undefined;
  }

  /** The direction given, or one from higher up or the other side, if something hides the way. */
  private clearest(side: Vector3, box: Box3, seen: (eye: Vector3) => number): Vector3 {
    const target = box.getCenter(new Vector3());
    const views = [
      [1, side.y],
      [1, 0.8],
      [-1, side.y],
      [-1, 0.8],
      [1, 0.92],
      [1, 0.99],
    ] as const;
    let [best, most] = [side, -1];
    for (const [sign, height] of views) {
      const flat = Math.sqrt((1 - height * height) / (1 - side.y * side.y)) * sign;
      this.direction = new Vector3(side.x * flat, height, side.z * flat);
      const share = seen(target.clone().addScaledVector(this.direction, this.distance(box, target)));
      if (share > most + 0.02) [best, most] = [this.direction, share];
      if (most > 0.95) break;
    }
    return best;
  }

  private bodyBox(): Box3 {
    const box = (this.box as Box3).clone();
    return box.setFromCenterAndSize(this.centre, new Vector3(1, 0.4, 1).multiplyScalar(this.size));
  }

  /** How far away the camera must be for all corners of the box to be in the picture. */
  private distance(box: Box3, target: Vector3): number {
    const back = this.direction;
    const right = new Vector3(0, 1, 0).cross(back).normalize();
    const up = back.clone().cross(right);
    const tall = Math.tan(MathUtils.degToRad(this.camera.fov / 2)) * 0.86;
    const wide = tall * this.camera.aspect;
    let most = this.size * 0.5;
    for (let corner = 0; corner < 8; corner++) {
      const pick = (bit: number, axis: 'x' | 'y' | 'z') => (corner & bit ? box.max[axis] : box.min[axis]);
      const p = new Vector3(pick(1, 'x'), pick(2, 'y'), pick(4, 'z')).sub(target);
      most = Math.max(most, p.dot(back) + Math.max(Math.abs(p.dot(right)) / wide, Math.abs(p.dot(up)) / tall));
    }
    return most;
  }

  private look(right: number, up: number): void {
    const angles = new Euler().setFromQuaternion(this.camera.quaternion, 'YXZ');
    angles.y -= right;
    angles.x = MathUtils.clamp(angles.x + up, -1.5, 1.5);
    this.camera.quaternion.setFromEuler(angles);
  }

  private fly(seconds: number): boolean {
    const pace = this.size * Math.min(seconds, 0.1);
    for (const key of this.held) {
      const [x, y, z] = MOVES[key] ?? [0, 0, 0];
      this.camera.translateX(x * pace).translateZ(z * pace);
      this.camera.position.y += y * pace;
    }
    return this.held.size > 0;
  }

  private listenFree(): void {
    const free = () => this.mode === 'free';
    this.canvas.addEventListener('keydown', (event) => {
      const key = event.key.toLowerCase();
      if (!free() || !(key in MOVES) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      event.preventDefault();
      this.held.add(key);
      this.invalidate();
    });
    this.canvas.addEventListener('keyup', (event) => this.held.delete(event.key.toLowerCase()));
    this.canvas.addEventListener('blur', () => this.held.clear());
    this.canvas.addEventListener('pointermove', (event) => {
      if (!free() || !event.buttons) return;
      this.turn(-event.movementX * 0.004, event.movementY * 0.004);
    });
    this.canvas.addEventListener(
      'wheel',
      (event) => {
        if (!free()) return;
        event.preventDefault();
        this.zoom(Math.exp(Math.sign(event.deltaY) * 0.1));
      },
      { passive: false },
    );
  }
}

/** From the side of the way the body went, so that it goes from left to right, and from above. */
function sideOn(way: Vector3): Vector3 {
  const flat = new Vector3(way.x, 0, way.z);
  if (flat.length() < 1e-3 * way.length() || flat.length() === 0) flat.set(1, 0, 0);
  const ahead = flat.normalize();
  const side = ahead.clone().cross(new Vector3(0, 1, 0));
  return side.multiplyScalar(0.85).addScaledVector(ahead, 0.16).setY(0.66).normalize();
}

function ease(t: number): number {
  return t * t * (3 - 2 * t);
}
