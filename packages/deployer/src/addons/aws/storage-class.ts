import type { KubeClient, KubeObject } from "@cloudwright/kube";
import { objectOf } from "../../read-spec.ts";
import type { AddOn } from "../add-on.ts";

const kind = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };
const isDefault = "storageclass.kubernetes.io/is-default-class";
const name = "gp3";

/** A storage class for gp3 volumes. It becomes the default class unless a user has chosen another one. */
export const storageClass: AddOn = {
  name: "storage-class",
  order: 10,
  version: "1.0.0",
  isFixed: true,
  clouds: ["aws"],
  // The EBS CSI driver is an EKS add-on, which only the Terraform configuration installs.
  provisioners: ["terraform"],
  wanted: "always",
  install: {
    by: "manifests",
    // Runs only before the first installation. A default class that appears later was chosen by a user.
    async prepare({ client, task }) {
      if ((await client.find({ ...kind, name }, task.signal)) !== undefined) return;
      for (const other of await listDefaults(client, task.signal)) {
        if (!(await isOfEks(client, other, task.signal))) continue;
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
          provisioner: "ebs.csi.aws.com",
          parameters: { type: "gp3", "csi.storage.k8s.io/fstype": "ext4", encrypted: "true", ...objectOf(values["parameters"]) },
          reclaimPolicy: values["reclaimPolicy"] === "Retain" ? "Retain" : "Delete",
          // Creates each volume in the zone of the first pod that uses it.
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

const bootstrapMs = 15 * 60_000;

// EKS creates the gp2 class with the cluster and does not label it. The class is recognised by its parameters and age, and by having no
// labels.
async function isOfEks(client: KubeClient, object: KubeObject, signal: AbortSignal): Promise<boolean> {
  const { metadata } = object;
  const { type, fsType, ...more } = (object["parameters"] ?? {}) as Readonly<Record<string, string>>;
  if (metadata.name !== "gp2" || type !== "gp2" || fsType !== "ext4" || Object.keys(more).length > 0) return false;
  if (Object.keys(metadata.labels ?? {}).length > 0) return false;
  const system = await client.find({ apiVersion: "v1", kind: "Namespace", name: "kube-system" }, signal);
  const born = (each: KubeObject | undefined): number => Date.parse(each?.metadata.creationTimestamp ?? "");
  return born(object) - born(system) < bootstrapMs;
}
