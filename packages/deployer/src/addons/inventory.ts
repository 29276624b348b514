import type { KubeClient, KubeObject, KubeRef } from "@cloudwright/kube";

/** What one add-on installed in a cluster. */
export interface Installed {
  readonly version: string;
  readonly objects: readonly KubeRef[];
  /** The release, if it was installed by a chart. */
  readonly release?: {
    readonly name: string;
    readonly namespace: string;
    /** SHA-256 of the packed chart. */
    readonly digest: string;
    /** Fingerprint of chart and values. An unchanged release is not installed again. */
    readonly inputs: string;
  };
}

/** What the platform installed in a cluster. It is kept in the cluster, so that every agent knows it. */
export interface Inventory {
  readonly installed: ReadonlyMap<string, Installed>;
  /** Records what one add-on installed; undefined removes the record. */
  keep(name: string, installed: Installed | undefined): Promise<void>;
}

const place: KubeRef = { apiVersion: "v1", kind: "ConfigMap", namespace: "kube-system", name: "cloudwright-addons" };

/** Label of every object that the platform applies. */
export const ownLabels = { "app.kubernetes.io/managed-by": "cloudwright" } as const;

/** Reads the record of installed add-ons. */
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
