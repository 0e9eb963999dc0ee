// The moving model: the .glb, posed at any time of the run, and its shape frozen at a moment (for ghosts and for framing).

import {
  type AnimationAction,
  type AnimationClip,
  AnimationMixer,
  Box3,
  BufferAttribute,
  BufferGeometry,
  type Material,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  PointsMaterial,
  SkinnedMesh,
  Vector3,
} from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import type { Result, Track } from '../data';
import { at } from '../derive';
import { AddedTargets, plain } from './added_targets';
import { measureWaves, shadeWaves } from './waves';

/** More morph targets than this would not fit a shader's uniforms everywhere, or are slow without a graphics card; they are then added up here. */
const MOST_TARGETS = { hardware: 120, software: 2 };
/** Parts of the run at which waves are measured. */
const WAVE_SAMPLES = [0.15, 0.4, 0.65, 0.9];

export class Model {
  readonly root: Object3D;
  /** What moves. */
  readonly meshes: Mesh[] = [];
  /** What stands still, and what is around the bodies and moves: water, food. */
  readonly scenery: Mesh[] = [];
  private readonly mixer: AnimationMixer;
  private readonly action: AnimationAction | undefined;
  private readonly added: AddedTargets[] = [];
  /** Water that moves, and its surface at rest in the file's units. */
  private readonly water: { mesh: Mesh; still: number }[] = [];
  /** Bodies whose world motion the animation lacks; they are placed from their tracks. */
  private readonly unmoved: { node: Object3D; track: Track }[];

  private constructor(
    root: Object3D,
    clip: AnimationClip | undefined,
    private readonly result: Result,
    private readonly mostTargets: number,
  ) {
    this.root = root;
    this.mixer = new AnimationMixer(root);
    this.action = clip && this.mixer.clipAction(clip).play();
    root.traverse((object) => this.prepare(object));
    this.unmoved = result.tracks.flatMap((track) => {
      const node = this.node(track.node);
      const moves = node && clip?.tracks.some((t) => t.name.startsWith(`${node.name}.`));
      return node && !moves ? [{ node, track }] : [];
    });
    this.shadeWater();
  }

  /** Reads the bytes of a .glb; throws when they are not one. */
  static async load(bytes: ArrayBuffer, result: Result, renderer: 'hardware' | 'software'): Promise<Model> {
    const file = await new GLTFLoader().parseAsync(bytes, '');
    file.scene.scale.setScalar(result.unit); // the page is in metres
    return new Model(file.scene, chooseClip(file.animations, result), result, MOST_TARGETS[renderer]);
  }

  /** The node with this name in the file. */
  node(name: string): Object3D | undefined {
    let found: Object3D | undefined;
    this.root.traverse((object) => {
      // The loader drops characters that animation paths use, and keeps the file's own name beside.
      if (!found && name && (object.userData.name === name || object.name === name)) found = object;
    });
    return found;
  }

  /** Shows the model as it is `time` seconds into the run. */
  pose(time: number): void {
    if (this.action) {
      this.action.time = Math.min(time, this.action.getClip().duration);
      this.mixer.update(0);
    }
    for (const { node, track } of this.unmoved) this.place(node, track, time);
    for (const added of this.added) added.update();
    this.root.updateMatrixWorld(true);
  }

  /** World places of what moves, mesh by mesh, as they are at `time`. */
  surfaces(time: number): Float32Array[] {
    this.pose(time);
    return this.meshes.map(placed);
  }

  /** The surfaces as they are at `time`, in world coordinates. */
  frozen(time: number): { mesh: Mesh; geometry: BufferGeometry }[] {
    const places = this.surfaces(time);
    return this.meshes.map((mesh, k) => {
      const geometry = new BufferGeometry();
      geometry.setIndex(mesh.geometry.index);
      geometry.setAttribute('position', new BufferAttribute(places[k] ?? new Float32Array(), 3));
      const { uv, color } = mesh.geometry.attributes;
      if (uv) geometry.setAttribute('uv', uv);
      if (color) geometry.setAttribute('color', color);
      return { mesh, geometry };
    });
  }

  /** The box around everything the model passes through, and the size of the model itself. */
  reach(duration: number): { box: Box3; size: number } {
    const cost = this.meshes.reduce((sum, mesh) => sum + vertices(mesh) * (1 + targets(mesh)), 1);
    const samples = Math.round(Math.min(Math.max(3e6 / cost, 2), 13));
    const box = new Box3();
    let size = 0;
    for (let i = 0; i < samples; i++) {
      this.pose((duration * i) / Math.max(1, samples - 1));
      for (const mesh of this.meshes) {
        const part = new Box3().setFromArray(placed(mesh));
        size = Math.max(size, part.getSize(new Vector3()).length());
        box.union(part);
      }
    }
    return { box, size };
  }

