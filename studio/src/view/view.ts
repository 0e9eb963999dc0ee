// The 3D view: the moving model on its ground, the cameras and the overlays.

import { Box3, Group, type Mesh, Vector3 } from 'three';
import type { Result } from '../data';
import { at, type Derived, vec3 } from '../derive';
import { make } from '../dom';
import type { Player } from '../player';
import { onTheme } from '../theme';
import { Cameras } from './cameras';
import { Carry } from './carry';
import { Ground, waterAt } from './ground';
import { Model } from './model';
import { BodyArrows, Ghosts, ghostCount, greatestOf, type Label } from './overlays';
import { inkBeside, Path } from './path';
import { flatGround, hasLand, shareSeen, withNearby } from './scenery';
import { Stage, sphereOf } from './stage';
import { ValueColors } from './vertex_colors';

export const OVERLAYS = ['path', 'ghosts', 'velocity', 'momentum', 'wrench', 'colors'] as const;
export type Overlay = (typeof OVERLAYS)[number];

/** How much nearer than it is a path counts where there is land, as a part of the body's size. */
const LIFT = 0.12;

export class View {
  readonly stage: Stage;
  readonly cameras: Cameras;
  readonly on = new Set<Overlay>(['path']);
  /** The body that is followed. */
  chosen = 0;
  ground: Ground | undefined;
  private model: Model | undefined;
  /** What a run that goes on carries along: the model and what is laid over it. */
  private readonly carried = new Group();
  private carry: Carry | undefined;
  private water: { sheet: Mesh; home: Vector3 } | undefined;
  /** Middle of the light. */
  private readonly lit = new Vector3();
  private readonly arrows = new Group();
  private readonly paths = new Group();
  private ghosts: Ghosts | undefined;
  private colors: ValueColors | undefined;
  /** Of the model, metres. */
  private size = 1;
  private lightFollows = false;

  /** Throws when the browser has no WebGL. */
  constructor(
    private readonly viewport: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
    private readonly labels: HTMLElement,
    private readonly result: Result,
    private readonly bodies: Derived[],
    private readonly player: Player,
    private readonly invalidate: () => void,
  ) {
    this.stage = new Stage(canvas, () => this.onQuality());
    this.cameras = new Cameras(this.stage.camera, canvas, invalidate);
    this.carried.matrixAutoUpdate = false;
    this.carried.add(this.arrows, this.paths);
    this.stage.scene.add(this.carried);
    new ResizeObserver(() => this.resize()).observe(viewport);
    onTheme(() => this.recolor());
    this.resize();
  }

  /** Takes in the model; throws when the bytes are not a .glb. Without bytes only paths and arrows are shown. */
  async load(bytes: ArrayBuffer | undefined): Promise<void> {
    try {
      if (bytes) this.model = await Model.load(bytes, this.result, this.stage.kind);
    } finally {
      this.furnish();
    }
  }

  set(overlay: Overlay, on: boolean): void {
    if (on) this.on.add(overlay);
    else this.on.delete(overlay);
    if (overlay === 'ghosts') this.showGhosts(on);
    if (overlay === 'colors') this.colors?.show(on, this.player.frame);
    this.invalidate();
  }

  /** Whether the result has values to colour by. */
  get hasColors(): boolean {
    return this.result.vertex_colors !== undefined;
  }

  /** Whether they are ready to show. */
  get canColor(): boolean {
    return this.colors !== undefined;
  }

  /** Lets time pass and draws; whether the camera is still moving. */
  update(seconds: number): boolean {
    const { time, frame, loops } = this.player;
    const { dt } = this.result;
    this.goOn(loops);
    this.model?.pose(time);
    this.colors?.update(frame);
    const body = this.bodies[this.chosen];
    if (body) {
      const centre = new Vector3(...at(body.track.centers, time, dt)).applyMatrix4(this.carried.matrix);
      this.cameras.follow(centre);
      if (this.lightFollows) this.stage.lightAt(centre);
    }
    const moving = this.cameras.update(seconds);
    this.paths.visible = this.on.has('path');
    for (const path of this.paths.children as Path[]) path.update(frame, this.carry ? loops : 0);
    const labels = (this.arrows.children as BodyArrows[]).flatMap((arrows) => arrows.update(time, dt, this.on));
    this.stage.render();
    this.place(labels);
    return moving;
  }

  /** Puts everything where it is after so many runs: a cycle goes on, anything else begins anew. */
  private goOn(loops: number): void {
    if (!this.carry) return;
    this.carryTo(loops);
    const offset = this.carry.drift(loops, this.player.time / this.player.duration);
    this.cameras.carry(offset);
    this.ground?.moveBy(offset);
    this.water?.sheet.position.copy(this.water.home).add(offset);
    if (!this.lightFollows) this.stage.lightAt(this.lit.clone().add(offset));
  }

  private carryTo(loops: number): void {
    if (!this.carry) return;
    this.carried.matrix.copy(this.carry.after(loops));
    this.carried.matrixWorld.copy(this.carried.matrix); // the model asks for it before the scene does
    this.carried.matrixWorldNeedsUpdate = true;
  }

