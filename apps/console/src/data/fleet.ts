import { cloudOf } from "@cloudwright/contract/clouds";
import type { AnyEntity, EntityByKind, Stored } from "@cloudwright/api-client";

type Account = Stored<EntityByKind["Account"]>;
type Network = Stored<EntityByKind["Network"]>;
type Cluster = Stored<EntityByKind["Cluster"]>;

/** The cloud, region and account of an entity, derived from the entities it belongs to. */
export interface Whereabouts {
  readonly cloud: string;
  readonly region: string;
  readonly simulated: boolean;
  readonly account: string;
}

/** Looks up the location of entities. */
export interface Atlas {
  ofAccount(name: string): Whereabouts;
  ofNetwork(name: string): Whereabouts;
  ofCluster(name: string): Whereabouts;
  of(kind: string, entity: AnyEntity): Whereabouts;
}

const nowhere: Whereabouts = { cloud: "", region: "", simulated: false, account: "" };

/** Creates the atlas of a project. Entities may reference others by name or by uid. */
export function createAtlas(accounts: readonly Account[], networks: readonly Network[], clusters: readonly Cluster[]): Atlas {
  const index = <Entity extends Stored<AnyEntity>>(list: readonly Entity[]): ReadonlyMap<string, Entity> =>
    new Map(list.flatMap((each) => [[each.metadata.name, each] as const, [each.metadata.uid, each] as const]));
  const [byAccount, byNetwork, byCluster] = [index(accounts), index(networks), index(clusters)];
  const atlas: Atlas = {
    ofAccount(name) {
      const account = byAccount.get(name);
      if (account === undefined) return { ...nowhere, account: name };
      return {
        cloud: findCloudName(account),
        region: "",
        simulated: account.spec?.simulated === true,
        account: account.metadata.name,
      };
    },
    ofNetwork(name) {
      const network = byNetwork.get(name);
      return network === undefined
        ? nowhere
        : { ...atlas.ofAccount(network.spec?.account ?? ""), region: network.spec?.region ?? "" };
    },
    ofCluster: (name) => atlas.ofNetwork(byCluster.get(name)?.spec?.network ?? ""),
    of(kind, { metadata, spec }) {
      const field = (name: string): string => (spec as Record<string, string | undefined> | undefined)?.[name] ?? "";
      if (kind === "Account") return atlas.ofAccount(metadata?.name ?? "");
      if (kind === "Network") return atlas.ofNetwork(metadata?.name ?? "");
      if (kind === "Cluster") return atlas.ofNetwork(field("network"));
      if (kind === "NodePool") return atlas.ofCluster(metadata?.parent ?? "");
      if (kind === "Storage") return atlas.ofCluster(field("cluster"));
      return nowhere;
    },
  };
  return atlas;
}

/** Returns the name of an account's cloud. */
function findCloudName(account: EntityByKind["Account"]): string {
  return account.status?.cloud || (cloudOf(account.spec ?? {}) ?? "");
}

/** Counts the items per word, most frequent first. */
export function countBy<Item>(items: readonly Item[], wordOf: (item: Item) => string): [word: string, count: number][] {
  const counts = new Map<string, number>();
  for (const item of items) {
    const word = wordOf(item);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}

/** Returns the phase to show for an entity. A plan that needs approval takes precedence over the phase. */
export function phaseOf(entity: AnyEntity): string {
  return hasCondition(entity, "ApprovalNeeded") ? "NEEDS_APPROVAL" : entity.status?.phase || "PENDING";
}

/** Returns whether the entity has a condition of this type with status True. */
export function hasCondition(entity: AnyEntity, type: string): boolean {
  return entity.status?.conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
}
