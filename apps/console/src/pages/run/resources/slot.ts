/** A place in a layer. It holds a box or a point of an edge that passes through the layer. */
export interface Slot {
  readonly id: string;
  readonly height: number;
  readonly layer: number;
  readonly before: Slot[];
  readonly after: Slot[];
}
