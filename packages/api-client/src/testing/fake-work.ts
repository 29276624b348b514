import type { Kind } from "@cloudwright/contract/kinds";
import type { AnyEntity, Stored } from "../entity.ts";
import { createEntity } from "./wire.ts";

/** Stores an entity at a path and notifies the watchers. */
export type Commit = (type: string, path: string, entity: Stored<AnyEntity>) => Stored<AnyEntity>;

/** Stores an entity and then the operation for its change, so that the operation has the higher version. */
export function commitWithOperation(
  change: { type: string; verb: "create" | "update" | "correct" | "check" | "delete"; force?: boolean; kind: Kind },
  path: string,
  entity: Stored<AnyEntity>,
  deps: { commit: Commit; version: number },
): Stored<AnyEntity> {
  const [project] = /^\/v1\/projects\/[^/]+/.exec(path) as RegExpExecArray;
  const name = `op-${String(deps.version + 1).padStart(12, "0")}`;
  const stored = deps.commit(change.type, path, { ...entity, metadata: { ...entity.metadata, operation: name } });
  const at = `${project}/operations/${name}`;
  const spec = {
    verb: change.verb,
    entityKind: change.kind.kind,
    entityUid: stored.metadata.uid,
    entityName: stored.metadata.name,
    entityGeneration: stored.metadata.generation ?? 1,
    actor: "admin",
    force: change.force ?? false,
  };
  const operation = createEntity({ metadata: { name }, spec }, at, deps.version + 1);
  deps.commit("ADDED", at, { ...operation, status: waiting });
  return stored;
}

const waiting = { state: "WAITING", message: "accepted", progressPercent: 0, steps: [] } as Stored<AnyEntity>["status"] & object;

/** Returns the operation as it would be after `cancel` or `retry`, or undefined if its state does not allow that action. */
export function actOnOperation(operation: Stored<AnyEntity>, verb: string): Stored<AnyEntity> | undefined {
  const isOpen = ["WAITING", "RUNNING"].includes((operation.status as { state?: string } | undefined)?.state ?? "");
  if (isOpen !== (verb === "cancel")) return undefined;
  return verb === "cancel"
    ? { ...operation, spec: { ...operation.spec, cancelReason: "cancelled by admin" } }
    : { ...operation, spec: { ...operation.spec, cancelReason: "", retries: 1 }, status: waiting };
}

/** Returns whether an entity matches a filter such as `spec.operation=op-1`. Supports only equality. */
export function passes(entity: Stored<AnyEntity>, filter: string | null): boolean {
  return (filter ?? "").split(",").every((part) => {
    const [path = "", value] = part.split("=");
    const found = path.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], entity);
    return part === "" || found === value;
  });
}
