// How axes are drawn, the same in plots and charts.

import type uPlot from 'uplot';
import type { Axis } from './axis';
import { color } from './theme';

/** What axes look like. */
export function axisLooks(): Partial<uPlot.Axis> {
  return {
    stroke: () => color('text-dim'),
    grid: { stroke: () => color('line-soft'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
}

/** Ticks of an axis at least `apart` pixels from each other, on a scale whose places 0 and 1 are `unit` apart. */
export function ticksOf(axis: Axis, apart: number, unit = 1, suffix = ''): Partial<uPlot.Axis> {
  let most = 1;
  return {
    // It is asked before the others, and told how many pixels there are.
    space: (_plot, _which, _from, _to, pixels) => {
      most = Math.max(1, pixels / apart);
      return apart;
    },
    splits: () => axis.ticks(most).map(({ place }) => place * unit),
    values: () => axis.ticks(most).map(({ value }) => axis.label(value, most) + suffix),
  };
}

/** Room for the labels beside a plot: the same for all, unless one needs more. */
export function besidePlot(_: uPlot, labels: string[] | null): number {
  return Math.max(58, ...(labels ?? []).map((label) => 6.4 * label.length + 10));
}
