/** The supported programs. */
export type Product = "terraform" | "opentofu";

/** A program on this machine. */
export interface Binary {
  readonly product: Product;
  /** The exact version, such as `1.11.4`. */
  readonly version: string;
  readonly path: string;
}
