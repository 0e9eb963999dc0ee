// Sample results to try the page on, made from nothing: a snake that crawls by a travelling wave.
//
// node scripts/sample.mjs [FRAMES VERTICES] > writes tests/out/sample.html; the tests import `snake` themselves.
// The tube's shapes are 2 × WAVES + 1 harmonics, so the morph targets are few, as those that the program writes.

import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makePage } from './make-page.mjs';

const SIDES = 12;

/** A result of `frames` frames whose model has about `vertices` vertices and `targets` morph targets: its data and its .glb.
 *  `scenery` is a list of [kind, middle, half sides] of boxes; `waves` the height of waves that grow on a sheet of water, metres;
 *  `ink` the colour of the body. */
export function snake({
  frames = 121,
  vertices = 732,
  targets = 12,
  fps = 60,
  skinned = false,
  name = 'snake',
  scenery = [],
  waves,
  ink,
} = {}) {
  const rings = Math.max(4, Math.round(vertices / SIDES));
  const dt = 1 / fps;
  const times = Float32Array.from({ length: frames }, (_, k) => k * dt);
  const pose = (t) => {
    const heading = 0.12 * Math.sin(2 * Math.PI * t) + 0.16 * t;
    const speed = 0.42;
    // The centre goes along an arc, with the sway of the gait on it.
    const [x, z] = [(speed / 0.16) * Math.sin(0.16 * t), (speed / 0.16) * (Math.cos(0.16 * t) - 1)];
    return {
      p: [x, 0.03, z + 0.02 * Math.sin(4 * Math.PI * t)],
      q: [0, Math.sin(heading / 2), 0, Math.cos(heading / 2)],
    };
  };
  const poses = [...times].map(pose);
  const glb = skinned
    ? skinnedTube(rings, times, poses, name)
    : morphTube(rings, targets, times, poses, name, scenery, waves, ink);
  return { data: dataOf(name, dt, times, poses), glb };
}

function dataOf(name, dt, times, poses) {
  const [mass, inertia] = [0.8, 0.06];
  const rate = (rows, k) => {
    const [a, b] = [Math.max(0, k - 1), Math.min(rows.length - 1, k + 1)];
    return rows[b].map((v, i) => (v - rows[a][i]) / ((b - a) * dt));
  };
  const positions = poses.map(({ p }) => p);
  const headings = poses.map(({ q }) => [2 * Math.atan2(q[1], q[3])]);
  const momenta = positions.map((c, k) => {
    const p = rate(positions, k).map((v) => mass * v);
    const own = inertia * rate(headings, k)[0];
    return [c[1] * p[2] - c[2] * p[1], c[2] * p[0] - c[0] * p[2] + own, c[0] * p[1] - c[1] * p[0], ...p];
  });
  const last = positions.length - 1;
  const displacement = positions[last].map((v, i) => v - positions[0][i]);
  const distance = Math.hypot(...displacement);
  const series = (label, unit, f) => ({ name: label, unit, values: [...times].map(f) });
  return {
    version: '0.1.0',
    name,
    title: 'Snake in mud',
    system: 'shape_change',
    scene_toml: SCENE,
    dt,
    frames: positions.length,
    summary: {
      frames: positions.length,
      dt,
      vertices: 60,
      wall_s: 0.0213,
      steps_per_s: 2816,
      newton_iterations: 3 * last,
      displacement,
      rotation_deg: 18.3,
      mean_speed: distance / (last * dt),
      cycle_transform: { translation: [0.418, 0, -0.033], rotation: [0, 0.0799, 0, 0.9968] },
      body_length: 1,
      displacement_body_lengths: distance,
      outcome: { status: 'done' },
      warnings: ['a cycle gains next to nothing'],
      checks: [
        { name: 'momentum_residual', value: 3.1e-13, tolerance: 1e-9, pass: true },
        { name: 'loop_closure', value: 2.2e-16, tolerance: 1e-10, pass: true },
        { name: 'dissipation_is_least', value: 0.013, tolerance: 0.01, pass: false },
      ],
    },
    tracks: [
      {
        name,
        node: name,
        positions,
        rotations: poses.map(({ q }) => q),
        twists: positions.map((_, k) => [0, rate(headings, k)[0], 0, ...rate(positions, k)]),
        momenta,
        centers: positions,
        series: [
          { ...series('speed', 'm/s', (_, k) => Math.hypot(...rate(positions, k))), line: 'straight' },
          { ...series('dissipation', 'W', (t) => 0.21 + 0.08 * Math.cos(4 * Math.PI * t)), line: 'straight' },
          {
            ...series('residual', '', (t) => 10 ** (-11 + 2 * Math.sin(7 * t) + Math.cos(31 * t))),
            line: 'logarithmic',
          },
          { ...series('iterations', '', (_, k) => 3 + (k % 7 === 0 ? 1 : 0)), line: 'steps' },
        ],
      },
    ],
  };
}

