/** One change in a preview. */
export interface PreviewItem {
  readonly part: "infrastructure" | "nodes" | "add-ons" | "upgrade" | "load-balancers" | "volumes" | "leftovers";
  readonly name: string;
  readonly action: string;
  readonly message: string;
}
