// The tables: what the run came to, what was checked, and the scene file.

import type { Check, Outcome, Result, Summary } from './data';
import { length } from './derive';
import { announce, byId, icon, make } from './dom';
import * as format from './format';
import { tokens } from './toml';

/** Fills header, summary and scene. */
export function fillPanels(result: Result): void {
  document.title = `${result.title} · Holonomy`;
  byId('title').textContent = result.title;
  byId('subtitle').textContent = subtitle(result);
  fillVerdict(result.summary);
  byId('panel-summary').replaceChildren(...summary(result));
  byId('panel-scene').replaceChildren(...scene(result));
}

function subtitle(result: Result): string {
  const seconds = format.number((result.frames - 1) * result.dt);
  return [result.system && format.title(result.system), `${result.frames} frames`, `${seconds} s`]
    .filter(Boolean)
    .join(' · ');
}

/** How the run ended, how many checks it passed, and whether there is something to read; pressed, it shows where. */
function fillVerdict({ checks = [], warnings = [], outcome }: Summary): void {
  const verdict = byId('verdict');
  const { done, text } = ending(outcome);
  const passed = checks.filter((check) => check.pass).length;
  const words = [
    !done && text,
    done && checks.length > 0 && `${passed} of ${checks.length} checks pass`,
    warnings.length > 0 && `${warnings.length} ${warnings.length === 1 ? 'note' : 'notes'}`,
  ].filter(Boolean);
  if (!words.length) return;
  const look = !done || passed < checks.length ? 'bad' : warnings.length ? 'noted' : 'good';
  verdict.hidden = false;
  verdict.classList.add(look);
  verdict.replaceChildren(
    icon({ good: 'pass', noted: 'note', bad: 'fail' }[look]),
    make('span', {}, words.join(' · ')),
  );
  verdict.addEventListener('click', () => {
    byId('tab-summary').click();
    byId(warnings.length ? 'notes' : 'checks').scrollIntoView({ block: 'nearest' });
  });
}

function ending(outcome: Outcome | undefined): { done: boolean; text: string } {
  const { status, frame, residual, advice } = typeof outcome === 'object' ? outcome : { status: outcome ?? 'done' };
  const details = [
    frame !== undefined && `at frame ${frame}`,
    residual !== undefined && `residual ${format.number(residual)}`,
    advice,
  ].filter(Boolean);
  const text = format.title(status) + (details.length ? `: ${details.join(', ')}` : '');
  return { done: status.toLowerCase() === 'done', text };
}

function summary(result: Result): HTMLElement[] {
  const heading = (text: string, id = text.toLowerCase()) => make('h2', { id }, text);
  const notes = (result.summary.warnings ?? []).map((text) => make('li', {}, icon('note'), make('span', {}, text)));
  const parts: HTMLElement[] = notes.length ? [heading('Notes'), make('ul', { class: 'notes' }, ...notes)] : [];
  parts.push(heading('Motion'), rows(motionRows(result)), heading('Checks'), checks(result.summary.checks ?? []));
  parts.push(heading('Computation'), rows(computationRows(result)));
  return parts;
}

type Row = [label: string, value: string | null | undefined | false, unit?: string];

const has = (value: unknown) => value !== null && value !== undefined;

function motionRows({ summary: s, dt, frames }: Result): Row[] {
  const cycle = s.cycle_transform;
  const turn = cycle ? (2 * Math.acos(Math.min(1, Math.abs(cycle.rotation[3] ?? 1))) * 180) / Math.PI : 0;
  return [
    ['Outcome', ending(s.outcome).text],
    ['Duration', format.number((frames - 1) * dt), 's'],
    ['Displacement', s.displacement && format.number(length(s.displacement)), 'm'],
    ['Displacement x, y, z', s.displacement && format.vector(s.displacement), 'm'],
    ['In body lengths', has(s.displacement_body_lengths) && format.number(s.displacement_body_lengths)],
    ['Body length', has(s.body_length) && format.number(s.body_length), 'm'],
    ['Mean speed', has(s.mean_speed) && format.number(s.mean_speed), 'm/s'],
    ['Rotation', has(s.rotation_deg) && format.number(s.rotation_deg), '°'],
    ['Per cycle x, y, z', cycle && format.vector(cycle.translation), 'm'],
    ['Per cycle, turn', cycle && format.number(turn), '°'],
  ];
}

function computationRows({ summary: s, dt, frames, version, system }: Result): Row[] {
  return [
    ['System', system && format.title(system)],
    ['Frames', String(frames)],
    ['Time step', format.number(dt), 's'],
    ['Vertices', has(s.vertices) && String(s.vertices)],
    ['Newton iterations', has(s.newton_iterations) && String(s.newton_iterations)],
    ['Time to compute', has(s.wall_s) && format.number(s.wall_s), 's'],
    ['Steps per second', has(s.steps_per_s) && format.number(s.steps_per_s)],
    ['Engine', version && `Holonomy ${version}`],
    ['Page', version !== __VERSION__ && __VERSION__],
  ];
}

function rows(list: Row[]): HTMLElement {
  const body = make('tbody');
  for (const [label, value, unit] of list) {
    if (!value) continue;
    const unitText = unit ? make('span', { class: 'dim' }, ` ${unit}`) : null;
    body.append(make('tr', {}, make('th', { scope: 'row' }, label), make('td', {}, value, unitText)));
  }
  return make('table', { class: 'facts' }, body);
}

function checks(list: Check[]): HTMLElement {
  if (!list.length) return make('p', { class: 'empty' }, 'Nothing was checked on this run.');
  const head = ['Check', 'Value', 'At most', 'Result'].map((text) => make('th', { scope: 'col' }, text));
  const body = list.map(({ name, value, tolerance, pass }) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, format.title(name)),
      make('td', { class: 'figure' }, format.number(value)),
      make('td', { class: 'figure' }, format.number(tolerance)),
      make(
        'td',
        { class: pass ? 'good' : 'bad' },
        make('span', { class: 'result' }, icon(pass ? 'pass' : 'fail'), pass ? 'Pass' : 'Fail'),
      ),
    ),
  );
  return make('table', { class: 'checks' }, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...body));
}

function scene({ scene_toml: text, name }: Result): HTMLElement[] {
  if (!text) return [make('p', { class: 'empty' }, 'The scene file is not in this page.')];
  const code = make('code');
  for (const token of tokens(text)) {
    code.append(token.kind === 'plain' ? token.text : make('span', { class: `toml-${token.kind}` }, token.text));
  }
  const copy = make(
    'button',
    { type: 'button', id: 'copy', class: 'labelled' },
    icon('copy'),
    make('span', {}, 'Copy'),
  );
  copy.addEventListener('click', async () => {
    const done = await copyText(text);
    announce(done ? 'Scene file copied' : 'The browser did not allow copying');
    const label = copy.querySelector('span');
    if (label) label.textContent = done ? 'Copied' : 'Select and copy';
  });
  const heading = make('div', { class: 'scene-head' }, make('h2', {}, `${name}.toml`), copy);
  return [heading, make('pre', { class: 'scene', tabindex: '0', 'aria-label': 'Scene file' }, code)];
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