const SCENE = `# A snake crawls by sending waves down its body.
system = "shape_change"
title = "Snake in mud"

[body]
model = "snake"      # Hirose's serpenoid curve
length = 1.0         # metres
vertices = 60
waves = 1.5
amplitude_deg = 60.0
period = 1.0         # seconds

[medium]
name = "mud"
anisotropy = 0.05

[run]
fps = 60
cycles = 2
look = { color = [0.25, 0.55, 0.35], thickness = 0.04 }
exact = true
`;

/** Centre line of the snake: z = a(s) sin(2π(waves s − t)); as base + cos t · A + sin t · B it takes two targets. */
const wave = (s) => 0.11 * (0.4 + 0.6 * s);
const radius = (s) => 0.034 * Math.min(1, Math.sqrt(Math.max(0.02, 8 * s)), Math.sqrt(Math.max(0.002, 2.2 * (1 - s))));

/** The tube with its rings displaced by `offset(s)` sideways and up. */
function tube(rings, offset) {
  const positions = [];
  for (let i = 0; i < rings; i++) {
    const s = i / (rings - 1);
    for (let j = 0; j < SIDES; j++) {
      const angle = (2 * Math.PI * j) / SIDES;
      const [up, side] = offset(s);
      positions.push(0.5 - s, radius(s) * Math.cos(angle) + up, radius(s) * Math.sin(angle) + side);
    }
  }
  return Float32Array.from(positions);
}

function faces(rings) {
  const list = [];
  for (let i = 0; i + 1 < rings; i++) {
    for (let j = 0; j < SIDES; j++) {
      const [a, b] = [i * SIDES + j, i * SIDES + ((j + 1) % SIDES)];
      list.push(a, a + SIDES, b, b, a + SIDES, b + SIDES);
    }
  }
  return Uint16Array.from(list);
}

function normals(rings) {
  const list = [];
  for (let i = 0; i < rings * SIDES; i++) {
    const angle = (2 * Math.PI * (i % SIDES)) / SIDES;
    list.push(0, Math.cos(angle), Math.sin(angle));
  }
  return Float32Array.from(list);
}

function morphTube(rings, targets, times, poses, name, scenery, waves, ink) {
  const glb = new Glb(name);
  if (ink) glb.json.materials[0].pbrMetallicRoughness.baseColorFactor = ink;
  const still = tube(rings, () => [0, 0]);
  const layers = Array.from({ length: targets }, (_, j) => {
    const k = 1.5 * (1 + (j >> 1)); // pairs of a wave and its quarter shift; the higher ones are small
    const size = 1 / (1 + 3 * (j >> 1));
    return tube(rings, (s) => [0, size * wave(s) * Math.sin(2 * Math.PI * (k * s - (j % 2) / 4))]).map(
      (v, i) => v - still[i],
    );
  });
  const weights = [];
  for (const t of times) {
    for (let j = 0; j < targets; j++) {
      const phase = 2 * Math.PI * t * (1 + (j >> 1));
      weights.push(j % 2 ? Math.sin(phase) : Math.cos(phase));
    }
  }
  const mesh = glb.mesh(still, normals(rings), faces(rings), layers);
  const shape = glb.node({ name: `${name}.shape`, mesh });
  const world = glb.node({ name, children: [shape] }, true);
  glb.motion(world, times, poses);
  glb.channel(shape, 'weights', times, Float32Array.from(weights), 'SCALAR');
  scenery.forEach((piece, i) => void glb.box(`piece ${i}`, ...piece));
  if (waves !== undefined) glb.water(waves, times);
  return glb.bytes();
}