  /** Waves are shaded to the measure of those that the run has. */
  private shadeWater(): void {
    const duration = (this.result.frames - 1) * this.result.dt;
    for (const { mesh, still } of this.water) {
      const moments = WAVE_SAMPLES.map((part) => {
        this.pose(part * duration);
        return placed(mesh);
      });
      const height = new Vector3(0, still, 0).applyMatrix4(mesh.matrixWorld).y;
      const measure = measureWaves(mesh, height, moments);
      if (measure) shadeWaves(mesh, height, measure);
    }
  }

  private place(node: Object3D, track: Track, time: number): void {
    const k = Math.min(Math.round(time / this.result.dt), track.rotations.length - 1);
    const q = track.rotations[k];
    node.position.set(...at(track.positions, time, this.result.dt));
    if (q) node.quaternion.set(q[0] ?? 0, q[1] ?? 0, q[2] ?? 0, q[3] ?? 1);
  }

  private prepare(object: Object3D): void {
    object.frustumCulled = false; // the loader's bounds are those of the shape at rest
    const drawn = object as Mesh;
    const materials = drawn.material ? [drawn.material].flat() : [];
    materials.forEach(suit);
    if (!(object instanceof Mesh)) return;
    const kind = sceneryKind(object);
    const clear = kind === 'goal' || kind === 'water';
    // Land in the light of a low sun would throw blots on itself.
    object.castShadow = !clear && kind !== 'ground';
    object.receiveShadow = !clear;
    for (const material of clear ? materials : []) material.depthWrite = false;
    (kind ? this.scenery : this.meshes).push(object);
    const [material] = materials;
    if (kind === 'water' && targets(object) > 0 && material instanceof MeshStandardMaterial)
      this.water.push({ mesh: object, still: object.geometry.attributes.position?.getY(0) ?? 0 });
    if (targets(object) > this.mostTargets) this.added.push(new AddedTargets(object));
  }
}

/** What a mesh is that is no body: `obstacle`, `ground`, `goal`, `water`, `food`; undefined for a body. */
export function sceneryKind(mesh: Object3D): string | undefined {
  const of = (object: Object3D | null) => {
    const { scenery, matter } = object?.userData.holonomy ?? {};
    return (scenery ?? matter) as string | undefined;
  };
  return of(mesh) ?? of(mesh.parent);
}

function chooseClip(clips: AnimationClip[], { clip, name }: Result): AnimationClip | undefined {
  return (
    clips.find((c) => c.name === clip) ??
    clips.find((c) => c.name.endsWith('.world')) ??
    clips.find((c) => c.name === name) ??
    clips[0]
  );
}

/** Metals need surroundings to reflect, and there are none here: without this they would be black. Water keeps its glints. */
function suit(material: Material): void {
  if (material instanceof MeshStandardMaterial) {
    material.metalness = Math.min(material.metalness, 0.15);
    material.roughness = Math.max(material.roughness, material.transparent ? 0.15 : 0.4);
  }
  if (material instanceof PointsMaterial) {
    material.size = 5;
    material.sizeAttenuation = false;
  }
}

function vertices(mesh: Mesh): number {
  return mesh.geometry.attributes.position?.count ?? 0;
}

function targets(mesh: Mesh): number {
  return mesh.geometry.morphAttributes.position?.length ?? 0;
}

/** World positions of a mesh's vertices after morph targets and skin. */
function placed(mesh: Mesh): Float32Array {
  const base = mesh.geometry.attributes.position;
  if (!base) return new Float32Array();
  const out = plain(base);
  const count = base.count;
  mesh.geometry.morphAttributes.position?.forEach((target, j) => {
    const weight = mesh.morphTargetInfluences?.[j] ?? 0;
    if (weight === 0) return;
    for (let i = 0; i < count; i++) {
      out[3 * i] = (out[3 * i] ?? 0) + weight * target.getX(i);
      out[3 * i + 1] = (out[3 * i + 1] ?? 0) + weight * target.getY(i);
      out[3 * i + 2] = (out[3 * i + 2] ?? 0) + weight * target.getZ(i);
    }
  });
  const point = new Vector3();
  for (let i = 0; i < count; i++) {
    point.fromArray(out, 3 * i);
    if (mesh instanceof SkinnedMesh) mesh.applyBoneTransform(i, point);
    point.applyMatrix4(mesh.matrixWorld).toArray(out, 3 * i);
  }
  return out;
}
