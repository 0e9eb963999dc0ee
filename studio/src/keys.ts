// What each key does.

import type { Tools } from './controls';
import { announce } from './dom';
import type { Player } from './player';
import { type Shortcut, toggleSheet } from './shortcuts';
import { toggleTheme } from './theme';
import type { View } from './view/view';

export function shortcuts(player: Player, view: View | undefined, tools: Tools | undefined): Shortcut[] {
  const turn = 0.12;
  const list: Shortcut[] = [
    { keys: [' '], shown: ['Space'], does: 'Play or pause', group: 'Time', run: () => player.toggle() },
    { keys: ['ArrowLeft'], shown: ['←'], does: 'One frame back', group: 'Time', run: () => player.step(-1) },
    { keys: ['ArrowRight'], shown: ['→'], does: 'One frame forward', group: 'Time', run: () => player.step(1) },
    { keys: ['Home'], shown: ['Home'], does: 'First frame', group: 'Time', run: () => player.step(-player.frames) },
    { keys: ['End'], shown: ['End'], does: 'Last frame', group: 'Time', run: () => player.step(player.frames) },
    { keys: ['+', '='], shown: ['+'], does: 'Faster', group: 'Time', run: () => changeSpeed(player, 1) },
    { keys: ['-', '_'], shown: ['−'], does: 'Slower', group: 'Time', run: () => changeSpeed(player, -1) },
    { keys: ['l'], shown: ['l'], does: 'Loop on or off', group: 'Time', run: () => toggleLoop(player) },
    { keys: ['d'], shown: ['d'], does: 'Dark or light', group: 'Page', run: switchTheme },
    { keys: ['?'], shown: ['?'], does: 'This sheet', group: 'Page', run: toggleSheet },
  ];
  if (!view || !tools) return list;
  const camera = (key: string, mode: 'orbit' | 'follow' | 'free', does: string): Shortcut => ({
    keys: [key],
    shown: [key],
    does,
    group: 'Camera',
    run: () => tools.camera(mode),
  });
  const swing = (key: string, arrow: string, does: string, right: number, up: number): Shortcut => ({
    keys: [key],
    shown: ['Shift', arrow],
    does,
    group: 'Camera',
    shift: true,
    run: () => view.cameras.turn(right * turn, up * turn),
  });
  const overlay = (key: string, name: Parameters<Tools['overlay']>[0], does: string): Shortcut => ({
    keys: [key],
    shown: [key],
    does,
    group: 'Overlays',
    run: () => tools.overlay(name),
  });
  list.push(
    camera('o', 'orbit', 'Orbit: the whole motion'),
    camera('f', 'follow', 'Follow the body'),
    camera('c', 'free', 'Free: fly'),
    { keys: ['r'], shown: ['r'], does: 'Reset the view', group: 'Camera', run: () => view.cameras.reset() },
    { keys: ['z'], shown: ['z'], does: 'Zoom in', group: 'Camera', run: () => view.cameras.zoom(0.85) },
    {
      keys: ['z'],
      shown: ['Shift', 'z'],
      does: 'Zoom out',
      group: 'Camera',
      shift: true,
      run: () => view.cameras.zoom(1 / 0.85),
    },
    swing('ArrowLeft', '←', 'Turn left', -1, 0),
    swing('ArrowRight', '→', 'Turn right', 1, 0),
    swing('ArrowUp', '↑', 'Turn up', 0, 1),
    swing('ArrowDown', '↓', 'Turn down', 0, -1),
    overlay('p', 'path', 'Path'),
    overlay('g', 'ghosts', 'Ghosts: copies along the way'),
    overlay('v', 'velocity', 'Velocity'),
    overlay('m', 'momentum', 'Momentum'),
    overlay('n', 'wrench', 'Net wrench: force and torque'),
  );
  if (view.hasColors) list.push(overlay('k', 'colors', 'Colours by force'));
  return list;
}

function changeSpeed(player: Player, by: 1 | -1): void {
  player.changeSpeed(by);
  announce(`Speed ${player.speed}`);
}

function toggleLoop(player: Player): void {
  player.toggleLoop();
  announce(player.loop ? 'Loop on' : 'Loop off');
}

export function switchTheme(): void {
  announce(toggleTheme() === 'dark' ? 'Dark' : 'Light');
}
