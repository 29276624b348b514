import { findNumber, listOf, textOf, textsOf, type JsonObject } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import { isCloudFault, refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes, PartOwner } from "../../library/parts.ts";
import { toStatus } from "../../library/statuses.ts";
import { ownerTag } from "../../account-view.ts";
import type { Instance, Metadata, Operation } from "../models.ts";
import { lastPart } from "../resource-names.ts";
import { instanceStatuses } from "../statuses.ts";
import type { GcpContext } from "../library/context.ts";
import { awaitInstance, toRequestId } from "../library/create-instance.ts";
import { diskTypeFor, findImage } from "../library/images.ts";
import { imageKey } from "../library/instance-metadata.ts";
import { changeInstance, deleteInstance, readInstanceConsole, waitUntil, type InstanceChange } from "../library/instances.ts";
import { renderLabels } from "../library/labels.ts";
import { checkZoneOperation } from "../library/operations.ts";
import { findInstance, findInstances, pathOfInstance, type InstancePlace } from "../library/read-compute.ts";
import { pathOf, readInstanceRef } from "../library/references.ts";
import {
  checkOwner,
  checkTaken,
  findOwned,
  listOwnLabels,
  ownerOfLabels,
  readBlock,
  readTexts,
  renderOwnerLabels,
  replaceOwnLabels,
  type PartScope,
} from "./part-support.ts";

const readyMs = 10 * 60_000;
const appearMs = 2 * 60_000;

/**
 * Compute Engine instances. The ID is `projects/p/zones/z/instances/i`. Attributes: `name`, `zone`, `machine_type`, `boot_disk` (one block
 * with `image`, `size` and `kms_key_self_link`), `network_interface` (one block with `subnetwork`, a path, and `has_public_address`),
 * `service_account` (no block, or one with `email` and `scopes`), `shielded_instance_config` (one block with `enable_secure_boot`,
 * `enable_vtpm` and `enable_integrity_monitoring`), `metadata`, `tags` (network tags), `labels`, `desired_status` (`RUNNING` or
 * `TERMINATED`). A blueprint sets every field of a block that it uses.
 */
export function createInstancePart(context: GcpContext, { entityUid }: PartScope): CloudPart {
  const read = async (place: InstancePlace, signal: AbortSignal): Promise<PartAttributes | undefined> => {
    const found = await findInstance(context, place, signal);
    return found === undefined || found.status === "DEPROVISIONING" ? undefined : toAttributes(place, found);
  };
  return {
    name: "google_compute_instance",
    immutable: ["name", "zone", "boot_disk", "network_interface", "service_account", "shielded_instance_config", "failed"],
    sensitive: ["metadata"],
    async create(attributes, owner, signal) {
      const [zone, name] = [textOf(attributes["zone"]), textOf(attributes["name"])];
      const place = readPlace(`projects/${context.project}/zones/${zone}/instances/${name}`);
      const existing = await findInstance(context, place, signal);
      if (existing === undefined) await sendCreate(context, place, attributes, owner, signal);
      else checkTaken(`the instance ${name}`, existing.labels, owner);
      await setStatus(context, place, textOf(attributes["desired_status"]), signal);
      return { id: pathOfInstance(place), attributes: (await read(place, signal)) ?? attributes };
    },
    read: async (id, signal) => read(readPlace(id), signal),
    async update(id, attributes, signal) {
      const place = readPlace(id);
      const send = (change: InstanceChange): Promise<void> =>
        changeInstance(context, place, change, { signal, timeoutMs: readyMs });
      const now = (await findInstance(context, place, signal)) ?? {};
      const type = textOf(attributes["machine_type"]);
      if (type !== "" && type !== lastPart(now.machineType)) {
        await setStatus(context, place, "TERMINATED", signal);
        const body = { machineType: `zones/${place.zone}/machineTypes/${type}` };
        await send({ verb: "setMachineType", doing: `change the type of the instance ${place.name}`, body });
      }
      const items = textsOf(attributes["tags"]).toSorted();
      if (attributes["tags"] !== undefined && !isDeepStrictEqual(items, [...(now.tags?.items ?? [])].toSorted())) {
        const body = { items, fingerprint: now.tags?.fingerprint ?? "" };
        await send({ verb: "setTags", doing: `change the network tags of the instance ${place.name}`, body });
      }
      const metadata = readTexts(attributes["metadata"]);
      const { [imageKey]: image = "", ...kept } = toMetadata(now);
      if (attributes["metadata"] !== undefined && !isDeepStrictEqual(metadata, kept)) {
        const body = { ...renderMetadata({ ...metadata, [imageKey]: image }), fingerprint: now.metadata?.fingerprint ?? "" };
        await send({ verb: "setMetadata", doing: `change the metadata of the instance ${place.name}`, body });
      }
      const labels = replaceOwnLabels(now.labels, attributes["labels"]);
      if (attributes["labels"] !== undefined && !isDeepStrictEqual(labels, now.labels ?? {})) {
        const body = { labels, labelFingerprint: now.labelFingerprint ?? "" };
        await send({ verb: "setLabels", doing: `label the instance ${place.name}`, body });
      }
      await setStatus(context, place, textOf(attributes["desired_status"]), signal);
      return (await read(place, signal)) ?? attributes;
    },
    async delete(id, signal) {
      const place = readPlace(id);
      const found = await findInstance(context, place, signal);
      checkOwner(`the instance ${place.name}`, found?.labels, entityUid);
      if (found !== undefined) await deleteInstance(context, place, { signal, timeoutMs: readyMs });
    },
    async listOwned(uid, signal) {
      const found = await findInstances(context, { labels: renderLabels({ [ownerTag]: uid }), isComplete: true }, signal);
      return found.flatMap(({ place, instance }) => findOwned(pathOfInstance(place), instance.labels, uid) ?? []);
    },
    async findOwner(id, signal) {
      return ownerOfLabels((await findInstance(context, readPlace(id), signal))?.labels);
    },
    readConsole: (id, signal) => readInstanceConsole(context, readPlace(id), { signal }),
  };
}

