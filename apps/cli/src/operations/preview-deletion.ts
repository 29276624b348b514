import { joinSignals } from "@cloudwright/platform/join-signals";
import type { PreviewItemJson } from "@cloudwright/api-client";
import { describeError } from "@cloudwright/platform/fault";
import type { Session } from "../connection/session.ts";
import { resourceOf } from "../entities.ts";
import { cliKindOf } from "../kinds/registry.ts";
import { itemName, type Item } from "../output/item.ts";
import { followOperations } from "./follow.ts";
import { findTrouble } from "./wait.ts";

/** Deletion options that affect what is removed. */
export interface DeletionChoice {
  readonly cascade: boolean;
  readonly force: boolean;
  readonly volumes?: "retain" | "delete" | undefined;
  /** True if the owner of the entity is deleted too. Node pools are then listed with their cluster. */
  readonly withOwner?: boolean;
  /** Maximum time for all previews of the command. Undefined if only the usual limit for each preview applies. */
  readonly timeoutMs?: number | undefined;
}

const patienceMs = 60_000;

/**
 * Returns one line for each resource that the deletion of an entity would remove or keep, including resources that a cluster created
 * itself. Returns an empty list for kinds that have no cloud resources. If the list is not available, returns a line that says why.
 */
export async function previewDeletion(
  session: Session,
  item: Item,
  { withOwner = false, timeoutMs, ...choice }: DeletionChoice,
): Promise<readonly string[]> {
  const { removalNote } = cliKindOf(item.kind);
  if (removalNote !== undefined) return [removalNote];
  if (item.kind.hasRemovalPreview !== true) return [];
  if (item.kind.builtByOwnerAs !== undefined && withOwner) return [];
  if (item.entity.metadata.deletionPolicy === "retain")
    return ['keeps infrastructure: all of its resources, because its deletion policy is "retain"'];
  const { world, project, waited } = session;
  const late = new AbortController();
  const done = new AbortController();
  const startedAtMs = world.clock.now();
  const limitMs = timeoutMs === undefined ? patienceMs : Math.max(0, Math.min(patienceMs, timeoutMs - waited.totalMs));
  world.clock.sleep(limitMs, done.signal).then(
    () => late.abort(new Error("no agent responded in time")),
    () => undefined,
  );
  const joined = joinSignals([world.signal, late.signal]);
  const signal = joined.signal as AbortSignal;
  try {
    let name = "";
    const onAccepted = (operation: string): void => void (name = operation);
    const options = { ...choice, preview: true, signal: world.signal, onAccepted };
    await resourceOf(session, item.kind, item.cluster).delete(item.entity.metadata.name, options);
    if (name === "") return [];
    const silent = { show: () => undefined, lost: () => undefined };
    const [ended] = await followOperations(session, [{ project, name }], silent, signal);
    const trouble = ended === undefined ? undefined : findTrouble([ended]);
    if (trouble !== undefined) throw trouble;
    const { preview = [], findings = [] } = ended?.status ?? {};
    return [
      ...preview.map(renderLine),
      ...findings.map(({ message = "", help = "" }) => `note: ${message}${help && `. ${help}`}`),
    ];
  } catch (error) {
    world.signal.throwIfAborted();
    const why = late.signal.aborted ? describeError(late.signal.reason) : describeError(error);
    return [`note: the resources of ${itemName(item)} could not be listed: ${why}`];
  } finally {
    // Previews before a confirmation do not reduce the time to wait for the deletion itself.
    if (timeoutMs !== undefined) waited.totalMs += world.clock.now() - startedAtMs;
    done.abort();
    joined.release();
  }
}

/** The deletion of a node pool changes its cluster, so its preview may also contain other changes. */
const verbs: Readonly<Record<string, string>> = {
  delete: "deletes",
  keep: "keeps",
  create: "creates",
  update: "updates",
  replace: "replaces",
};

function renderLine({ part = "", name = "", action = "", message = "" }: PreviewItemJson): string {
  return `${verbs[action] ?? action} ${part}: ${name}${message === "" ? "" : ` (${message})`}`;
}
