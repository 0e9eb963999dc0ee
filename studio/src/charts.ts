// Charts: results that are not over time. Axes as in the plots; lines go through their points in the order given, with a mark at each that
// was measured.

import uPlot from 'uplot';
import type { Chart, ChartAxis } from './data';
import { make, swatch } from './dom';
import * as format from './format';
import { color } from './theme';

const HEIGHT = 210;
const DASH = [7, 4];
/** Half the size of a mark, pixels. */
const MARK = 3.2;

type Place = readonly [number, number];

/** One chart; the time has no say in it. */
export class ChartPlot {
  readonly chart: uPlot;

  constructor(
    private readonly content: Chart,
    panel: HTMLElement,
    axis: Partial<uPlot.Axis>,
    tick: (value: number) => string,
  ) {
    const holder = make('div', { class: 'chart-area', role: 'img', 'aria-label': describe(content) });
    panel.append(make('figure', { class: 'plot chart' }, this.caption(), holder));
    const { x, y } = content;
    const label = (value: number | null) => (value === null ? '' : tick(value));
    const [across, up] = [span(content, 0), span(content, 1)];
    this.chart = new uPlot(
      {
        width: 300,
        height: HEIGHT,
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
    this.chart.setSize({ width, height: HEIGHT });
  }

  private caption(): HTMLElement {
    const { title, y, lines } = this.content;
    const keys = lines.map((line, i) =>
      make('span', { class: 'key' }, swatch(`line-${i % 3}`, line.dashed ? DASH : []), line.name),
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
      const ink = color(`line-${i % 3}`);
      Object.assign(ctx, { strokeStyle: ink, fillStyle: ink, lineWidth: 1.8 * scale, lineJoin: 'round' });
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
