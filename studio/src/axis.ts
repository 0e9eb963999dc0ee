// Axes of plots and charts: from values to places between 0 and 1, and where the ticks are.
//
// The plotting library is given places only. Its own ticks go on for ever, or not at all, when values are beyond the powers of ten it has in
// store or when a range is below the rounding of the numbers in it; here any finite values have an axis.

export type Scale = 'linear' | 'logarithmic';

export interface Tick {
  value: number;
  place: number;
}

/** What is larger, or on a logarithmic axis smaller, is drawn at this: room is left for differences and margins. */
const LARGEST = 1e300;
const SMALLEST = 1e-300;
/** Numbers come with seven digits: a range smaller than this part of them is rounding. */
const DIGITS = 2e-6;
const STEPS = [1, 2, 2.5, 5, 10] as const;

export class Axis {
  /** The ends are values or, of a logarithmic axis, powers of ten. */
  private constructor(
    readonly scale: Scale,
    readonly from: number,
    readonly to: number,
  ) {}

  /** From one value to another, or as little more as can be told apart. */
  static linear(from: number, to: number): Axis {
    const [a, b] = [bounded(from), bounded(to)];
    const lacking = Math.max(DIGITS * Math.max(Math.abs(a), Math.abs(b)), SMALLEST) - (b - a);
    const more = lacking > 0 ? lacking / 2 : 0;
    return new Axis('linear', a - more, b + more);
  }

  /** The powers of ten around positive values. */
  static logarithmic(from: number, to: number): Axis {
    const low = Math.floor(power(from));
    return new Axis('logarithmic', low, Math.max(Math.ceil(power(to)), low + 1));
  }

  /** Around values, with `air` of their range on either side; a constant still gets some height. Without values from 0 to 1. */
  static around(values: Iterable<number | null | undefined>, scale: Scale, air: number): Axis {
    const range = rangeOf(values, scale);
    if (!range) return scale === 'linear' ? Axis.linear(0, 1) : Axis.logarithmic(0.1, 1);
    const [a, b] = range.map(bounded) as [number, number];
    if (scale === 'logarithmic') return Axis.logarithmic(a, b);
    const margin = b > a ? (b - a) * air : Math.abs(a) * 0.1 || 1;
    return Axis.linear(a - margin, b + margin);
  }

  /** Where a value is, from 0 to 1; null when it has no place. */
  place(value: number | null | undefined): number | null {
    if (!hasPlace(value, this.scale)) return null;
    const at = this.scale === 'linear' ? bounded(value) : power(value);
    return (at - this.from) / (this.to - this.from);
  }

  /** At most about `most` ticks, at round values. */
  ticks(most: number): Tick[] {
    const extent = this.to - this.from;
    const step = roundStep(extent / Math.max(1, most));
    const whole = this.scale === 'linear' ? step : Math.max(1, Math.ceil(step));
    const [first, last] = [Math.ceil(this.from / whole - 1e-9), Math.floor(this.to / whole + 1e-9)];
    const ticks: Tick[] = [];
    for (let k = first; k <= last; k++) {
      const at = k === 0 ? 0 : Number((k * whole).toPrecision(12));
      const value = this.scale === 'linear' ? at : Number(`1e${at}`);
      ticks.push({ value, place: (at - this.from) / extent });
    }
    return ticks;
  }

  /** Ticks as text, with as many digits as tell them apart. */
  label(value: number, most: number): string {
    if (value === 0) return '0';
    const step = roundStep((this.to - this.from) / Math.max(1, most));
    const digits = this.scale === 'linear' ? Math.ceil(Math.log10(Math.abs(value) / step)) + 2 : 1;
    const short = Number(value.toPrecision(Math.min(Math.max(digits, 1), 12)));
    const size = Math.abs(short);
    return (size < 1e-3 || size >= 1e5 ? short.toExponential() : String(short)).replaceAll('-', '\u2212');
  }
}

/** Least and greatest of the values that have a place; undefined without any. */
export function rangeOf(values: Iterable<number | null | undefined>, scale: Scale): [number, number] | undefined {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!hasPlace(value, scale)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? [low, high] : undefined;
}

function hasPlace(value: number | null | undefined, scale: Scale): value is number {
  return typeof value === 'number' && Number.isFinite(value) && (scale === 'linear' || value > 0);
}

function bounded(value: number): number {
  return Math.min(Math.max(value, -LARGEST), LARGEST);
}

function power(value: number): number {
  return Math.log10(Math.min(Math.max(value, SMALLEST), LARGEST));
}

/** The round number that is not less. */
function roundStep(least: number): number {
  const exponent = Math.floor(Math.log10(least));
  const unit = Number(`1e${exponent}`);
  return (STEPS.find((step) => step * unit >= least * (1 - 1e-9)) ?? 10) * unit;
}
