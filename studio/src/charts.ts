// Charts: results that are not over time. Axes as in the plots; lines go through their points in the order given, with a mark at each that
// was measured. Bars lie in rows, one for each pair of points.

import uPlot from 'uplot';
import type { Chart, ChartAxis } from './data';
import { make, swatch } from './dom';
import * as format from './format';
import { color } from './theme';

const HEIGHT = 210;
/** Height of a row of bars, pixels: at most, and what it takes to be told from the next; and of the tallest chart. */
const BAR_ROW = [22, 8] as const;
const TALLEST = 560;
/** Share of its row that a bar fills. */
const FILLED = 0.72;
/** Colours that lines are told apart by; see the stylesheet. */
const COLORS = 6;
const DASH = [7, 4];
/** Half the size of a mark, pixels. */
const MARK = 3.2;

type Place = readonly [number, number];

/** One chart; the time has no say in it. */
export class ChartPlot {
  readonly chart: uPlot;
  private readonly rows: Rows | undefined;
  private readonly height: number;

  constructor(
    private readonly content: Chart,
    panel: HTMLElement,
    axis: Partial<uPlot.Axis>,
    tick: (value: number) => string,
  ) {
    const holder = make('div', { class: 'chart-area', role: 'img', 'aria-label': describe(content) });
    panel.append(make('figure', { class: 'plot chart' }, this.caption(), holder));
    const { x, y } = content;
    this.rows = barRows(content);
    const rows = this.rows ? (this.rows.to - this.rows.from) / this.rows.apart + 1 : 0;
    this.height = Math.min(Math.max(HEIGHT, 60 + BAR_ROW[1] * rows), TALLEST);
    const label = (value: number | null) => (value === null ? '' : tick(value));
    const [across, up] = [span(content, 0), span(content, 1)];
    this.chart = new uPlot(
      {
        width: 300,
        height: this.height,
        padding: [8, 14, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, distr: isLog(x) ? 3 : 1, range: () => across },
          y: { distr: isLog(y) ? 3 : 1, range: () => up },
        },
        axes: [
          {
            ...axis,
            size: 26,
            gap: 6,
            space: 46,
            label: withUnit(x),
            labelSize: 18,
            labelFont: axis.font,
            values: (_, ticks) => ticks.map(label),
          },
          { ...axis, size: 58, gap: 6, space: 22, values: (_, ticks) => ticks.map(label) },
        ],
        series: [{}, { show: true, stroke: 'transparent', points: { show: false } }],
        hooks: { draw: [(plot) => this.draw(plot)] },
      },
      [across, up],
      holder,
    );
  }

  resize(width: number): void {
    this.chart.setSize({ width, height: this.height });
  }

  private caption(): HTMLElement {
    const { title, y, lines } = this.content;
    const keys = lines.map((line, i) =>
      make('span', { class: 'key' }, swatch(lineClass(line, i), line.dashed ? DASH : []), line.name),
    );
    const measured = make('span', { class: 'dim' }, withUnit(y));
    const heading = make('span', { class: 'plot-title' }, format.title(title), ' ', measured);
    return make('figcaption', {}, heading, make('span', { class: 'keys' }, ...keys));
  }

  private draw(plot: uPlot): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    const scale = devicePixelRatio;
    this.content.lines.forEach((line, i) => {
      const places = line.points.map((p) =>
        shown(this.content, p)
          ? ([plot.valToPos(p[0] as number, 'x', true), plot.valToPos(p[1] as number, 'y', true)] as const)
          : undefined,
      );
      const ink = color(`line-${i % COLORS}`);
      Object.assign(ctx, { strokeStyle: ink, fillStyle: ink, lineWidth: 1.8 * scale, lineJoin: 'round' });
      if (line.bars) {
        const row = this.rows?.apart ?? 1;
        const tall = Math.abs(plot.valToPos(row, 'y', true) - plot.valToPos(0, 'y', true));
        const thick = FILLED * Math.min(tall, BAR_ROW[0] * scale);
        for (let k = 0; k + 1 < places.length; k += 2) {
          const [from, to] = [places[k], places[k + 1]];
          if (from && to) ctx.fillRect(from[0], from[1] - thick / 2, to[0] - from[0], thick);
        }
        return;
      }
      ctx.setLineDash(line.dashed ? DASH.map((length) => length * scale) : []);
      ctx.beginPath();
      places.forEach((place, k) => {
        if (place) places[k - 1] ? ctx.lineTo(...place) : ctx.moveTo(...place);
      });
      ctx.stroke();
      if (!line.dashed) for (const place of places) if (place) mark(ctx, place, i, MARK * scale);
    });
    ctx.restore();
  }
}

