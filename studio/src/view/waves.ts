// Waves on water: shaded by how steep and how high they are, each to the measure of the run. Real slopes are a few degrees, and water is
// mostly clear: lit as it is, a wake would not be seen. So slopes are steepened for the light (the surface itself stays where it is), and
// crests are lighter and troughs darker than still water.

import type { Mesh, MeshStandardMaterial } from 'three';

/** What waves are measured by: heights over still water, metres, and slopes. */
export interface Measure {
  height: number;
  slope: number;
}

/** Slope that steep waves are shown with. */
const SHOWN_SLOPE = 0.45;
/** Slope from which waves are shown in full; ripples that are less steep are fainter, as this power of their slope. */
const FULL_SLOPE = 0.08;
const FAINTER = 0.75;
/** Waves lower than this part of the sheet's width are none. */
const CALM = 1e-6;
/** Of all slopes and heights that are not about zero, the part that is below the measure. */
const MOST = 0.95;

const VERTEX = /* glsl */ `
  #include <project_vertex>
  rise = ((modelMatrix * vec4(transformed, 1.0)).y - still) / high;`;

const COLOR = /* glsl */ `
  #include <color_fragment>
  float crest = rise / (1.0 + 0.6 * abs(rise));
  diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.86, 0.95, 0.97), 0.7 * strength * max(crest, 0.0));
  diffuseColor.rgb *= 1.0 + 0.55 * strength * min(crest, 0.0);
  diffuseColor.a = clamp(diffuseColor.a + 0.3 * strength * abs(crest), 0.0, 0.92);`;

const NORMAL = /* glsl */ `
  #include <normal_fragment_maps>
  vec3 slanted = inverseTransformDirection(normal, viewMatrix);
  slanted.xz *= steepen;
  normal = normalize((viewMatrix * vec4(slanted, 0.0)).xyz);`;

/** Lets waves be seen on a sheet of water whose still surface is at a height, metres; calm water stays as it is. */
export function shadeWaves(mesh: Mesh, still: number, { height, slope }: Measure): void {
  const strength = Math.min(1, slope / FULL_SLOPE) ** FAINTER;
  const uniforms = {
    still: { value: still },
    high: { value: height },
    strength: { value: strength },
    steepen: { value: Math.max((strength * SHOWN_SLOPE) / slope, 1) },
  };
  const material = (mesh.material as MeshStandardMaterial).clone();
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader =
      `uniform float still;\nuniform float high;\nvarying float rise;\n${shader.vertexShader}`.replace(
        '#include <project_vertex>',
        VERTEX,
      );
    shader.fragmentShader =
      `uniform float steepen;\nuniform float strength;\nvarying float rise;\n${shader.fragmentShader}`
        .replace('#include <color_fragment>', COLOR)
        .replace('#include <normal_fragment_maps>', NORMAL);
  };
  mesh.material = material;
}

/** The measure of the waves on a sheet, from its world positions at some moments; undefined when it is calm. */
export function measureWaves(mesh: Mesh, still: number, moments: Float32Array[]): Measure | undefined {
  const index = mesh.geometry.index?.array ?? [];
  const [heights, slopes]: [number[], number[]] = [[], []];
  let wide = 0;
  for (const places of moments) {
    const [x, y, z] = [0, 1, 2].map((c) => (vertex: number) => places[3 * vertex + c] ?? 0) as [At, At, At];
    for (let i = 0; i < places.length / 3; i++) {
      heights.push(Math.abs(y(i) - still));
      wide = Math.max(wide, Math.abs(x(i) - x(0)), Math.abs(z(i) - z(0)));
    }
    for (let k = 0; k + 1 < index.length; k += 3) {
      const [a, b] = [index[k] as number, index[k + 1] as number];
      const along = Math.hypot(x(b) - x(a), z(b) - z(a));
      if (along > 0) slopes.push(Math.abs(y(b) - y(a)) / along);
    }
  }
  const [height, slope] = [highest(heights), highest(slopes)];
  return height > CALM * wide && slope > 0 ? { height, slope } : undefined;
}

type At = (vertex: number) => number;

/** The value that most of those that count are below. */
function highest(values: number[]): number {
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const counted = values.filter((value) => value > 0.02 * most).sort((a, b) => a - b);
  return counted[Math.floor(MOST * (counted.length - 1))] ?? 0;
}
