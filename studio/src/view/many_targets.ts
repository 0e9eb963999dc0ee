// A mesh with hundreds of morph targets (one a frame), whose sum a shader cannot take: only the few that weigh are added, on the processor.

import { BufferAttribute, type InterleavedBufferAttribute, type Mesh } from 'three';

type Attribute = BufferAttribute | InterleavedBufferAttribute;

export class ManyTargets {
  private readonly layers: { out: BufferAttribute; base: Float32Array; targets: Attribute[] }[] = [];

  constructor(private readonly mesh: Mesh) {
    const { geometry } = mesh;
    for (const name of ['position', 'normal'] as const) {
      const [source, targets] = [geometry.attributes[name], geometry.morphAttributes[name]];
      if (!source || !targets) continue;
      const base = new Float32Array(3 * source.count);
      for (let i = 0; i < source.count; i++) base.set([source.getX(i), source.getY(i), source.getZ(i)], 3 * i);
      const out = new BufferAttribute(base.slice(), 3);
      geometry.setAttribute(name, out);
      this.layers.push({ out, base, targets });
    }
    geometry.morphAttributes = {};
  }

  update(): void {
    const weights = this.mesh.morphTargetInfluences ?? [];
    for (const { out, base, targets } of this.layers) {
      const array = out.array as Float32Array;
      array.set(base);
      weights.forEach((weight, j) => {
        const target = targets[j];
        if (weight !== 0 && target) add(array, target, weight);
      });
      out.needsUpdate = true;
    }
  }
}

function add(out: Float32Array, target: Attribute, weight: number): void {
  for (let i = 0; i < target.count; i++) {
    out[3 * i] = (out[3 * i] ?? 0) + weight * target.getX(i);
    out[3 * i + 1] = (out[3 * i + 1] ?? 0) + weight * target.getY(i);
    out[3 * i + 2] = (out[3 * i + 2] ?? 0) + weight * target.getZ(i);
  }
}
