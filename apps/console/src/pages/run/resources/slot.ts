/** A box, or the position of an edge in a layer it passes through. */
export interface Slot {
  readonly id: string;
  readonly height: number;
  readonly layer: number;
  readonly before: Slot[];
  readonly after: Slot[];
}