function readPlace(id: string): InstancePlace {
  const { project, location: zone, name } = readInstanceRef(id);
  if (project === undefined || zone === undefined)
    throw refuseRequest("gcp", `"${id}" is not an instance's ID; use projects/p/zones/z/instances/i`);
  return { project, zone, name };
}

/** Waits until an instance is neither starting nor stopping, then starts or stops it if it does not have the desired status. */
async function setStatus(context: GcpContext, place: InstancePlace, desired: string, signal: AbortSignal): Promise<void> {
  if (desired !== "" && desired !== "RUNNING" && desired !== "TERMINATED")
    throw refuseRequest("gcp", `desired_status must be RUNNING or TERMINATED, not ${desired}`);
  const options = { signal, timeoutMs: readyMs };
  const settled = await waitUntil(context, place, options, {
    notFoundMs: appearMs,
    isDone: ({ status }) => status === "running" || status === "stopped",
  });
  if (desired === "" || settled.status === (desired === "RUNNING" ? "running" : "stopped")) return;
  const start = settled.nativeStatus === "SUSPENDED" ? "resume" : "start";
  await changeInstance(context, place, { verb: desired === "RUNNING" ? start : "stop" }, options);
  await waitUntil(context, place, options, {
    isDone: ({ status }) => status === (desired === "RUNNING" ? "running" : "stopped"),
  });
}

async function sendCreate(
  context: GcpContext,
  place: InstancePlace,
  attributes: PartAttributes,
  owner: PartOwner,
  signal: AbortSignal,
): Promise<void> {
  const { project, zone, name } = place;
  const doing = `create the instance ${name} in ${zone}`;
  const body = renderInstance(place, attributes, owner);
  try {
    const operation = await context.api.call<Operation>(doing, {
      service: "compute",
      action: "instances.insert",
      method: "POST",
      path: `projects/${project}/zones/${zone}/instances`,
      query: { requestId: toRequestId(`${owner.token} ${zone}`) },
      body,
      signal,
    });
    checkZoneOperation(doing, operation);
    if (operation.name !== undefined) await awaitInstance(context, place, operation.name, { doing, signal, timeoutMs: readyMs });
  } catch (error) {
    const taken = isCloudFault(error, "conflict", "unavailable") ? await findInstance(context, place, signal) : undefined;
    if (taken === undefined) throw error;
    checkTaken(`the instance ${name}`, taken.labels, owner);
  }
}

