import { describeError } from "@cloudwright/platform";
import type { PreviewItem } from "../executor/preview-item.ts";
import type { DeployerTask } from "../task.ts";
import type { RemovalPreview } from "./preview-removal.ts";

/** Maximum number of items that the log names. A timeline shows at most 1,000 lines of a task. */
const mostLines = 500;

const nouns: Readonly<Partial<Record<PreviewItem["part"], readonly [one: string, many: string]>>> = {
  infrastructure: ["resource", "resources"],
  "load-balancers": ["load balancer", "load balancers"],
  volumes: ["volume", "volumes"],
  leftovers: ["other resource that the cluster created", "other resources that the cluster created"],
};

/**
 * Reports everything that a deletion is about to remove or keep: each item in the log, which the operation's timeline shows, and the
 * numbers as progress. A failure is logged and does not stop the deletion.
 */
export async function announceRemoval(task: DeployerTask, preview: () => Promise<RemovalPreview>): Promise<void> {
  try {
    const { items, findings } = await preview();
    for (const { message } of findings) task.log(message);
    for (const item of items.slice(0, mostLines)) task.log(describeItem(item));
    if (items.length > mostLines) task.log(`and ${items.length - mostLines} more`);
    const [going, kept] = [items.filter(({ action }) => action === "delete"), items.filter(({ action }) => action === "keep")];
    const summary = `deleting ${count(going)}${kept.length === 0 ? "" : `; keeping ${count(kept)}`}`;
    task.log(summary);
    task.progress(3, summary);
  } catch (error) {
    task.signal.throwIfAborted();
    task.log(`the resources to delete could not be listed in advance: ${describeError(error)}`);
  }
}

function describeItem({ part, name, action, message }: PreviewItem): string {
  return `to be ${action === "keep" ? "kept" : "deleted"}: ${nouns[part]?.[0] ?? part} ${name} (${message})`;
}

function count(items: readonly PreviewItem[]): string {
  const counts = Map.groupBy(items, ({ part }) => part);
  const words = [...counts].map(([part, { length }]) => `${length} ${nouns[part]?.[length === 1 ? 0 : 1] ?? part}`);
  return words.length === 0 ? "no resources" : words.join(", ");
}
