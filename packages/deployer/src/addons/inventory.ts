import type { KubeClient, KubeObject, KubeRef } from "@cloudwright/kube";

/** The objects or the Helm release that one add-on installed. */
export interface Installed {
  readonly version: string;
  readonly objects: readonly KubeRef[];
  /** The Helm release, if the add-on was installed from a chart. */
  readonly release?: {
    readonly name: string;
    readonly namespace: string;
    /** SHA-256 of the packaged chart. */
    readonly digest: string;
    /** Hash of the chart and its values. If it is unchanged, the release is not upgraded. */
    readonly inputs: string;
  };
}

/** Record of the installed add-ons. It is stored in the cluster, so that every agent can read it. */
export interface Inventory {
  readonly installed: ReadonlyMap<string, Installed>;
  /** Saves the record of an add-on. Undefined deletes the record. */
  keep(name: string, installed: Installed | undefined): Promise<void>;
}

const place: KubeRef = { apiVersion: "v1", kind: "ConfigMap", namespace: "kube-system", name: "cloudwright-addons" };

/** Labels of every object that the platform applies. */
export const ownLabels = { "app.kubernetes.io/managed-by": "cloudwright" } as const;

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
