// Morph targets added up here instead of in the shader: when there are too many of them for it (one a frame), or when there is no graphics
// card, where a shader would add them again for every corner of every triangle. Only those that weigh are added.

import { BufferAttribute, type InterleavedBufferAttribute, type Mesh } from 'three';

type Attribute = BufferAttribute | InterleavedBufferAttribute;

export class AddedTargets {
  private readonly layers: { out: BufferAttribute; base: Float32Array; targets: Float32Array[] }[] = [];

  constructor(private readonly mesh: Mesh) {
    const { geometry } = mesh;
    for (const name of ['position', 'normal'] as const) {
      const [source, targets] = [geometry.attributes[name], geometry.morphAttributes[name]];
      if (!source || !targets) continue;
      const base = plain(source);
      const out = new BufferAttribute(base.slice(), 3);
      geometry.setAttribute(name, out);
      this.layers.push({ out, base, targets: targets.map(plain) });
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

function add(out: Float32Array, target: Float32Array, weight: number): void {
  for (let i = 0; i < out.length; i++) out[i] = (out[i] as number) + weight * (target[i] as number);
}

/** Three numbers a vertex, however they are stored. */
export function plain(source: Attribute): Float32Array {
  const out = new Float32Array(3 * source.count);
  for (let i = 0; i < source.count; i++) {
    out[3 * i] = source.getX(i);
    out[3 * i + 1] = source.getY(i);
    out[3 * i + 2] = source.getZ(i);
  }
  return out;
}
