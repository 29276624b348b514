export type Product = "terraform" | "opentofu";

/** A Terraform or OpenTofu executable on this machine. */
export interface Binary {
  readonly product: Product;
  /** Exact version, such as `1.11.4`. */
  readonly version: string;
  readonly path: string;
}
