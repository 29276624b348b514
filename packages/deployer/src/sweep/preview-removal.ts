import { isPayloadOf } from "@cloudwright/contract";
import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { describeError, systemClock, type Clock } from "@cloudwright/platform";
import { findAddress, useCluster } from "../access/open-cluster.ts";
import { awaitApi } from "../access/reach-cluster.ts";
import type { Cloud } from "../cloud.ts";
import type { ListedResource } from "../executor/executor.ts";
import type { PreviewItem } from "../executor/preview-item.ts";
import { textOf } from "../read-spec.ts";
import type { DeployerTask } from "../task.ts";
import type { Finding } from "../preflight/question.ts";
import { listClaimVolumes } from "./remove-claims.ts";
import { listEntrances } from "./remove-entrances.ts";
import { createSweeper } from "./sweeper.ts";

export interface RemovalPreview {
  readonly items: readonly PreviewItem[];
  readonly findings: readonly Finding[];
}

const volumeTypes: readonly string[] = cloudNames.flatMap((name) => getCloud(name).terraform.volume ?? []);
const longestReachMs = 10_000;

export interface RemovalContext {
  readonly clock?: Clock | undefined;
  /** Maximum wait for the cluster's API in milliseconds, if it is shorter than the default. */
  readonly reachMs?: number | undefined;
  /** Managed resources in the entity's state. */
  readonly stored?: readonly ListedResource[] | undefined;
  /** Resources that a user told the platform to forget. They stay in the account. */
  readonly forgotten?: readonly { readonly type: string; readonly id: string }[] | undefined;
}

/**
 * Lists everything that the deletion of an entity would remove or keep: its own infrastructure and, for a cluster, the load balancers, addresses
 * and volumes that the cluster created itself. Changes nothing. If the cluster cannot be reached, the list says so, and its volumes are kept.
 */
export async function previewRemoval(cloud: Cloud, task: DeployerTask, context: RemovalContext = {}): Promise<RemovalPreview> {
  const own = await listInfrastructure(cloud, task, context);
  if (!isPayloadOf(task.payload, "Cluster")) return { items: own, findings: [] };
  const { outputs } = task.payload;
  const choice = task.payload.entity.spec.claimVolumes;
  const inCluster = await listInCluster(cloud, task, choice, context);
  const kept = new Set(inCluster.keptIds);
  const cluster = textOf(outputs["cluster_name"]);
  const leftovers = cluster === "" ? [] : ((await cloud.leftovers?.list(cluster)) ?? []);
  const sparesVolumes = inCluster.finding !== undefined && choice !== "delete";
  return {
    items: [
      ...own,
      ...inCluster.items,
      ...leftovers
        .filter(({ id }) => !inCluster.ids.has(id))
        .map(({ type, id }): PreviewItem => {
          const isKept = kept.has(id) || (sparesVolumes && volumeTypes.includes(type));
          const part = volumeTypes.includes(type) ? "volumes" : "leftovers";
          return isKept
            ? keep(part, `${type} ${id}`, "created by the cluster")
            : remove(part, `${type} ${id}`, "created by the cluster");
        }),
    ],
    findings: inCluster.finding === undefined ? [] : [inCluster.finding],
  };
}

/**
 * Lists the resources in the state, the forgotten ones, and those that interrupted runs left behind. The latter are found by their
 * ownership tags.
 */
async function listInfrastructure(
  cloud: Cloud,
  { payload }: DeployerTask,
  { stored = [], forgotten = [] }: RemovalContext,
): Promise<PreviewItem[]> {
  const nameOf = ({ type, id }: { readonly type: string; readonly id: string }): string => `${type} ${id}`;
  const inState = new Set(stored.map(nameOf));
  const kept = new Set(forgotten.map(nameOf).filter((name) => !inState.has(name)));
  const owned = (await cloud.listOwned(payload.entity.uid)).map(nameOf).filter((name) => !inState.has(name));
  return [
    ...stored.map((each) => remove("infrastructure", nameOf(each), each.address)),
    ...owned.filter((name) => !kept.has(name)).map((name) => remove("infrastructure", name, "created by the platform")),
    ...[...kept].map((name) => keep("infrastructure", name, "forgotten by request; no longer managed")),
  ];
}

interface InCluster {
  readonly items: readonly PreviewItem[];
  /** Cloud ids of the volumes in `items`. */
  readonly ids: ReadonlySet<string>;
  readonly keptIds: readonly string[];
  readonly finding?: Finding;
}

async function listInCluster(
  cloud: Cloud,
  task: DeployerTask,
  choice: string,
  { clock = systemClock, reachMs = longestReachMs }: RemovalContext,
): Promise<InCluster> {
  const address = findAddress(task);
  const nothing = { items: [], ids: new Set<string>(), keptIds: [] };
  if (address === undefined) return nothing;
  try {
    return await useCluster(cloud, address, async ({ client }) => {
      await awaitApi(client, clock, Math.min(reachMs, longestReachMs), task.signal);
      const sweeper = createSweeper({ client, clock }, task, longestReachMs);
      const entrances = await listEntrances(sweeper);
      const volumes = await listClaimVolumes(sweeper, choice);
      return {
        items: [
          ...entrances.map(({ kind, metadata, status }) => {
            const points = (status?.loadBalancer?.ingress ?? []) as readonly {
              readonly hostname?: string;
              readonly ip?: string;
            }[];
            const addresses = points.flatMap(({ hostname, ip }) => hostname ?? ip ?? []);
            const message = addresses.length === 0 ? "has no address yet" : `address ${addresses.join(", ")}`;
            return remove("load-balancers", `${kind} ${metadata.namespace ?? ""}/${metadata.name}`, message);
          }),
          ...volumes.map(({ object, id, claim, isKept }) => {
            const message = claim === "" ? "not bound to a claim" : `claim ${claim}`;
            return (isKept ? keep : remove)("volumes", id || object.metadata.name, message);
          }),
        ],
        ids: new Set(volumes.map(({ id }) => id)),
        keptIds: volumes.flatMap(({ id, isKept }) => (isKept ? [id] : [])),
      };
    });
  } catch (error) {
    task.signal.throwIfAborted();
    const message = `the cluster cannot be reached, so its load balancers and volumes are listed by their tags only: ${describeError(error)}`;
    const help = choice === "delete" ? "" : "Its volumes are kept unless you choose to delete them.";
    return { ...nothing, finding: { severity: "should", field: "", message, ...(help === "" ? {} : { help }) } };
  }
}

function remove(part: PreviewItem["part"], name: string, message: string): PreviewItem {
  return { part, name, action: "delete", message };
}

function keep(part: PreviewItem["part"], name: string, message: string): PreviewItem {
  return { part, name, action: "keep", message };
}
