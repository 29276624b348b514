import type { KubeClient, KubeObject } from "@cloudwright/kube";
import { objectOf } from "../../read-spec.ts";
import type { AddOn } from "../add-on.ts";

const kind = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };
const isDefault = "storageclass.kubernetes.io/is-default-class";
const name = "premium-ssd";
const driver = "disk.csi.azure.com";

/** A storage class for premium SSDs. It becomes the default class unless a user has chosen another one. */
export const storageClass: AddOn = {
  name: "storage-class",
  order: 10,
  version: "1.0.0",
  isFixed: true,
  clouds: ["azure"],
  wanted: "always",
  install: {
    by: "manifests",
    // Runs only before the first installation. A default class that appears later was chosen by a user.
    async prepare({ client, task }) {
      if ((await client.find({ ...kind, name }, task.signal)) !== undefined) return;
      for (const other of await listDefaults(client, task.signal)) {
        if (!isOfAks(other)) continue;
        const ref = { ...kind, name: other.metadata.name };
        await client.patch(ref, { metadata: { annotations: { [isDefault]: "false" } } }, task.signal);
        task.log(`storage class ${other.metadata.name} is no longer the default`);
      }
    },
    async render({ client, task }, _version, values) {
      const byOthers = (await listDefaults(client, task.signal)).some(({ metadata }) => metadata.name !== name);
      return [
        {
          ...kind,
          metadata: { name, annotations: { [isDefault]: byOthers ? "false" : "true" } },
          provisioner: driver,
          parameters: { skuName: "Premium_LRS", fsType: "ext4", ...objectOf(values["parameters"]) },
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

/**
 * Returns whether an object is the `default` class that AKS creates with the cluster. AKS does not restore the annotations of this class.
 */
function isOfAks(object: KubeObject): boolean {
  const { skuname, skuName, ...more } = (object["parameters"] ?? {}) as Readonly<Record<string, string>>;
  return (
    object.metadata.name === "default" &&
    object["provisioner"] === driver &&
    (skuname ?? skuName) === "StandardSSD_LRS" &&
    Object.keys(more).length === 0
  );
}
