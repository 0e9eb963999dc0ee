// The controls beside and over the view: timeline, cameras, overlays, legend.

import type { Result } from './data';
import { at, type Derived, length, vec3, ZERO } from './derive';
import { announce, byId, icon, make } from './dom';
import * as format from './format';
import { type Player, SPEEDS } from './player';
import { MODES, type Mode } from './view/cameras';
import { GRADIENT } from './view/vertex_colors';
import { OVERLAYS, type Overlay, type View } from './view/view';

const CAMERA_NAMES: Record<Mode, [name: string, key: string]> = {
  orbit: ['Orbit', 'o'],
  follow: ['Follow', 'f'],
  free: ['Free', 'c'],
};
const OVERLAY_NAMES: Record<Overlay, [name: string, key: string]> = {
  path: ['Path', 'p'],
  ghosts: ['Ghosts', 'g'],
  velocity: ['Velocity', 'v'],
  momentum: ['Momentum', 'm'],
  wrench: ['Wrench', 'n'],
  colors: ['Force', 'k'],
};
const UNITS = {
  velocity: ['m/s', 'rad/s'],
  momentum: ['kg m/s', 'kg m²/s'],
  wrench: ['N', 'N m'],
} as const;

/** Buttons, slider and readouts of the timeline. */
export class Timeline {
  private readonly scrub = byId<HTMLInputElement>('scrub');
  private readonly play = byId<HTMLButtonElement>('play');
  private readonly speed = byId<HTMLSelectElement>('speed');
  private readonly loop = byId<HTMLButtonElement>('loop');

  constructor(private readonly player: Player) {
    this.scrub.max = String(player.frames - 1);
    this.speed.append(...SPEEDS.map((speed) => make('option', { value: String(speed) }, `${speed}×`)));
    byId('clock-total').textContent = `/ ${format.seconds(player.duration, player.dt)} s`;
    this.scrub.addEventListener('input', () => {
      player.pause();
      player.seekFrame(Number(this.scrub.value));
    });
    this.play.addEventListener('click', () => player.toggle());
    this.speed.addEventListener('change', () => player.setSpeed(Number(this.speed.value)));
    this.loop.addEventListener('click', () => player.toggleLoop());
    byId('first').addEventListener('click', () => player.step(-player.frames));
    byId('back').addEventListener('click', () => player.step(-1));
    byId('forward').addEventListener('click', () => player.step(1));
    byId('last').addEventListener('click', () => player.step(player.frames));
    this.state();
    this.time();
  }

  time(): void {
    const { time, frame, frames, dt, duration } = this.player;
    const seconds = format.seconds(time, dt);
    this.scrub.value = String(frame);
    this.scrub.style.setProperty('--done', `${duration > 0 ? (100 * frame) / (frames - 1) : 0}%`);
    this.scrub.setAttribute(
      'aria-valuetext',
      `frame ${frame} of ${frames - 1}, ${format.seconds(frame * dt, dt)} seconds`,
    );
    byId('clock-time').textContent = seconds;
    byId('clock-frame').textContent = `frame ${frame} / ${frames - 1}`;
  }

  state(): void {
    const { playing, speed, loop } = this.player;
    this.play.replaceChildren(icon(playing ? 'pause' : 'play'));
    this.play.setAttribute('aria-label', playing ? 'Pause' : 'Play');
    this.speed.value = String(speed);
    this.loop.setAttribute('aria-pressed', String(loop));
  }
}

/** The buttons over the view. */
export class Tools {
  private readonly cameraButtons = new Map<Mode, HTMLButtonElement>();
  private readonly overlayButtons = new Map<Overlay, HTMLButtonElement>();

