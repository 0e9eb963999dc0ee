// Numbers and names as people read them.

/** Three significant digits; powers of ten for the very small and the very large. */
export function number(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text =
    size < 1e-3 || size >= 1e6 ? value.toExponential(digits - 1).replace(/\.?0+e/, 'e') : fixed(value, digits);
  return text.replaceAll('-', '\u2212');
}

function fixed(value: number, digits: number): string {
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(places, 6));
}

export function vector(value: readonly (number | null)[] | null | undefined): string {
  return value ? value.map((x) => number(x)).join(', ') : '–';
}

/** A time with as many decimals as tell frames apart. */
export function seconds(time: number, dt: number): string {
  return time.toFixed(Math.min(4, Math.max(2, Math.ceil(-Math.log10(dt)))));
}

/** `newton_iterations` as “Newton iterations”. */
export function title(name: string): string {
  const words = name.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A round number (1, 2 or 5 times a power of ten) near `value`. */
export function round(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const lead = value / power;
  return (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
}

/** A length in the unit that suits it. */
export function metres(value: number): string {
  if (value < 1e-3) return `${Number((value * 1e6).toPrecision(3))} µm`;
  if (value < 1e-2) return `${Number((value * 1e3).toPrecision(3))} mm`;
  if (value < 1) return `${Number((value * 100).toPrecision(3))} cm`;
  return value < 1000 ? `${Number(value.toPrecision(3))} m` : `${Number((value / 1000).toPrecision(3))} km`;
}
