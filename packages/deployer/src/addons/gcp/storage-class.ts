import type { KubeClient, KubeObject } from "@cloudwright/kube";
import { objectOf } from "../../read-spec.ts";
import type { AddOn } from "../add-on.ts";

const kind = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };
const isDefault = "storageclass.kubernetes.io/is-default-class";
const name = "balanced";
/** GKE's default storage class. GKE recreates the class if it is deleted, but does not restore its annotation. */
const ofGke = "standard-rwo";

/** A storage class for balanced persistent disks. It becomes the default class unless a user has chosen another one. */
export const storageClass: AddOn = {
  name: "storage-class",
  order: 10,
  version: "1.0.0",
  isFixed: true,
  clouds: ["gcp"],
  wanted: "always",
  install: {
    by: "manifests",
    // Runs only before the first installation. A default class that appears later was chosen by a user.
    async prepare({ client, task }) {
      if ((await client.find({ ...kind, name }, task.signal)) !== undefined) return;
      for (const { metadata } of await listDefaults(client, task.signal)) {
        if (metadata.name !== ofGke) continue;
        await client.patch({ ...kind, name: ofGke }, { metadata: { annotations: { [isDefault]: "false" } } }, task.signal);
        task.log(`storage class ${ofGke} is no longer the default`);
      }
    },
    async render({ client, task }, _version, values) {
      const byOthers = (await listDefaults(client, task.signal)).some(({ metadata }) => metadata.name !== name);
      return [
        {
          ...kind,
          metadata: { name, annotations: { [isDefault]: byOthers ? "false" : "true" } },
          provisioner: "pd.csi.storage.gke.io",
          parameters: { type: "pd-balanced", "csi.storage.k8s.io/fstype": "ext4", ...objectOf(values["parameters"]) },
          reclaimPolicy: values["reclaimPolicy"] === "Retain" ? "Retain" : "Delete",
          // Creates each disk in the zone of the first pod that uses it.
          volumeBindingMode: "WaitForFirstConsumer",
          allowVolumeExpansion: true,
        },
      ];
    },
  },
};

async function listDefaults(client: KubeClient, signal: AbortSignal): Promise<KubeObject[]> {
  const { items } = await client.list(kind, {}, signal);
  return items.filter(({ metadata }) => metadata.annotations?.[isDefault] === "true");
}
