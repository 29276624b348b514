/** One line of a preview: a change that a spec would cause. */
export interface PreviewItem {
  readonly part: "infrastructure" | "nodes" | "add-ons";
  readonly name: string;
  readonly action: string;
  readonly message: string;
}