/** The rows that bars lie in: the lowest, the highest, and the least distance between two. */
interface Rows {
  from: number;
  to: number;
  apart: number;
}

function barRows({ lines }: Chart): Rows | undefined {
  const points = lines.filter(({ bars }) => bars).flatMap(({ points }) => points);
  const rows = [...new Set(points.map((p) => p[1]).filter((y) => typeof y === 'number'))].sort((a, b) => a - b);
  const [from, to] = [rows[0], rows.at(-1)];
  if (from === undefined || to === undefined) return undefined;
  const apart = rows.slice(1).reduce((least, row, k) => Math.min(least, row - (rows[k] as number)), Infinity);
  return { from, to, apart: Number.isFinite(apart) ? apart : 1 };
}

function lineClass({ bars }: Chart['lines'][number], index: number): string {
  return `line-${index % COLORS}${bars ? ' bar' : ''}`;
}

/** Neighbours differ in form, so that they can be told apart without colour: disc, square, triangle, diamond. */
function mark(ctx: CanvasRenderingContext2D, [x, y]: Place, line: number, r: number): void {
  const forms: [number, number][][] = [
    [],
    [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ],
    [
      [0, -1.2],
      [1.1, 0.9],
      [-1.1, 0.9],
    ],
    [
      [0, -1.3],
      [1.3, 0],
      [0, 1.3],
      [-1.3, 0],
    ],
  ];
  ctx.beginPath();
  const corners = forms[line % forms.length] ?? [];
  if (corners.length) for (const [dx, dy] of corners) ctx.lineTo(x + dx * 0.9 * r, y + dy * 0.9 * r);
  else ctx.arc(x, y, r, 0, 2 * Math.PI);
  ctx.fill();
}

function isLog(axis: ChartAxis): boolean {
  return axis.scale === 'logarithmic';
}

/** Whether both numbers of a point have a place. */
function shown({ x, y }: Chart, [a, b]: Chart['lines'][number]['points'][number]): boolean {
  const has = (axis: ChartAxis, value: number | null | undefined) =>
    value !== null && value !== undefined && (!isLog(axis) || value > 0);
  return has(x, a) && has(y, b);
}

/** The range of an axis: whole decades, or a little air. */
function span(chart: Chart, which: 0 | 1): [number, number] {
  const values = chart.lines
    .flatMap(({ points }) => points.filter((p) => shown(chart, p)))
    .map((p) => p[which] as number);
  const low = values.reduce((a, b) => Math.min(a, b), Infinity);
  const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (isLog(which ? chart.y : chart.x)) {
    if (!values.length) return [0.1, 1];
    const from = Math.floor(Math.log10(low));
    return [10 ** from, 10 ** Math.max(Math.ceil(Math.log10(high)), from + 1)];
  }
  if (!values.length) return [0, 1];
  const rows = which ? barRows(chart) : undefined;
  if (rows) return [Math.min(low, rows.from - 0.6 * rows.apart), Math.max(high, rows.to + 0.6 * rows.apart)];
  const margin = high > low ? (high - low) * 0.06 : Math.abs(low) * 0.1 || 1;
  return [low >= 0 && low < 0.4 * high ? 0 : low - margin, high + margin];
}

function withUnit({ name, unit }: ChartAxis): string {
  return unit ? `${name} (${unit})` : name;
}

function describe(chart: Chart): string {
  const { title, x, y, lines } = chart;
  const ranges = lines.map(({ name, points }) => {
    const values = points.filter((p) => shown(chart, p)).map((p) => p[1] as number);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return `${name} from ${format.number(low)} to ${format.number(high)}`.trim();
  });
  return `${title}: ${withUnit(y)} over ${withUnit(x)}: ${ranges.join('; ')}.`;
}
