// Arrows that answer “why did it move?”: a straight one for a linear vector, a curled one around the axis of an angular vector.

import {
  type ColorRepresentation,
  ConeGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  MeshBasicMaterial,
  Quaternion,
  TorusGeometry,
  Vector3,
} from 'three';

const UP = new Vector3(0, 1, 0);
/** Of a full turn, what the curled arrow goes around. */
const CURL = 1.5 * Math.PI;

/** One arrow of a kind; its geometry is that of a body of size 1. */
export class Arrow extends Group {
  /** World place of the tip, for a label. */
  readonly tip = new Vector3();
  private readonly shaft: Mesh;
  private readonly head: Mesh;

  constructor(material: MeshBasicMaterial, thickness: number) {
    super();
    this.shaft = new Mesh(new CylinderGeometry(thickness, thickness, 1, 10).translate(0, 0.5, 0), material);
    this.head = new Mesh(
      new ConeGeometry(thickness * 2.8, thickness * 7, 16).translate(0, thickness * -3.5, 0),
      material,
    );
    this.head.userData.length = thickness * 7;
    this.add(this.shaft, this.head);
    setOver(this);
  }

  /** From `origin` along `direction`, `reach` long; both in metres. Too short to see is not shown. */
  point(origin: Vector3, direction: Vector3, reach: number): void {
    const full = this.head.userData.length as number;
    this.visible = reach > 0.02 * full && direction.lengthSq() > 0;
    if (!this.visible) return;
    const head = Math.min(1, (0.7 * reach) / full);
    this.position.copy(origin);
    this.quaternion.setFromUnitVectors(UP, direction.clone().normalize());
    this.shaft.scale.set(head, Math.max(reach - head * full * 0.9, 1e-9), head);
    this.head.scale.setScalar(head);
    this.head.position.y = reach;
    this.tip.copy(UP).applyQuaternion(this.quaternion).multiplyScalar(reach).add(origin);
  }
}

/** A curled arrow in the plane that an angular vector is normal to; right-handed. */
export class Curl extends Group {
  /** World place of its beginning, for a label. */
  readonly tip = new Vector3();
  private readonly begin = new Vector3();

  /** It begins `begin` radians around. */
  constructor(material: MeshBasicMaterial, thickness: number, begin: number) {
    super();
    const ring = new Mesh(new TorusGeometry(1, thickness, 8, 48, CURL), material);
    const head = new Mesh(new ConeGeometry(thickness * 2.8, thickness * 7, 16), material);
    head.position.set(Math.cos(CURL), Math.sin(CURL), 0);
    head.rotation.z = CURL;
    const inner = new Group();
    inner.add(ring, head);
    inner.rotation.x = -Math.PI / 2; // the ring's axis becomes +Y
    inner.rotation.z = begin;
    this.begin.set(Math.cos(begin), 0, -Math.sin(begin));
    this.add(inner);
    setOver(this);
  }

  around(origin: Vector3, axis: Vector3, radius: number, least: number): void {
    this.visible = radius > least && axis.lengthSq() > 0;
    if (!this.visible) return;
    this.position.copy(origin);
    this.quaternion.copy(new Quaternion().setFromUnitVectors(UP, axis.clone().normalize()));
    this.scale.setScalar(radius);
    this.tip.copy(this.begin).applyQuaternion(this.quaternion).multiplyScalar(radius).add(origin);
  }
}

/** Arrows start inside the body and must still be seen. */
export function inkOf(color: ColorRepresentation): MeshBasicMaterial {
  return new MeshBasicMaterial({ color, depthTest: false, transparent: true, toneMapped: false });
}

function setOver(group: Group): void {
  group.visible = false;
  group.traverse((object) => {
    object.renderOrder = 10;
    object.frustumCulled = false;
  });
}
