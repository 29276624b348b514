/** Which program. */
export type Product = "terraform" | "opentofu";

/** A program of this machine. */
export interface Binary {
  readonly product: Product;
  /** Exact, for example `1.11.4`. */
  readonly version: string;
  readonly path: string;
}
