import { textOf } from "../values/read-value.ts";
import type { ValueMap } from "../values/value.ts";

// Users can change records without the cloud's checks. These limits keep the nodes of one account from exhausting the process that serves
// the simulated clusters of all accounts.

/** Largest number of nodes that a pool can have in its simulated cluster. The clouds' own limits are lower. */
const mostNodes = 1000;

/** Largest number of nodes in a cluster and in an account, and the largest size of their descriptions as JSON. */
const mostOfCluster = { nodes: 2000, bytes: 8 * 1024 * 1024 };
const mostOfAccount = { nodes: 5000, bytes: 16 * 1024 * 1024 };

/** Largest number of labels, of taints and of zones of a pool. */
const mostEntries = 64;

/** Longest key of a label or taint, and longest value. Kubernetes does not accept longer ones. */
const longestKey = 317;
const longestValue = 63;

/** Longest of the other texts. The longest are ids that contain the ids of all resources above. */
const longestText = 512;

/** Approximate size of a node's name, address and provider id. */
const ownBytes = 512;

/** Limits the size of a pool. The pool's record may contain any number, because users can change records without the cloud's checks. */
export function limitNodes(count: number): number {
  return Math.min(mostNodes, Math.max(0, Math.trunc(count) || 0));
}

/** Returns how many of the wanted nodes fit into a cluster and its account. All of them have this description. */
export type GrantNodes = (wanted: number, description: object) => number;

/** Creates the limits of one account. The returned function starts a cluster. */
export function createNodeLimits(): () => GrantNodes {
  const account = { ...mostOfAccount };
  return () => {
    const cluster = { ...mostOfCluster };
    return (wanted, description) => {
      const most = Math.min(limitNodes(wanted), cluster.nodes, account.nodes);
      if (most === 0) return 0;
      const bytes = ownBytes + JSON.stringify(description).length;
      const granted = Math.min(most, Math.floor(cluster.bytes / bytes), Math.floor(account.bytes / bytes));
      for (const left of [cluster, account]) {
        left.nodes -= granted;
        left.bytes -= granted * bytes;
      }
      return granted;
    };
  };
}

/** Returns the labels of a pool that its nodes get. */
export function limitLabels(labels: ValueMap): Readonly<Record<string, string>> {
  const entries = Object.entries(labels).map(([key, value]) => [key, textOf(value)] as const);
  return Object.fromEntries(entries.filter(([key, value]) => isShort(key, value)).slice(0, mostEntries));
}

/** Returns the taints of a pool that its nodes get. Taints without a key are not valid. */
export function limitTaints<Taint extends { readonly key: string; readonly value: string; readonly effect: string }>(
  taints: readonly Taint[],
): readonly Taint[] {
  const valid = taints.filter(({ key, value, effect }) => key !== "" && isShort(key, value) && effect.length <= longestValue);
  return valid.slice(0, mostEntries);
}

/** Returns the zones of a pool in which it has nodes. */
export function limitZones(zones: readonly string[]): readonly string[] {
  return zones.slice(0, mostEntries).map(limitText);
}

/** Shortens a text of a record that is repeated for every node. */
export function limitText(text: string): string {
  return text.slice(0, longestText);
}

function isShort(key: string, value: string): boolean {
  return key.length <= longestKey && value.length <= longestValue;
}
