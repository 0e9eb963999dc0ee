// The page of a result: reads what the program wrote into it, shows it, and keeps view, timeline and plots at the same moment.

import './style/base.css';
import './style/view.css';
import './style/panels.css';
import './style/shortcuts.css';
import './style/narrow.css';
import { describeView, legend, Timeline, Tools } from './controls';
import { type Result, readModel, readResult } from './data';
import { type Derived, derive } from './derive';
import { byId, make } from './dom';
import * as format from './format';
import { shortcuts, switchTheme } from './keys';
import { Loop } from './loop';
import { fillPanels } from './panels';
import { Player } from './player';
import { Plots } from './plots';
import { startShortcuts, toggleSheet } from './shortcuts';
import { startTabs } from './tabs';
import { reducedMotion, startTheme } from './theme';
import { View } from './view/view';

startTheme();
start();

function start(): void {
  let result: Result | undefined;
  try {
    result = readResult();
  } catch (error) {
    complain('The data of this page cannot be read.', error);
    return;
  }
  if (result) show(result);
  else complain('This page holds no result yet.', 'It is a template: holonomy run writes results into it.');
}

function show(result: Result): void {
  const player = new Player(result.frames, result.dt);
  const bodies = result.tracks.map((track) => derive(track, result.dt));
  fillPanels(result);
  const plots = new Plots(byId('panel-plots'), player, result.charts);
  plots.show(bodies[0]);
  const timeline = new Timeline(player);
  const loop = new Loop(player);
  const view = makeView(result, bodies, player, loop);
  const now = () => {
    timeline.time();
    plots.update();
    if (view) legend(view, bodies[view.chosen], player, result);
    if (!player.playing) describeView(result, bodies[view?.chosen ?? 0], player);
  };
  const tools = view && new Tools(view, now);
  loop.view = view;
  player.onChange((change) => {
    if (change === 'time') now();
    else timeline.state();
    loop.request();
  });
  startTabs(document.querySelector('.tabs') as HTMLElement, () => plots.update());
  chooseBody(bodies, (index) => {
    if (view) view.chosen = index;
    plots.show(bodies[index]);
    view?.cameras.setMode(view.cameras.mode);
    now();
  });
  byId('theme').addEventListener('click', switchTheme);
  byId('help').addEventListener('click', toggleSheet);
  startShortcuts(shortcuts(player, view, tools));
  now();
  Object.assign(window, { holonomy: { player, view } }); // for scripts and tests
  void open(result, view, tools, player);
}

/** Loads the model, then plays unless the reader asked for less motion. */
async function open(result: Result, view: View | undefined, tools: Tools | undefined, player: Player): Promise<void> {
  if (view) {
    try {
      await view.load(readModel());
    } catch (error) {
      complain('The model in this page cannot be shown; plots and tables are complete.', error);
    }
    if (view.goesFar) view.cameras.setMode('follow');
    view.cameras.reset(true);
    if (view.ground) byId('scale').textContent = `Grid ${format.metres(view.ground.cell)}`;
    tools?.update();
  }
  if (!reducedMotion() && result.frames > 1) player.play();
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  document.documentElement.dataset.ready = 'true'; // the first picture is drawn
}

function makeView(result: Result, bodies: Derived[], player: Player, loop: Loop): View | undefined {
  const canvas = byId<HTMLCanvasElement>('canvas');
  try {
    const view = new View(byId('viewport'), canvas, byId('labels'), result, bodies, player, () => loop.request());
    canvas.addEventListener('webglcontextlost', () =>
      complain('The graphics context was lost.', 'Reload the page to see the view again.'),
    );
    return view;
  } catch {
    complain('This browser cannot show 3D here (no WebGL).', 'Plots, tables and the timeline work without it.');
    byId('tools').hidden = true;
    canvas.hidden = true;
    return undefined;
  }
}

function chooseBody(bodies: Derived[], choose: (index: number) => void): void {
  if (bodies.length < 2) return;
  const select = byId<HTMLSelectElement>('body');
  byId('body-choice').hidden = false;
  select.append(...bodies.map(({ track }, i) => make('option', { value: String(i) }, track.name)));
  select.addEventListener('change', () => choose(Number(select.value)));
}

/** Says in the view what is wrong. */
function complain(what: string, why: unknown): void {
  const message = byId('message');
  const reason = why instanceof Error ? why.message : String(why);
  message.hidden = false;
  message.replaceChildren(make('p', { class: 'what' }, what), make('p', { class: 'dim' }, reason));
}
