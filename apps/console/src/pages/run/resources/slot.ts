/** A box, or the place of a link on its way through a layer. */
export interface Slot {
  readonly id: string;
  readonly height: number;
  readonly layer: number;
  readonly before: Slot[];
  readonly after: Slot[];
}
