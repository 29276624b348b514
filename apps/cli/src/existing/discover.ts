import type { DiscoveredClusterJson } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import type { Session } from "../connection/session.ts";
import { listItems, resourceOf } from "../entities.ts";
import type { FlagValues } from "../command-context.ts";
import type { Operation } from "../operations/operation.ts";
import { findTrouble, readWait, waitForOperations } from "../operations/wait.ts";

/** A cluster in an account, with the entity that represents it in the platform. */
export interface Discovered extends DiscoveredClusterJson {
  /** Name of the cluster's entity in this project, or its uid if the entity belongs to another project. Empty if there is none. */
  readonly entity: string;
  /** How the platform uses the cluster: `created`, `observed`, `managed` or `none`. */
  readonly use: string;
}

/** The result of a discovery. */
export interface Discovery {
  /** Name of the operation that found the clusters. */
  readonly operation: string;
  readonly clusters: readonly Discovered[];
}

/** Lists all clusters in an account, including those that the platform did not create. Waits until an agent has read them. */
export async function discover(
  session: Session,
  { account, region = "" }: { readonly account: string; readonly region?: string | undefined },
  flags: FlagValues,
): Promise<Discovery> {
  const { signal } = session.world;
  const opened = await resourceOf(session, getKind("Account")).act(account, "discover", { body: { region }, signal });
  const refs = [{ project: session.project, name: opened.metadata.name }];
  const [ended] = await waitForOperations(session, refs, { timeoutMs: readWait({ ...flags, wait: true })?.timeoutMs });
  const trouble = ended === undefined ? undefined : findTrouble([ended]);
  if (trouble !== undefined) throw trouble;
  const found = ((ended ?? opened) as Operation).status?.clusters ?? [];
  return { operation: opened.metadata.name, clusters: await addEntities(session, account, found) };
}

/** Returns the name of the entity in this project that represents a cluster, or undefined if there is none. */
export function findEntityName({ entity, ownerUid = "" }: Discovered): string | undefined {
  return entity === "" || entity === ownerUid ? undefined : entity;
}

async function addEntities(
  session: Session,
  account: string,
  found: readonly DiscoveredClusterJson[],
): Promise<readonly Discovered[]> {
  const byOwner = new Map<string, string>();
  const byId = new Map<string, { entity: string; use: string }>();
  const { uid } = (await resourceOf(session, getKind("Account")).get(account, { signal: session.world.signal })).metadata;
  for await (const { entity } of listItems(session, getKind("Cluster"), {})) {
    const { metadata, spec } = entity as { metadata: { name: string; uid: string }; spec?: { existing?: ExistingSpec } };
    byOwner.set(metadata.uid, metadata.name);
    const { existing } = spec ?? {};
    if (existing?.id === undefined || (existing.account !== account && existing.account !== uid)) continue;
    byId.set(existing.id.toLowerCase(), { entity: metadata.name, use: existing.mode === "manage" ? "managed" : "observed" });
  }
  return found.map((cluster) => {
    const { ownerUid = "", id = "" } = cluster;
    if (ownerUid !== "") return { ...cluster, entity: byOwner.get(ownerUid) ?? ownerUid, use: "created" };
    return { ...cluster, ...(byId.get(id.toLowerCase()) ?? { entity: "", use: "none" }) };
  });
}

interface ExistingSpec {
  readonly account?: string;
  readonly id?: string;
  readonly mode?: string;
}
