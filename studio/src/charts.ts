// Charts: results that are not over time. Axes as in the plots; lines go through their points in the order given, with a mark at each that
// was measured. Bars lie in rows, one for each pair of points.

import uPlot from 'uplot';
import { Axis, rangeOf } from './axis';
import { axisLooks, besidePlot, ticksOf } from './axis_looks';
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
  private readonly across: Axis;
  private readonly up: Axis;

  constructor(
    private readonly content: Chart,
    panel: HTMLElement,
  ) {
    const holder = make('div', { class: 'chart-area', role: 'img', 'aria-label': describe(content) });
    panel.append(make('figure', { class: 'plot chart' }, this.caption(), holder));
    this.rows = barRows(content);
    const rows = this.rows ? (this.rows.to - this.rows.from) / this.rows.apart + 1 : 0;
    this.height = Math.min(Math.max(HEIGHT, 60 + BAR_ROW[1] * rows), TALLEST);
    this.across = axisOf(content, 0);
    this.up = axisOf(content, 1);
    const looks = axisLooks();
    const whole = (): [number, number] => [0, 1];
    this.chart = new uPlot(
      {
        width: 300,
        height: this.height,
        padding: [8, 14, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false, range: whole }, y: { range: whole } },
        axes: [
          {
            ...looks,
            size: 26,
            gap: 6,
            label: withUnit(content.x),
            labelSize: 18,
            labelFont: looks.font,
            ...ticksOf(this.across, 46),
          },
          { ...looks, size: besidePlot, gap: 6, ...ticksOf(this.up, 22) },
        ],
        series: [{}, { show: true, stroke: 'transparent', points: { show: false } }],
        hooks: { draw: [(plot) => this.draw(plot)] },
      },
      [whole(), whole()],
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
      const places = line.points.map(([a, b]) => {
        const [x, y] = [this.across.place(a), this.up.place(b)];
        return x === null || y === null
          ? undefined
          : ([plot.valToPos(x, 'x', true), plot.valToPos(y, 'y', true)] as const);
      });
      const ink = color(`line-${i % COLORS}`);
      Object.assign(ctx, { strokeStyle: ink, fillStyle: ink, lineWidth: 1.8 * scale, lineJoin: 'round' });
      if (line.bars) {
        const row = this.rows?.apart ?? 1;
        const tall = (row / (this.up.to - this.up.from)) * bbox.height;
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

/** Whether both numbers of a point have a place. */
function shown({ x, y }: Chart, [a, b]: Chart['lines'][number]['points'][number]): boolean {
  return rangeOf([a], x.scale) !== undefined && rangeOf([b], y.scale) !== undefined;
}

/** An axis of the chart: whole decades, or a little air. */
function axisOf(chart: Chart, which: 0 | 1): Axis {
  const { scale } = which ? chart.y : chart.x;
  const values = chart.lines.flatMap(({ points }) => points.filter((p) => shown(chart, p))).map((p) => p[which]);
  const [low, high] = rangeOf(values, scale) ?? [0, 1];
  const rows = which ? barRows(chart) : undefined;
  if (scale === 'linear' && rows)
    return Axis.linear(Math.min(low, rows.from - 0.6 * rows.apart), Math.max(high, rows.to + 0.6 * rows.apart));
  const axis = Axis.around(values, scale, 0.06);
  return scale === 'linear' && low >= 0 && low < 0.4 * high ? Axis.linear(0, axis.to) : axis;
}

function withUnit({ name, unit }: ChartAxis): string {
  return unit ? `${name} (${unit})` : name;
}

function describe(chart: Chart): string {
  const { title, x, y, lines } = chart;
  const ranges = lines.map(({ name, points }) => {
    const values = points.filter((p) => shown(chart, p)).map((p) => p[1]);
    const [low, high] = rangeOf(values, 'linear') ?? [];
    return `${name} from ${format.number(low)} to ${format.number(high)}`.trim();
  });
  return `${title}: ${withUnit(y)} over ${withUnit(x)}: ${ranges.join('; ')}.`;
}
