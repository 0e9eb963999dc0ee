// Keyboard shortcuts: one table that both the keys and the `?` sheet are made from.

import { byId, make } from './dom';

export interface Shortcut {
  /** Values of `KeyboardEvent.key`. */
  keys: string[];
  /** As shown on the sheet. */
  shown: string[];
  does: string;
  group: 'Time' | 'Camera' | 'Overlays' | 'Page';
  run: () => void;
  /** With the Shift key, for keys that do something else without. */
  shift?: boolean;
}

/** Keys that an element with the focus needs for itself. */
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  if (!target) return false;
  if (target.closest('dialog')) return event.key !== '?';
  if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return true;
  if (target.getAttribute('role') === 'tab') return [' ', 'ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key);
  return event.key === ' ' && target instanceof HTMLButtonElement;
}

export function startShortcuts(list: Shortcut[]): void {
  fillSheet(list);
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event)) return;
    const shortcut = list.find((s) => {
      const known = s.keys.includes(event.key) || s.keys.includes(event.key.toLowerCase());
      // Shift counts only where the table says so; on some layouts it takes Shift to type "+" or "?".
      return known && (event.key.length > 1 || /[a-z]/i.test(event.key) ? event.shiftKey === (s.shift ?? false) : true);
    });
    if (!shortcut) return;
    event.preventDefault();
    shortcut.run();
  });
}

export function toggleSheet(): void {
  const sheet = byId<HTMLDialogElement>('sheet');
  if (sheet.open) sheet.close();
  else sheet.showModal();
}

function fillSheet(list: Shortcut[]): void {
  const groups = [...new Set(list.map((s) => s.group))];
  const sections = groups.map((group) => {
    const lines = list.filter((s) => s.group === group);
    const body = lines.map((s) => {
      const keys = s.shown.map((key) => make('kbd', {}, key));
      return make('div', { class: 'shortcut' }, make('dt', {}, ...keys), make('dd', {}, s.does));
    });
    return make('section', {}, make('h3', {}, group), make('dl', {}, ...body));
  });
  const hint = 'In the free camera, with the view focused: W A S D move, Q and E sink and rise, dragging looks around.';
  byId('sheet-body').replaceChildren(
    make('div', { class: 'sheet-groups' }, ...sections),
    make('p', { class: 'dim' }, hint),
  );
  const sheet = byId<HTMLDialogElement>('sheet');
  byId('sheet-close').addEventListener('click', () => sheet.close());
  sheet.addEventListener('click', (event) => event.target === sheet && sheet.close());
}
