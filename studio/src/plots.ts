// The plots: every series of the run and what the body did, each with a cursor at the present time. Pressing or dragging in a plot seeks.
// Below them the charts, which have no time.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { Axis, rangeOf } from './axis';
import { axisLooks, besidePlot, ticksOf } from './axis_looks';
import { ChartPlot } from './charts';
import type { Chart as ChartData, Series } from './data';
import { type Derived, ZERO } from './derive';
import { make, swatch } from './dom';
import * as format from './format';
import type { Player } from './player';
import { color, onTheme } from './theme';

interface Line {
  label: string;
  values: (number | null)[];
}

interface Chart {
  title: string;
  unit: string;
  lines: Line[];
  scale?: 'logarithmic';
  /** What the reader should know about these numbers. */
  note?: string;
}

/** Lines differ in dashes too, so that they can be told apart without colour. */
const DASHES = [[], [6, 4], [1.5, 3], [12, 3, 2, 3], [3, 6], [8, 2, 2, 2, 2, 2]] as const;
const HEIGHT = 132;
/** Milliseconds between values written while playing: nobody reads faster, and drawing text is dear without a graphics card. */
const READOUT = 150;
const AXES = ['x', 'y', 'z'];

// A plot is drawn once and shown for long: on the processor that is cheap, while without a graphics card (where a “graphics” canvas is
// simulated) it would take most of the time the page needs to open. uPlot does not let us say so, hence at the source.
const getContext = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, settings?: object) {
  return getContext.call(this, kind, kind === '2d' ? { willReadFrequently: true, ...settings } : settings);
} as typeof getContext;

/** A page of plots, drawn anew for another body. */
export class Plots {
  private plots: Plot[] = [];
  private charts: ChartPlot[] = [];

  constructor(
    private readonly panel: HTMLElement,
    private readonly player: Player,
    private readonly timeless: ChartData[],
  ) {
    new ResizeObserver(() => this.resize()).observe(panel);
    onTheme(() => [...this.plots, ...this.charts].forEach((plot) => void plot.chart.redraw(false)));
  }

  show(body: Derived | undefined): void {
    for (const plot of [...this.plots, ...this.charts]) plot.chart.destroy();
    this.panel.replaceChildren();
    const [ofBody, ofSolver] = charts(body);
    this.plots = ofBody.map((chart) => new Plot(chart, this.panel, this.player));
    this.charts = this.timeless.map((chart) => new ChartPlot(chart, this.panel));
    if (ofSolver.length) this.fold(ofSolver);
    else if (!this.plots.length && !this.charts.length)
      this.panel.append(make('p', { class: 'empty' }, 'This result has no numbers to plot.'));
    this.resize();
  }

  /** Plots for those who look for them: built when they are opened. */
  private fold(charts: Chart[]): void {
    const more = make('details', { class: 'more' }, make('summary', {}, 'How it was solved'));
    const build = () => {
      this.plots.push(...charts.map((chart) => new Plot(chart, more, this.player)));
      this.resize();
    };
    more.addEventListener('toggle', build, { once: true });
    this.panel.append(more);
  }

  /** Moves the cursors to the present time. */
  update(): void {
    for (const plot of this.plots) plot.update();
  }

  private resize(): void {
    const style = getComputedStyle(this.panel);
    const width = this.panel.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
    if (width < 50) return; // the panel is hidden
    for (const plot of [...this.plots, ...this.charts]) plot.resize(width);
  }
}

/** What the body did, and what only those who look into the solver want to see. */
function charts(body: Derived | undefined): [Chart[], Chart[]] {
  if (!body) return [[], []];
  const all = body.track.series;
  const ofSolver = (s: Series) => s.line === 'logarithmic' || s.line === 'steps';
  const measured = seriesCharts(all.filter((s) => !ofSolver(s)));
  const known = (chart: Chart) => chart.lines.some((line) => line.values.length > 0);
  const own = [...measured, ...bodyCharts(body)].filter(known);
  const solved = seriesCharts(all.filter(ofSolver)).filter(known);
  return [own.filter((chart) => !chart.note), [...own.filter((chart) => chart.note), ...solved]];
}

/** A chart for each quantity, or for those that are read together, without what is zero throughout. */
function seriesCharts(all: Series[]): Chart[] {
  const list: Chart[] = [];
  for (const s of all) {
    const shared = s.among && all.filter((other) => other.among?.[0] === s.among?.[0]).length > 1;
    if (shared && s.values.every((value) => !value)) continue;
    const [title, label] = shared && s.among ? s.among : [s.name, s.name];
    const line = { label: format.title(label), values: s.values };
    const chart = shared ? list.find((one) => one.title === format.title(title)) : undefined;
    if (chart) chart.lines.push(line);
    else
      list.push({
        title: format.title(title),
        unit: s.unit,
        lines: [line],
        scale: s.line === 'logarithmic' ? s.line : undefined,
      });
  }
  return list;
}

function bodyCharts({ track, momentum }: Derived): Chart[] {
  const list: Chart[] = [];
  const zero = (greatest: number) =>
    greatest < ZERO ? `Zero throughout: what is left (${format.number(greatest)}) is rounding.` : undefined;
  list.push({ title: 'Position', unit: 'm', lines: components(track.centers) });
  const drag = track.momentum_kind === 'drag';
  list.push({
    title: drag ? 'Net drag' : 'Linear momentum',
    unit: drag ? 'N' : 'kg m/s',
    lines: components(momentum.linear),
    note: zero(momentum.greatestLinear),
  });
  list.push({
    title: drag ? 'Net drag torque' : 'Angular momentum',
    unit: drag ? 'N m' : 'kg m²/s',
    lines: components(momentum.angular),
    note: zero(momentum.greatestAngular),
  });
  return list;
}

