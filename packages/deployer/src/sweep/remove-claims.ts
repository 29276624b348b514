import { refOf, type KubeObject, type KubeRef } from "@cloudwright/kube";
import type { Sweeper } from "./sweeper.ts";

const core = (kind: string) => ({ apiVersion: "v1", kind });

/** A volume that the cluster created for a claim. */
export interface ClaimVolume {
  readonly object: KubeObject;
  /** The volume's id in the cloud. Empty if the cluster does not know it. */
  readonly id: string;
  /** The claim as `namespace/name`. Empty if no claim is bound. */
  readonly claim: string;
  readonly isKept: boolean;
}

/**
 * Lists the volumes that the cluster created for claims. `choice` is the cluster's `claimVolumes`: `retain` keeps all volumes, and `delete`
 * keeps none. For any other value, each volume's reclaim policy decides.
 */
export async function listClaimVolumes(sweeper: Pick<Sweeper, "list">, choice: string): Promise<readonly ClaimVolume[]> {
  const volumes = (await sweeper.list(core("PersistentVolume"))).filter(isDynamic);
  return volumes.map((object) => {
    const { spec } = object;
    const id: unknown = spec?.csi?.volumeHandle;
    const claim = spec?.claimRef as { readonly namespace?: string; readonly name?: string } | undefined;
    return {
      object,
      id: typeof id === "string" ? id : "",
      claim: claim?.name === undefined ? "" : `${claim.namespace ?? "default"}/${claim.name}`,
      isKept: choice === "retain" || (choice !== "delete" && isRetained(object)),
    };
  });
}

/** Deletes the claims of all volumes that must not outlive the cluster. Pods that use the claims are stopped first. */
export async function removeClaims(sweeper: Sweeper, all: readonly ClaimVolume[]): Promise<void> {
  const going = all.filter(({ isKept }) => !isKept);
  // The driver deletes a volume together with its claim only if the volume's reclaim policy is `Delete`.
  for (const { object } of going.filter((each) => isRetained(each.object)))
    await sweeper.client.patch(refOf(object), { spec: { persistentVolumeReclaimPolicy: "Delete" } }, sweeper.signal);
  const volumes = going.map(({ object }) => object);
  const names = new Set(volumes.map(({ metadata }) => metadata.name));
  const claims = (await sweeper.list(core("PersistentVolumeClaim"))).filter(({ spec }) => names.has(spec?.volumeName));
  if (claims.length > 0) await stopUsers(sweeper, claims);
  for (const claim of claims) await sweeper.remove(claim);
  // A deleted claim disappears immediately. Its volume disappears only after the cloud has deleted the disk.
  for (const volume of volumes) sweeper.expectGone(volume);
}

function isRetained({ spec }: KubeObject): boolean {
  return spec?.persistentVolumeReclaimPolicy !== "Delete";
}

function isDynamic({ metadata }: KubeObject): boolean {
  return metadata.annotations?.["pv.kubernetes.io/provisioned-by"] !== undefined;
}

const scalable = new Set(["Deployment", "StatefulSet", "ReplicaSet"]);

/**
 * Stops the pods that use the claims and prevents their owners from creating new pods. Scales owners to zero if possible. Deletes all
 * other owners and their pods, and pods without an owner.
 */
async function stopUsers(sweeper: Sweeper, claims: readonly KubeObject[]): Promise<void> {
  const { client, signal } = sweeper;
  const used = new Set(claims.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const pods = (await sweeper.list(core("Pod"))).filter((pod) => claimsOf(pod).some((claim) => used.has(claim)));
  const owners = new Map<string, KubeRef>();
  for (const pod of pods) {
    const owner = await findOwner(sweeper, pod);
    if (owner !== undefined) owners.set(`${owner.kind} ${owner.namespace}/${owner.name}`, owner);
    if (owner?.kind !== undefined && scalable.has(owner.kind)) continue;
    await client.delete(refOf(pod), {}, signal);
  }
  for (const owner of owners.values()) {
    if (scalable.has(owner.kind)) await client.patch(owner, { spec: { replicas: 0 } }, signal);
    else await client.delete(owner, {}, signal);
  }
}

function claimsOf({ metadata, spec }: KubeObject): string[] {
  const volumes = (spec?.volumes ?? []) as readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  return volumes.flatMap(({ persistentVolumeClaim: claim }) =>
    claim === undefined ? [] : [`${metadata.namespace}/${claim.claimName}`],
  );
}

/** Returns a pod's top-level owner from the `apps` or `batch` group, such as the Deployment behind a ReplicaSet. */
async function findOwner(sweeper: Sweeper, object: KubeObject): Promise<KubeRef | undefined> {
  const [owner] = object.metadata.ownerReferences ?? [];
  if (owner === undefined || !/^(apps|batch)\//.test(owner.apiVersion)) return undefined;
  const { apiVersion, kind, name } = owner;
  const { namespace } = object.metadata;
  const ref = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
  const found = await sweeper.client.find(ref, sweeper.signal);
  return found === undefined ? undefined : ((await findOwner(sweeper, found)) ?? ref);
}