function renderInstance({ project, zone, name }: InstancePlace, attributes: PartAttributes, owner: PartOwner): Instance {
  const type = textOf(attributes["machine_type"]);
  const { image, size, kms_key_self_link: kmsKey } = readBlock(attributes["boot_disk"]);
  const { subnetwork, has_public_address: isPublic } = readBlock(attributes["network_interface"]);
  const labels = renderOwnerLabels(attributes["labels"], owner);
  const sizeGiB = findNumber(size);
  const found = findImage(textOf(image), type);
  const { email, scopes } = readBlock(attributes["service_account"]);
  const shield = readBlock(attributes["shielded_instance_config"]);
  return {
    name,
    machineType: `zones/${zone}/machineTypes/${type}`,
    labels,
    disks: [
      {
        boot: true,
        autoDelete: true,
        initializeParams: {
          sourceImage: found.path,
          diskType: `projects/${project}/zones/${zone}/diskTypes/${diskTypeFor(type)}`,
          labels,
          ...(sizeGiB === undefined ? {} : { diskSizeGb: String(sizeGiB) }),
        },
        ...(textOf(kmsKey) === "" ? {} : { diskEncryptionKey: { kmsKeyName: textOf(kmsKey) } }),
      },
    ],
    networkInterfaces: [
      {
        ...(textOf(subnetwork) === "" ? {} : { subnetwork: textOf(subnetwork) }),
        ...(isPublic === true ? { accessConfigs: [{ type: "ONE_TO_ONE_NAT", name: "External NAT" }] } : {}),
      },
    ],
    metadata: renderMetadata({ ...readTexts(attributes["metadata"]), [imageKey]: textOf(image) }),
    ...(textOf(email) === "" ? {} : { serviceAccounts: [{ email: textOf(email), scopes: textsOf(scopes) }] }),
    ...(attributes["shielded_instance_config"] === undefined
      ? {}
      : {
          shieldedInstanceConfig: {
            enableSecureBoot: shield["enable_secure_boot"] === true,
            enableVtpm: shield["enable_vtpm"] === true,
            enableIntegrityMonitoring: shield["enable_integrity_monitoring"] === true,
          },
        }),
    ...(listOf(attributes["tags"]).length === 0 ? {} : { tags: { items: textsOf(attributes["tags"]) } }),
  };
}

function renderMetadata(values: Readonly<Record<string, string>>): Metadata {
  return { items: Object.entries(values).map(([key, value]) => ({ key, value })) };
}

function toMetadata({ metadata }: Instance): Record<string, string> {
  return Object.fromEntries((metadata?.items ?? []).map(({ key = "", value = "" }) => [key, value]));
}

/** Returns the attributes that a plan compares, and the outputs. */
function toAttributes({ zone, name }: InstancePlace, instance: Instance): PartAttributes {
  const status = toStatus(instanceStatuses, instance.status);
  const [nic] = instance.networkInterfaces ?? [];
  const disk = instance.disks?.find(({ boot }) => boot === true);
  const { [imageKey]: image = "", ...metadata } = toMetadata(instance);
  const shield = instance.shieldedInstanceConfig ?? {};
  // Compute Engine appends the version of the key that it used.
  const kmsKey = (disk?.diskEncryptionKey?.kmsKeyName ?? "").replace(/\/cryptoKeyVersions\/.*/s, "");
  const publicAddress = nic?.accessConfigs?.map(({ natIP = "" }) => natIP).find((address) => address !== "") ?? "";
  return {
    name,
    zone,
    machine_type: lastPart(instance.machineType),
    boot_disk: [{ image, size: Number(disk?.diskSizeGb ?? 0), kms_key_self_link: kmsKey }],
    network_interface: [{ subnetwork: pathOf(nic?.subnetwork ?? ""), has_public_address: (nic?.accessConfigs ?? []).length > 0 }],
    service_account: (instance.serviceAccounts ?? []).map(({ email = "", scopes = [] }): JsonObject => ({
      email,
      scopes: [...scopes].toSorted(),
    })),
    shielded_instance_config: [
      {
        enable_secure_boot: shield.enableSecureBoot ?? false,
        enable_vtpm: shield.enableVtpm ?? false,
        enable_integrity_monitoring: shield.enableIntegrityMonitoring ?? false,
      },
    ],
    metadata,
    tags: [...(instance.tags?.items ?? [])].toSorted(),
    labels: listOwnLabels(instance.labels),
    desired_status: status === "stopped" || status === "stopping" ? "TERMINATED" : "RUNNING",
    ready: status === "running" || status === "stopped",
    failed: false,
    private_ip: nic?.networkIP ?? "",
    public_ip: publicAddress,
  };
}