function components(rows: readonly (readonly number[])[]): Line[] {
  return rows.length ? AXES.map((label, axis) => ({ label, values: rows.map((row) => row[axis] ?? null) })) : [];
}

class Plot {
  readonly chart: uPlot;
  private readonly cursor = make('div', { class: 'now' });
  private readonly readouts: HTMLElement[] = [];
  private hovered: number | null = null;
  /** When the values were last written. */
  private readAt = 0;
  private inSight = true;

  constructor(
    private readonly content: Chart,
    panel: HTMLElement,
    private readonly player: Player,
  ) {
    const holder = make('div', { class: 'plot-area', role: 'img', 'aria-label': describe(content) });
    const figure = make('figure', { class: 'plot' }, this.caption(), holder);
    panel.append(figure);
    this.chart = new uPlot(
      options(content, player, (index) => this.hover(index)),
      table(content, player),
      holder,
    );
    this.chart.over.append(this.cursor);
    this.seekByPointer();
    new IntersectionObserver(([entry]) => {
      this.inSight = entry?.isIntersecting ?? true;
      this.update();
    }).observe(figure);
  }

  update(): void {
    if (!this.inSight) return;
    const x = this.chart.valToPos(this.player.time / this.player.dt, 'x');
    this.cursor.style.transform = `translateX(${x.toFixed(1)}px)`;
    const now = performance.now();
    if (this.player.playing && now - this.readAt < READOUT) return;
    this.readAt = now;
    this.readout();
  }

  resize(width: number): void {
    this.chart.setSize({ width, height: HEIGHT });
    this.update();
  }

  private hover(index: number | null): void {
    this.hovered = index;
    this.readout();
  }

  /** The values under the pointer, or else of the present frame. */
  private readout(): void {
    const index = this.hovered ?? this.player.frame;
    this.content.lines.forEach((line, i) => {
      const readout = this.readouts[i];
      const text = format.number(line.values[index]);
      if (readout && readout.textContent !== text) readout.textContent = text;
    });
  }

  private caption(): HTMLElement {
    const { title, unit, lines, note } = this.content;
    const keys = lines.map((line, i) => {
      const value = make('span', { class: 'value' });
      this.readouts.push(value);
      const name = lines.length > 1 ? line.label : null;
      return make('span', { class: 'key' }, swatch(`line-${i % 3}`, DASHES[i % DASHES.length] ?? []), name, value);
    });
    const unitText = unit ? make('span', { class: 'dim' }, unit) : null;
    const heading = make('span', { class: 'plot-title' }, title, ' ', unitText);
    const caption = make('figcaption', {}, heading, make('span', { class: 'keys' }, ...keys));
    if (note) caption.append(make('span', { class: 'note' }, note));
    return caption;
  }

  private seekByPointer(): void {
    const over = this.chart.over;
    let held = false;
    const seek = (event: PointerEvent) => {
      const x = event.clientX - over.getBoundingClientRect().left;
      const frame = Math.round(this.chart.posToVal(x, 'x'));
      this.player.pause();
      this.player.seekFrame(frame);
    };
    over.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      held = true;
      over.setPointerCapture(event.pointerId);
      seek(event);
    });
    over.addEventListener('pointermove', (event) => held && seek(event));
    for (const end of ['pointerup', 'pointercancel'] as const) over.addEventListener(end, () => (held = false));
  }
}

function describe({ title, unit, lines, note }: Chart): string {
  const ranges = lines.map(({ label, values }) => {
    const [low, high] = rangeOf(values, 'linear') ?? [];
    return `${lines.length > 1 ? `${label} ` : ''}from ${format.number(low)} to ${format.number(high)}`;
  });
  return `${title} over time: ${ranges.join('; ')} ${unit}. ${note ?? ''}`.trim();
}

/** What the values are read on; a logarithmic scale only when it has something to show. */
function valueAxis({ lines, scale }: Chart): Axis {
  const values = lines.flatMap((line) => line.values);
  const log = scale === 'logarithmic' && rangeOf(values, 'logarithmic');
  return Axis.around(values, log ? 'logarithmic' : 'linear', 0.08);
}

/** Frames, and where the values are on their axis. */
function table(chart: Chart, player: Player): uPlot.AlignedData {
  const frames = Array.from({ length: player.frames }, (_, k) => k);
  const axis = valueAxis(chart);
  return [frames, ...chart.lines.map((line) => frames.map((k) => axis.place(line.values[k])))];
}

function options(chart: Chart, player: Player, hover: (index: number | null) => void): uPlot.Options {
  const axis = axisLooks();
  const last = Math.max(1, player.frames - 1);
  const time = Axis.linear(0, last * player.dt);
  return {
    width: 300,
    height: HEIGHT,
    padding: [8, 10, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false, sync: { key: 'plots' }, points: { size: 6 } },
    scales: { x: { time: false, range: () => [0, last] }, y: { range: () => [0, 1] } },
    axes: [
      { ...axis, size: 22, gap: 2, ...ticksOf(time, 56, last, ' s') },
      { ...axis, size: besidePlot, gap: 6, ...ticksOf(valueAxis(chart), 20) },
    ],
    series: [{}, ...chart.lines.map((_, i) => line(i))],
    hooks: {
      setCursor: [
        (plot) => hover(plot.cursor.left !== undefined && plot.cursor.left >= 0 ? (plot.cursor.idx ?? null) : null),
      ],
    },
  };
}

function line(index: number): uPlot.Series {
  return {
    stroke: () => color(`line-${index % 3}`),
    width: 1.6,
    dash: [...(DASHES[index % DASHES.length] ?? [])],
    points: { show: false },
  };
}
