import type { Session } from "../connection/session.ts";
import { renderAge } from "../output/age.ts";
import type { Item } from "../output/item.ts";
import { isStructured } from "../output/output.ts";
import type { Column } from "../output/table.ts";

/** The result of an entity's last drift check, as stored in its status. */
export interface DriftStatus {
  readonly state?: string;
  readonly checkedAt?: string;
  readonly resources?: number;
  readonly message?: string;
}

/** An entity with the operation that checks it. */
export interface CheckedItem {
  readonly item: Item;
  readonly operation: string;
}

/** Returns the result of the last drift check. The result is "never checked" if there was no check or the server does not report drift. */
export function driftOf({ entity: { status } }: Item): DriftStatus & { readonly state: string } {
  const { drift = {} } = (status ?? {}) as { drift?: DriftStatus };
  return { ...drift, state: drift.state || "NEVER_CHECKED" };
}

const words: Readonly<Record<string, string>> = {
  NEVER_CHECKED: "never checked",
  IN_SYNC: "in sync",
  DRIFTED: "drifted",
  OUTDATED: "not checked since the last change",
  CHECK_FAILED: "check failed",
};

/** Renders the result of the last drift check, such as `drifted: 2 resources`. */
export function renderDriftState(item: Item): string {
  const { state, resources = 0 } = driftOf(item);
  const word = words[state] ?? state.toLowerCase();
  return state === "DRIFTED" && resources > 0 ? `${word}: ${resources} resource${resources === 1 ? "" : "s"}` : word;
}

/** Prints the drift status of entities, as a table or in the selected format. */
export async function printDriftStatuses({ output, world }: Session, checks: readonly CheckedItem[]): Promise<void> {
  const rows = checks.map(({ item, operation }) => ({
    item,
    operation,
    name: `${item.kind.words[0] ?? ""}/${item.entity.metadata.name}`,
  }));
  if (isStructured(output.format)) {
    const items = rows.map(({ item, operation, name }) => ({
      entity: name,
      uid: item.entity.metadata.uid,
      operation,
      drift: driftOf(item),
    }));
    return output.structure({ items });
  }
  if (output.format === "name") return rows.forEach(({ name }) => output.line(name));
  const nowMs = world.clock.now();
  const columns: Column<(typeof rows)[number]>[] = [
    { title: "ENTITY", value: ({ name }) => name },
    { title: "DRIFT", value: ({ item }) => renderDriftState(item) },
    { title: "CHECKED", value: ({ item }) => renderAge(driftOf(item).checkedAt, nowMs) },
    { title: "OPERATION", value: ({ operation }) => operation },
    { title: "MESSAGE", value: ({ item }) => driftOf(item).message ?? "" },
  ];
  output.table(columns, rows);
}
