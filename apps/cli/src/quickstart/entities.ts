import type { AnyEntity, Stored } from "@cloudwright/api-client";
import { defaultCloud, getCloud } from "@cloudwright/contract/clouds";
import { getKind, type Kind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import type { Session } from "../connection/session.ts";
import { resourceOf } from "../entities.ts";
import { cliFaults } from "../faults.ts";
import type { Change } from "../operations/conclude.ts";
import { isOpen, type OperationRef } from "../operations/operation.ts";
import { findTrouble, waitForOperations } from "../operations/wait.ts";

/** The name that the quick start gives to every entity it creates. */
export const quickstartName = "quickstart";

/** The entities to create, parents first. The account is simulated, so nothing is billed. */
const desired: readonly { readonly kind: Kind; readonly spec: Readonly<Record<string, unknown>> }[] = [
  { kind: getKind("Account"), spec: { simulated: true, [defaultCloud]: {} } },
  { kind: getKind("Network"), spec: { account: quickstartName, region: getCloud(defaultCloud).regions.default, nat: "single" } },
  { kind: getKind("Cluster"), spec: { network: quickstartName, workers: 2 } },
  { kind: getKind("Storage"), spec: { cluster: quickstartName, bucket: { versioning: true } } },
];

/** Creates missing entities, retries failed ones and leaves the rest unchanged. */
export async function ensureEntities(session: Session, timeoutMs: number): Promise<Change[]> {
  await awaitDeletions(session, timeoutMs);
  const changes: Change[] = [];
  for (const { kind, spec } of desired) {
    const before = await find(session, kind);
    if (before !== undefined) {
      checkSimulated(kind, before);
      await retry(session, before);
      changes.push({ item: { kind, entity: before }, done: "already exists" });
      continue;
    }
    const { signal } = session.world;
    const entity = await resourceOf(session, kind).create({ metadata: { name: quickstartName }, spec }, { signal });
    changes.push({ item: { kind, entity }, done: "is being created" });
  }
  return changes;
}

/** Deletes everything that the quick start created. Returns false if there was nothing to delete. */
export async function removeEntities(session: Session, timeoutMs: number): Promise<boolean> {
  const { signal } = session.world;
  const kind = getKind("Account");
  const before = await find(session, kind);
  if (before === undefined) return false;
  checkSimulated(kind, before);
  const { metadata } = await resourceOf(session, kind).delete(quickstartName, { cascade: true, signal });
  if (metadata.deletedAt !== undefined) await follow(session, [metadata.operation], timeoutMs);
  return true;
}

/** Waits for pending deletions, so that the entities can be created again. */
async function awaitDeletions(session: Session, timeoutMs: number): Promise<void> {
  const found = await Promise.all(desired.map(({ kind }) => find(session, kind)));
  const leaving = found.filter((entity) => entity?.metadata.deletedAt !== undefined);
  await follow(
    session,
    leaving.map((entity) => entity?.metadata.operation),
    timeoutMs,
  );
}

async function follow(session: Session, operations: readonly (string | undefined)[], timeoutMs: number): Promise<void> {
  const { project } = session;
  const refs = operations.flatMap((name): OperationRef[] => (name === undefined || name === "" ? [] : [{ project, name }]));
  const trouble = refs.length === 0 ? undefined : findTrouble(await waitForOperations(session, refs, { timeoutMs }));
  if (trouble !== undefined) throw trouble;
}

/** Rejects a real account, because the quick start must never incur costs. */
function checkSimulated(kind: Kind, { spec }: Stored<AnyEntity>): void {
  const { simulated } = (spec ?? {}) as { simulated?: boolean };
  if (kind.cloud === "own" && simulated !== true)
    throw new Fault(cliFaults.not_simulated, `account ${quickstartName} exists and is not simulated`);
}

async function retry({ client, project, world }: Session, { metadata }: Stored<AnyEntity>): Promise<void> {
  if (metadata.operation === undefined || metadata.operation === "") return;
  const { signal } = world;
  const operation = await client.operations.get(project, metadata.operation, { signal });
  if (!isOpen(operation) && operation.status?.state !== "DONE")
    await client.operations.retry(project, metadata.operation, { signal });
}

async function find(session: Session, kind: Kind): Promise<Stored<AnyEntity> | undefined> {
  try {
    return await resourceOf(session, kind).get(quickstartName, { signal: session.world.signal });
  } catch (error) {
    if (error instanceof Fault && error.kind === "not_found") return undefined;
    throw error;
  }
}
