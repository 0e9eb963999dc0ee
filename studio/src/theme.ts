// Dark or light: what the system asks for, until the reader chooses.

const dark = matchMedia('(prefers-color-scheme: dark)');
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const listeners: (() => void)[] = [];

export type Theme = 'dark' | 'light';

export function theme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light';
}

/** Whether the reader asked for less motion: then nothing plays by itself and the camera does not glide. */
export function reducedMotion(): boolean {
  return calm.matches;
}

export function startTheme(): void {
  apply(dark.matches ? 'dark' : 'light');
  dark.addEventListener('change', () => apply(dark.matches ? 'dark' : 'light'));
}

export function toggleTheme(): Theme {
  apply(theme() === 'dark' ? 'light' : 'dark');
  return theme();
}

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

/** The present value of a colour of the stylesheet. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function apply(to: Theme): void {
  document.documentElement.dataset.theme = to;
  for (const listener of listeners) listener();
}