  /** Ground, light, cameras and overlays, to the measure of the motion. */
  private furnish(): void {
    const { box, size } = this.measure();
    const { stage, player } = this;
    this.size = size;
    if (this.model) this.carried.add(this.model.root);
    this.carry = Carry.of(this.result, this.model, size);
    const scenery = this.model?.scenery ?? [];
    const moved = box.clone();
    withNearby(box, scenery);
    const whole = sphereOf(box);
    // Several bodies are seen together.
    this.lightFollows = this.bodies.length < 2 && whole.radius > 4 * size;
    this.lit.copy(whole.centre);
    stage.light(whole.centre, this.lightFollows ? 1.5 * size : 1.1 * whole.radius);
    if (flatGround(moved, scenery)) {
      this.ground = new Ground(box, size, this.lightFollows ? undefined : 1.2 * whole.radius);
      stage.backdrop.scene.add(this.ground.grid);
      this.ground.shadow.visible = stage.hasShadows;
      stage.scene.add(this.ground.shadow);
    }
    if (typeof this.result.water === 'number') {
      const sheet = waterAt(this.result.water, whole);
      this.water = { sheet, home: sheet.position.clone() };
      stage.scene.add(sheet);
    }
    const centers = this.bodies[0]?.track.centers ?? [];
    const way = new Vector3(...vec3(centers[centers.length - 1] ?? [])).sub(new Vector3(...vec3(centers[0] ?? [])));
    this.cameras.follow(new Vector3(...at(centers, player.time, this.result.dt)));
    this.cameras.frame(box, size, way, (eye) => shareSeen(eye, this.bodies, scenery));
    const greatest = greatestOf(this.bodies);
    document.documentElement.dataset.path = inkBeside(this.model?.meshes ?? []);
    const before = this.carry && {
      back: this.carry.back,
      runs: Math.ceil(Math.min(4 + (3 * size) / way.length(), 40)),
    };
    const looks = { tolerance: 0.0003 * size, lift: hasLand(scenery) ? LIFT * size : 0, before };
    for (const body of this.bodies) {
      this.arrows.add(new BodyArrows(body, greatest, size));
      this.paths.add(new Path(body, looks));
    }
    const colors = this.result.vertex_colors;
    if (colors && this.model) this.colors = new ValueColors(this.model, colors);
    this.invalidate();
  }

  /** Whether the body goes so far that it would be small in a picture of the whole. */
  get goesFar(): boolean {
    return this.lightFollows;
  }

  private measure(): { box: Box3; size: number } {
    const { box, size } = this.model?.reach(this.player.duration) ?? { box: new Box3(), size: 0 };
    const way = new Box3();
    for (const { track } of this.bodies) for (const row of track.centers) way.expandByPoint(new Vector3(...vec3(row)));
    const whole = box.union(way);
    if (whole.isEmpty()) whole.set(new Vector3(-0.5, 0, -0.5), new Vector3(0.5, 0.5, 0.5));
    const known = size || this.result.summary.body_length || whole.getSize(new Vector3()).length() / 4 || 1;
    return { box: whole, size: known };
  }

  private showGhosts(on: boolean): void {
    if (on && !this.ghosts && this.model) {
      const count = ghostCount(this.bodies[0], this.size);
      this.carryTo(0); // they are carried along themselves
      this.ghosts = new Ghosts(this.model, this.player.duration, count);
      this.carried.add(this.ghosts);
    }
    if (this.ghosts) this.ghosts.visible = on;
  }

  /** Puts the arrows' labels beside their tips on the screen. */
  private place(labels: Label[]): void {
    while (this.labels.children.length < labels.length) this.labels.append(make('span'));
    [...this.labels.children].forEach((child, i) => {
      const span = child as HTMLElement;
      const label = labels[i];
      span.hidden = !label;
      if (!label) return;
      const p = label.place.clone().applyMatrix4(this.carried.matrix).project(this.stage.camera);
      const [x, y] = [(p.x * 0.5 + 0.5) * this.viewport.clientWidth, (0.5 - p.y * 0.5) * this.viewport.clientHeight];
      span.textContent = label.text;
      span.className = `label ${label.kind}`;
      span.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    });
  }

  private resize(): void {
    this.fit();
    this.invalidate();
  }

  private fit(): void {
    const { clientWidth, clientHeight } = this.viewport;
    if (clientWidth > 0 && clientHeight > 0) this.stage.resize(clientWidth, clientHeight);
  }

  private onQuality(): void {
    this.canvas.dataset.quality = String(this.stage.quality);
    if (this.ground) this.ground.shadow.visible = this.stage.hasShadows;
    this.fit();
  }

  private recolor(): void {
    this.ground?.recolor();
    this.stage.relight();
    for (const arrows of this.arrows.children as BodyArrows[]) arrows.recolor();
    for (const path of this.paths.children as Path[]) path.recolor();
    this.invalidate();
  }
}
