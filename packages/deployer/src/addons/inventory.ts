import type { KubeClient, KubeObject, KubeRef } from "@cloudwright/kube";

/** What is in a cluster because of one add-on. */
export interface Installed {
  readonly version: string;
  readonly objects: readonly KubeRef[];
  /** Of a chart. */
  readonly release?: {
    readonly name: string;
    readonly namespace: string;
    /** SHA-256 of the packed chart. */
    readonly digest: string;
    /** Of chart and values: what has not changed is not installed again. */
    readonly inputs: string;
  };
}

/** What we have put into a cluster, kept in the cluster itself: whoever looks after it next knows what is ours. */
export interface Inventory {
  readonly installed: ReadonlyMap<string, Installed>;
  /** Keeps what one add-on has; undefined: it is gone. */
  keep(name: string, installed: Installed | undefined): Promise<void>;
}

const place: KubeRef = { apiVersion: "v1", kind: "ConfigMap", namespace: "kube-system", name: "cloudwright-addons" };

/** The label by which everything that we apply is known. */
export const ownLabels = { "app.kubernetes.io/managed-by": "cloudwright" } as const;

/** Reads what is installed. */
export async function openInventory(client: KubeClient, signal: AbortSignal): Promise<Inventory> {
  const kept = await client.find(place, signal);
  const data = (kept?.["data"] ?? {}) as Readonly<Record<string, string>>;
  const installed = new Map(Object.entries(data).map(([name, text]) => [name, JSON.parse(text) as Installed]));
  return {
    installed,
    async keep(name, now) {
      if (now === undefined) installed.delete(name);
      else installed.set(name, now);
      const { apiVersion, kind } = place;
      const { namespace = "" } = place;
      const metadata = { name: place.name, namespace, labels: ownLabels };
      const texts = Object.fromEntries([...installed].map(([key, value]) => [key, JSON.stringify(value)]));
      const object: KubeObject = { apiVersion, kind, metadata, data: texts };
      await client.apply(object, { signal });
    },
  };
}