function skinnedTube(rings, times, poses, name) {
  const glb = new Glb(name);
  const joints = 12;
  const [indices, weights] = [new Uint8Array(rings * SIDES * 4), new Float32Array(rings * SIDES * 4)];
  for (let i = 0; i < rings * SIDES; i++) {
    const place = (Math.floor(i / SIDES) / (rings - 1)) * (joints - 1);
    const k = Math.min(Math.floor(place), joints - 2);
    indices.set([k, k + 1], 4 * i);
    weights.set([1 - (place - k), place - k], 4 * i);
  }
  const mesh = glb.mesh(
    tube(rings, () => [0, 0]),
    normals(rings),
    faces(rings),
    [],
    { indices, weights },
  );
  const bones = Array.from({ length: joints }, (_, j) =>
    glb.node({ name: `bone ${j}`, translation: [0.5 - j / (joints - 1), 0, 0] }),
  );
  const inverse = Float32Array.from(
    bones.flatMap((_, j) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, j / (joints - 1) - 0.5, 0, 0, 1]),
  );
  const world = glb.node({ name, children: bones }, true);
  glb.json.skins = [{ joints: bones, inverseBindMatrices: glb.accessor(inverse, 'MAT4') }];
  glb.node({ name: `${name}.shape`, mesh, skin: 0 }, true);
  glb.motion(world, times, poses);
  bones.forEach((bone, j) => {
    const s = j / (joints - 1);
    const places = [...times].flatMap((t) => [0.5 - s, 0, wave(s) * Math.sin(2 * Math.PI * (1.5 * s - t))]);
    glb.channel(bone, 'translation', times, Float32Array.from(places), 'VEC3');
  });
  return glb.bytes();
}

/** The little of a glTF writer that the samples need. */
class Glb {
  constructor(name) {
    this.parts = [];
    this.length = 0;
    this.json = {
      asset: { version: '2.0', generator: 'holonomy studio sample' },
      scene: 0,
      scenes: [{ nodes: [] }],
      nodes: [],
      meshes: [],
      materials: [
        { pbrMetallicRoughness: { baseColorFactor: [0.16, 0.36, 0.22, 1], metallicFactor: 0, roughnessFactor: 0.6 } },
      ],
      accessors: [],
      bufferViews: [],
      animations: [{ name, channels: [], samplers: [] }],
    };
  }

  accessor(array, type) {
    const size = { SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16 }[type];
    const componentType = { Float32Array: 5126, Uint16Array: 5123, Uint8Array: 5121 }[array.constructor.name];
    this.json.bufferViews.push({ buffer: 0, byteOffset: this.length, byteLength: array.byteLength });
    const padded = Buffer.alloc(Math.ceil(array.byteLength / 4) * 4);
    Buffer.from(array.buffer, array.byteOffset, array.byteLength).copy(padded);
    this.parts.push(padded);
    this.length += padded.length;
    const accessor = { bufferView: this.json.bufferViews.length - 1, componentType, count: array.length / size, type };
    if (type === 'VEC3' || type === 'SCALAR') Object.assign(accessor, range(array, size));
    return this.json.accessors.push(accessor) - 1;
  }

  mesh(positions, normal, indices, layers, skin, turned = []) {
    const attributes = { POSITION: this.accessor(positions, 'VEC3'), NORMAL: this.accessor(normal, 'VEC3') };
    if (skin) {
      attributes.JOINTS_0 = this.accessor(skin.indices, 'VEC4');
      attributes.WEIGHTS_0 = this.accessor(skin.weights, 'VEC4');
    }
    const primitive = { attributes, indices: this.accessor(indices, 'SCALAR'), material: 0 };
    if (layers.length) {
      primitive.targets = layers.map((layer, i) => ({
        POSITION: this.accessor(layer, 'VEC3'),
        ...(turned[i] && { NORMAL: this.accessor(turned[i], 'VEC3') }),
      }));
    }
    return (
      this.json.meshes.push({ primitives: [primitive], weights: layers.length ? layers.map(() => 0) : undefined }) - 1
    );
  }