  constructor(
    private readonly view: View,
    private readonly onChange: () => void,
  ) {
    for (const mode of MODES) {
      const [name, key] = CAMERA_NAMES[mode];
      const button = make('button', { type: 'button', class: 'chip', title: `${name} camera (${key})` }, name);
      button.addEventListener('click', () => this.camera(mode));
      this.cameraButtons.set(mode, button);
      byId('cameras').append(button);
    }
    const reset = make('button', {
      type: 'button',
      class: 'chip',
      title: 'Frame the motion again (r)',
      'aria-label': 'Reset the view',
    });
    reset.append(icon('reset'));
    reset.addEventListener('click', () => view.cameras.reset());
    byId('cameras').append(reset);
    for (const overlay of OVERLAYS) {
      const [name, key] = OVERLAY_NAMES[overlay];
      const chip = make('span', { class: `mark ${overlay}`, 'aria-hidden': 'true' });
      const button = make('button', { type: 'button', class: 'chip', title: `${name} (${key})` }, chip, name);
      button.addEventListener('click', () => this.overlay(overlay));
      this.overlayButtons.set(overlay, button);
      byId('overlays').append(button);
    }
    this.update();
  }

  camera(mode: Mode): void {
    this.view.cameras.setMode(mode);
    announce(`${CAMERA_NAMES[mode][0]} camera`);
    this.update();
  }

  overlay(overlay: Overlay): void {
    if (overlay === 'colors' && !this.view.canColor) return;
    const on = !this.view.on.has(overlay);
    this.view.set(overlay, on);
    announce(`${OVERLAY_NAMES[overlay][0]} ${on ? 'shown' : 'hidden'}`);
    this.update();
  }

  update(): void {
    for (const [mode, button] of this.cameraButtons) {
      button.setAttribute('aria-pressed', String(mode === this.view.cameras.mode));
    }
    for (const [overlay, button] of this.overlayButtons) {
      button.setAttribute('aria-pressed', String(this.view.on.has(overlay)));
      button.hidden = overlay === 'colors' && !this.view.canColor;
    }
    this.onChange();
  }
}

/** What the arrows that are on stand for, with their present values. */
export function legend(view: View, body: Derived | undefined, player: Player, result: Result): void {
  const lines: HTMLElement[] = [];
  for (const kind of ['velocity', 'momentum', 'wrench'] as const) {
    if (!body || !view.on.has(kind)) continue;
    const field = body[kind];
    const drag = kind === 'momentum' && body.track.momentum_kind === 'drag';
    const [linear, angular] = drag ? UNITS.wrench : UNITS[kind];
    const zero = Math.max(field.greatestLinear, field.greatestAngular) <= ZERO;
    const value = (rows: typeof field.linear, unit: string) =>
      `${format.number(length(at(rows, player.time, player.dt)))} ${unit}`;
    const text = zero ? 'zero throughout' : `${value(field.linear, linear)}, ${value(field.angular, angular)}`;
    const name = kind === 'wrench' ? 'Net wrench' : drag ? 'Net drag' : OVERLAY_NAMES[kind][0];
    lines.push(
      make('p', {}, make('span', { class: `mark ${kind}` }), `${name} `, make('span', { class: 'value' }, text)),
    );
  }
  const colors = result.vertex_colors;
  if (colors && view.on.has('colors')) {
    const bar = make('span', { class: 'scale-bar' });
    bar.style.background = GRADIENT; // the page's policy allows no style in attributes
    const [low, high] = colors.range;
    lines.push(make('p', {}, `${colors.label} ${format.number(low)} `, bar, ` ${format.number(high)} ${colors.unit}`));
  }
  const box = byId('legend');
  box.hidden = lines.length === 0;
  box.replaceChildren(...lines);
}

/** The view in words, for those who cannot see it. */
export function describeView(result: Result, body: Derived | undefined, player: Player): void {
  const place = body && format.vector(vec3(body.track.centers[player.frame] ?? []));
  const speed = body && format.number(length(body.velocity.linear[player.frame] ?? []));
  const where = body ? ` ${body.track.name} is at ${place} metres and moves at ${speed} metres per second.` : '';
  const text = `${result.title}, frame ${player.frame} of ${player.frames - 1}.${where}`;
  const element = byId('view-description');
  if (element.textContent !== text) element.textContent = text;
}
