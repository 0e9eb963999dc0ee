// What the program writes into the page: the result's numbers as JSON, and its moving model as base64 of a .glb.
//
// Right-handed, +Y up, metres, seconds, kilograms, radians. Frame k is at time k·dt. Twists, momenta and wrenches are (angular, linear).
// A number that has no value is null.

export type Vec = readonly number[];

/** One body over time; every list has a row a frame, or is empty. */
export interface Track {
  name: string;
  /** Name of the glTF node that carries the body's world motion. */
  node: string;
  /** World position of the body's frame, metres. */
  positions: Vec[];
  /** World rotation of the body's frame, quaternion x, y, z, w. */
  rotations: Vec[];
  /** Body frame: angular (rad/s), linear (m/s). */
  twists: Vec[];
  /** World frame, about the world's origin: angular (kg m²/s), linear (kg m/s); of a body ruled by drag, the net drag (N m, N). */
  momenta: Vec[];
  momentum_kind: 'momentum' | 'drag';
  /** World position of the centre of mass or, where drag rules, of drag, metres. */
  centers: Vec[];
  /** World frame, about the world's origin: torque (N m), force (N). When absent, the rate of change of the momenta is shown. */
  wrenches?: Vec[];
  /** What else was measured of the body. */
  series: Series[];
}

/** A named quantity, one value a frame. */
export interface Series {
  name: string;
  unit: string;
  /** The plot that it shares with others, and how it is called there; null for a plot of its own. */
  among?: [string, string] | null;
  line?: 'straight' | 'logarithmic' | 'steps';
  values: (number | null)[];
}

/** A result that is not over time: lines through points (x, y). */
export interface Chart {
  title: string;
  x: ChartAxis;
  y: ChartAxis;
  /** Of bars, each pair of points is one thick level bar. */
  lines: { name: string; points: (number | null)[][]; dashed: boolean; bars?: boolean }[];
}

export interface ChartAxis {
  name: string;
  unit: string;
  scale: 'linear' | 'logarithmic';
}

/** Something physics says must hold, measured. */
export interface Check {
  name: string;
  value: number | null;
  tolerance: number;
  pass: boolean;
}

/** How the run ended: `{status: "done"}`, or with what the status adds; a bare string also serves. */
export type Outcome = string | { status: string; frame?: number; residual?: number | null; advice?: string };

export interface Summary {
  frames?: number;
  dt?: number;
  vertices?: number;
  wall_s?: number | null;
  steps_per_s?: number | null;
  newton_iterations?: number | null;
  displacement?: Vec | null;
  rotation_deg?: number | null;
  mean_speed?: number | null;
  cycle_transform?: { translation: Vec; rotation: Vec } | null;
  body_length?: number | null;
  displacement_body_lengths?: number | null;
  outcome?: Outcome;
  warnings?: string[];
  checks?: Check[];
  charts?: Chart[];
}

/** A value at every vertex of a body, to colour it by; the control is hidden when a result has none. */
export interface VertexColors {
  /** What the value is, such as "Force". */
  label: string;
  unit: string;
  /** Values at the ends of the colour scale. */
  range: [number, number];
  /** Per coloured mesh: the glTF node that has it, and per frame one value for each vertex of the mesh. */
  meshes: { node: string; values: number[][] }[];
}

export interface Result {
  version: string;
  name: string;
  title: string;
  system: string;
  scene_toml: string;
  dt: number;
  frames: number;
  /** Name of the glTF animation to play; by default the one named after the scene, or that ends in `.world`, or the first. */
  clip?: string;
  /** Metres per unit of the model. */
  unit: number;
  /** Height of still water, metres; water that moves is in the model. */
  water?: number | null;
  summary: Summary;
  tracks: Track[];
  charts: Chart[];
  vertex_colors?: VertexColors;
}

/** The result in this page; undefined if it is a bare template. Throws when the text is not JSON. */
export function readResult(): Result | undefined {
  const text = document.getElementById('holonomy-data')?.textContent?.trim();
  if (!text) return undefined;
  const raw = JSON.parse(text) as Partial<Result>;
  const tracks = (raw.tracks ?? []).map(wholeTrack);
  const frames = raw.frames ?? tracks[0]?.positions.length ?? 1;
  return {
    version: raw.version ?? '',
    name: raw.name ?? 'result',
    title: raw.title || raw.name || 'Result',
    system: raw.system ?? '',
    scene_toml: raw.scene_toml ?? '',
    dt: raw.dt && raw.dt > 0 ? raw.dt : 1 / 60,
    frames: Math.max(1, frames),
    clip: raw.clip,
    unit: raw.unit && raw.unit > 0 ? raw.unit : 1,
    water: raw.water,
    summary: raw.summary ?? {},
    tracks,
    charts: raw.summary?.charts ?? [],
    vertex_colors: raw.vertex_colors,
  };
}

/** The model in this page; undefined if there is none. Throws when it is not base64. */
export function readModel(): ArrayBuffer | undefined {
  const element = document.getElementById('holonomy-glb');
  const text = element?.textContent?.trim();
  if (!element || !text) return undefined;
  element.textContent = ''; // megabytes that nobody needs twice
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

function wholeTrack(raw: Partial<Track>, index: number): Track {
  const positions = raw.positions ?? [];
  return {
    name: raw.name ?? `body ${index + 1}`,
    node: raw.node ?? raw.name ?? '',
    positions,
    rotations: raw.rotations ?? [],
    twists: raw.twists ?? [],
    momenta: raw.momenta ?? [],
    momentum_kind: raw.momentum_kind ?? 'momentum',
    centers: raw.centers?.length ? raw.centers : positions,
    wrenches: raw.wrenches,
    series: raw.series ?? [],
  };
}
