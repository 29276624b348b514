/** One change in a preview. */
export interface PreviewItem {
  readonly part: "infrastructure" | "nodes" | "add-ons";
  readonly name: string;
  readonly action: string;
  readonly message: string;
}
