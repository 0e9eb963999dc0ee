// The few helpers the panels are built with. Text is always set as text, never as markup.

/** The element of the page with this id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element #${id}`);
  return element as T;
}

type Child = Node | string | null | undefined;

/** An element with attributes and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

/** A drawing of the page's sprite. */
export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  const use = document.createElementNS(SVG, 'use');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  use.setAttribute('href', `#i-${name}`);
  svg.append(use);
  return svg;
}

/** A short line in a series' colour and dashes. */
export function swatch(className: string, dash: readonly number[]): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  const line = document.createElementNS(SVG, 'line');
  svg.setAttribute('class', `swatch ${className}`);
  svg.setAttribute('viewBox', '0 0 22 8');
  svg.setAttribute('aria-hidden', 'true');
  for (const [name, value] of Object.entries({ x1: '1', x2: '21', y1: '4', y2: '4' })) line.setAttribute(name, value);
  if (dash.length) line.setAttribute('stroke-dasharray', dash.join(' '));
  svg.append(line);
  return svg;
}

/** Tells what just happened to those who cannot see it. */
export function announce(text: string): void {
  byId('status').textContent = text;
}