  /** Scenery: a box that nothing moves. */
  box(name, kind, middle, half) {
    const [positions, normal] = [[], []];
    for (const [axis, sign] of [0, 1, 2].flatMap((a) => [-1, 1].map((s) => [a, s]))) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      for (const [a, b] of [
        [-1, -1],
        [sign, -sign],
        [1, 1],
        [-sign, sign],
      ]) {
        const corner = [0, 0, 0];
        [corner[axis], corner[u], corner[v]] = [sign, a, b];
        positions.push(...corner.map((c, k) => middle[k] + c * half[k]));
        normal.push(...[0, 1, 2].map((k) => (k === axis ? sign : 0)));
      }
    }
    const faces = [0, 1, 2, 3, 4, 5].flatMap((k) => [0, 1, 2, 0, 2, 3].map((v) => 4 * k + v));
    const mesh = this.mesh(Float32Array.from(positions), Float32Array.from(normal), Uint16Array.from(faces), []);
    const inks = { obstacle: [0.34, 0.29, 0.24, 1], ground: [0.49, 0.42, 0.26, 1], goal: [0.02, 0.34, 0.09, 0.4] };
    const material = { pbrMetallicRoughness: { baseColorFactor: inks[kind], metallicFactor: 0, roughnessFactor: 0.9 } };
    if (kind === 'goal') material.alphaMode = 'BLEND';
    this.json.meshes[mesh].primitives[0].material = this.json.materials.push(material) - 1;
    return this.node({ name, mesh, extras: { holonomy: { scenery: kind } } }, true);
  }

  /** A sheet of water under the motion: a wave along x, as a morph target with its normals, that grows over the run. */
  water(height, times) {
    const [side, half, wave] = [49, 2.4, 5];
    const [still, up, rise, lean] = [[], [], [], []];
    for (let i = 0; i < side * side; i++) {
      const [x, z] = [Math.floor(i / side), i % side].map((k) => half * ((2 * k) / (side - 1) - 1));
      still.push(x, 0, z);
      up.push(0, 1, 0);
      rise.push(0, height * Math.sin(wave * x), 0);
      const slope = height * wave * Math.cos(wave * x);
      const long = Math.hypot(slope, 1);
      lean.push(-slope / long, 1 / long - 1, 0);
    }
    const faces = [];
    for (let i = 0; i + 1 < side; i++) {
      for (let j = 0; j + 1 < side; j++) {
        const a = i * side + j;
        faces.push(a, a + 1, a + side, a + 1, a + side + 1, a + side);
      }
    }
    const [positions, normal, layer, turned] = [still, up, rise, lean].map((list) => Float32Array.from(list));
    const mesh = this.mesh(positions, normal, Uint16Array.from(faces), [layer], undefined, [turned]);
    const look = { baseColorFactor: [0.14, 0.35, 0.41, 0.62], metallicFactor: 0, roughnessFactor: 0.15 };
    const material = { pbrMetallicRoughness: look, alphaMode: 'BLEND', doubleSided: true };
    this.json.meshes[mesh].primitives[0].material = this.json.materials.push(material) - 1;
    const node = this.node({ name: 'water', mesh, extras: { holonomy: { matter: 'water' } } }, true);
    const last = times[times.length - 1];
    this.channel(
      node,
      'weights',
      times,
      times.map((t) => t / last),
      'SCALAR',
    );
  }

  node(node, isRoot = false) {
    const index = this.json.nodes.push(node) - 1;
    if (isRoot) this.json.scenes[0].nodes.push(index);
    return index;
  }

  motion(node, times, poses) {
    this.channel(node, 'translation', times, Float32Array.from(poses.flatMap(({ p }) => p)), 'VEC3');
    this.channel(node, 'rotation', times, Float32Array.from(poses.flatMap(({ q }) => q)), 'VEC4');
  }

  channel(node, path, times, values, type) {
    const [animation] = this.json.animations;
    this.times ??= this.accessor(times, 'SCALAR');
    const sampler =
      animation.samplers.push({ input: this.times, output: this.accessor(values, type), interpolation: 'LINEAR' }) - 1;
    animation.channels.push({ sampler, target: { node, path } });
  }

  bytes() {
    this.json.buffers = [{ byteLength: this.length }];
    const text = Buffer.from(JSON.stringify(this.json));
    const json = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, ' ')]);
    const head = (...words) => Buffer.from(Uint32Array.from(words).buffer);
    const total = 12 + 8 + json.length + 8 + this.length;
    return Buffer.concat([
      head(0x46546c67, 2, total, json.length, 0x4e4f534a),
      json,
      head(this.length, 0x004e4942),
      ...this.parts,
    ]);
  }
}

function range(array, size) {
  const [min, max] = [Array(size).fill(Infinity), Array(size).fill(-Infinity)];
  array.forEach((v, i) => {
    min[i % size] = Math.min(min[i % size], v);
    max[i % size] = Math.max(max[i % size], v);
  });
  return { min, max };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [frames, vertices] = process.argv.slice(2).map(Number);
  const { data, glb } = snake(frames ? { frames, vertices } : {});
  const out = new URL('../tests/out/', import.meta.url);
  mkdirSync(out, { recursive: true });
  writeFileSync(new URL('sample.html', out), makePage(data, glb));
  console.log(fileURLToPath(new URL('sample.html', out)));
}
