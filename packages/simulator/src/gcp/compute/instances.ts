import { parseRange, renderAddress } from "@cloudwright/platform";
import { getQuota } from "../../cloud/quotas.ts";
import type { CloudRecord } from "../../inventory/inventory.ts";
import type { HookContext } from "../../provider/definition.ts";
import { blockOf, mapOf, numberOf, textOf } from "../../values/read-value.ts";
import { isList, type Value, type ValueMap } from "../../values/value.ts";
import { hash, numericId, placeOf } from "../place.ts";
import { refuseMissing, refuseQuota, type Refusal } from "../refusal.ts";
import {
  idIn,
  inNetwork,
  inSubnetwork,
  paths,
  toId,
  type GcpChange,
  type GcpResource,
  type GcpResources,
  type Reference,
} from "../resource.ts";
import { findMachineType, isOfferedIn } from "./machine-types.ts";

const instance: GcpResource = {
  noun: "Instance",
  path: "projects/{project}/zones/{zone}/instances/{name}",
  forceNew: [
    "boot_disk",
    "can_ip_forward",
    "description",
    "hostname",
    "network_interface.network",
    "network_interface.subnetwork",
  ],
  defaults: { "boot_disk.auto_delete": true, "boot_disk.mode": "READ_WRITE", deletion_protection: false },
  recompute: {
    current_status: ["desired_status"],
    tags_fingerprint: ["tags"],
    metadata_fingerprint: ["metadata"],
    label_fingerprint: ["labels"],
  },
  names: [
    unlessDefault(inNetwork("network_interface.network")),
    unlessDefault(inSubnetwork("network_interface.subnetwork")),
    { path: "boot_disk.source", to: ["google_compute_disk"], missing: refuseMissing, tie: "holds", idOf: toId },
    { path: "attached_disk.source", to: ["google_compute_disk"], missing: refuseMissing, tie: "holds", idOf: idIn(paths.disk) },
  ],
  takes: { create: 20, update: 10, delete: 10 },
  check: checkInstance,
  compute: describeInstance,
  sideEffects: (change) => listDisks(change),
  // If the configuration sets `desired_status`, the provider reports the current status in that attribute.
  read: ({ attributes }) =>
    textOf(attributes["desired_status"]) === ""
      ? attributes
      : { ...attributes, desired_status: attributes["current_status"] ?? null },
};

/** Every project has a `default` network with subnetworks of the same name. None of them are in the inventory. */
function unlessDefault(reference: Reference): Reference {
  return {
    ...reference,
    idOf: (written, place) => (/(^|\/)default$/.test(written) ? undefined : reference.idOf?.(written, place)),
  };
}

async function checkInstance(change: GcpChange, context: HookContext): Promise<readonly Refusal[]> {
  const { operation, planned, prior, place, id } = change;
  if (operation === "delete") {
    return prior["deletion_protection"] === true
      ? [{ code: "resourceInUseByAnotherResource", message: `Resource '${id}' is protected from accidental deletion.` }]
      : [];
  }
  const type = textOf(planned["machine_type"]).split("/").at(-1) ?? "";
  if (findMachineType(type) === undefined || !isOfferedIn(type, place.zone)) {
    const link = `projects/${place.project}/zones/${place.zone}/machineTypes/${type}`;
    const message = `Invalid value for field 'resource.machineType': '${link}'. The referenced resource does not exist.`;
    return [{ code: "invalid", message, path: ["machine_type"] }];
  }
  if (operation !== "create") return [];
  if (context.conditions.fullZones?.includes(place.zone) === true) {
    const message = `The zone 'projects/${place.project}/zones/${place.zone}' does not have enough resources available to fulfill the request.  Try a different zone, or try again later.`;
    return [{ code: "ZONE_RESOURCE_POOL_EXHAUSTED", message, status: 503 }];
  }
  const disk = bootDiskId(change);
  if (disk !== undefined && (await context.find({ type: "google_compute_disk", id: disk })) !== undefined)
    return [{ code: "alreadyExists", message: `The resource '${disk}' already exists`, status: 409 }];
  return checkProcessors(change, context);
}

async function checkProcessors({ planned, place }: GcpChange, context: HookContext): Promise<readonly Refusal[]> {
  const count = (attributes: ValueMap): number =>
    findMachineType(textOf(attributes["machine_type"]).split("/").at(-1) ?? "")?.vcpus ?? 0;
  const peers = (await context.list("google_compute_instance")).filter(
    ({ attributes }) => placeOf(context, attributes).region === place.region,
  );
  const used = peers.reduce((sum, { attributes }) => sum + count(attributes), 0);
  const limit = getQuota("vcpus-per-region", context.conditions);
  return used + count(planned) <= limit ? [] : [refuseQuota("CPUS", limit, `in region ${place.region}`)];
}

/** Returns the id of the disk that is created together with an instance, or undefined if the instance boots from an existing disk. */
function bootDiskId({ planned, place }: GcpChange): string | undefined {
  const boot = blockOf(planned, "boot_disk");
  if (typeof boot["source"] === "string" && toId(boot["source"]) !== undefined && !isOwnDisk(boot, planned)) return undefined;
  return `projects/${place.project}/zones/${place.zone}/disks/${textOf(planned["name"])}`;
}

function isOwnDisk(boot: ValueMap, { name = null }: ValueMap): boolean {
  const params = boot["initialize_params"];
  return isList(params) && params.length > 0 && textOf(boot["source"]).endsWith(`/disks/${textOf(name)}`);
}

async function describeInstance(change: GcpChange, context: HookContext): Promise<Record<string, Value>> {
  const { id, planned, prior, place } = change;
  const disk = bootDiskId(change);
  const params = blockOf(blockOf(planned, "boot_disk"), "initialize_params");
  const interfaces = planned["network_interface"];
  const listed = isList(interfaces) ? interfaces.map(mapOf) : [];
  return {
    instance_id: numericId(id),
    current_status: textOf(planned["desired_status"]) || textOf(prior["current_status"]) || "RUNNING",
    cpu_platform: "Intel Broadwell",
    min_cpu_platform: "",
    metadata_fingerprint: fingerprint(planned["metadata"]),
    tags_fingerprint: fingerprint(planned["tags"]),
    label_fingerprint: fingerprint(planned["labels"]),
    boot_disk: [
      {
        source: disk === undefined ? "" : `https://www.googleapis.com/compute/v1/${disk}`,
        device_name: "persistent-disk-0",
        disk_encryption_key_sha256: "",
        kms_key_self_link: "",
        guest_os_features: [],
        initialize_params: [
          {
            image: textOf(params["image"]),
            size: 10,
            type: "pd-standard",
            labels: {},
            architecture: "X86_64",
            provisioned_iops: 0,
            provisioned_throughput: 0,
            resource_policies: [],
            snapshot: "",
          },
        ],
      },
    ],
    network_interface: await Promise.all(listed.map((each, index) => describeInterface(each, index, change, context))),
    zone: place.zone,
  };
}

async function describeInterface(
  given: ValueMap,
  index: number,
  { id, place }: GcpChange,
  context: HookContext,
): Promise<Record<string, Value>> {
  const named = textOf(given["subnetwork"]);
  const subnetId = named === "" ? "" : idIn(paths.subnetwork)(named, place);
  const subnet = (await context.find({ type: "google_compute_subnetwork", id: subnetId }))?.attributes;
  const range = parseRange(textOf(subnet?.["ip_cidr_range"]));
  const seed = Number.parseInt(hash(`${id} ${index}`).slice(0, 8), 16);
  const size = range === undefined ? 0 : 2 ** (32 - range.prefix) - 4;
  const access = given["access_config"];
  const root = "https://www.googleapis.com/compute/v1/";
  return {
    name: `nic${index}`,
    network: textOf(subnet?.["network"]) || `${root}projects/${place.project}/global/networks/default`,
    subnetwork: `${root}projects/${place.project}/regions/${place.region}/subnetworks/default`,
    subnetwork_project: place.project,
    network_ip: range === undefined ? `10.128.${(seed >> 8) % 16}.${2 + (seed % 250)}` : renderAddress(range, 2 + (seed % size)),
    stack_type: "IPV4_ONLY",
    ipv6_access_type: "",
    ipv6_address: "",
    internal_ipv6_prefix_length: 0,
    network_attachment: "",
    access_config: (isList(access) ? access : []).map(() => ({ nat_ip: `203.0.113.${seed % 256}`, network_tier: "PREMIUM" })),
  };
}

function fingerprint(value: Value | undefined): string {
  return Buffer.from(hash(JSON.stringify(value ?? null)).slice(0, 16), "hex").toString("base64");
}

/** Creates the boot disk together with the instance, and deletes both together unless the disk is to be kept. */
function listDisks(change: GcpChange): { readonly put?: readonly CloudRecord[]; readonly delete?: readonly CloudRecord[] } {
  const { operation, planned, prior, place, id: instanceId } = change;
  const attributes = operation === "delete" ? prior : planned;
  const boot = blockOf(attributes, "boot_disk");
  const params = blockOf(boot, "initialize_params");
  const id = toId(textOf(boot["source"]));
  if (id === undefined || operation === "update") return {};
  const disk: CloudRecord = {
    type: "google_compute_disk",
    id,
    attributes: {
      id,
      name: id.split("/").at(-1) ?? "",
      project: place.project,
      zone: place.zone,
      size: numberOf(params["size"]),
      type: textOf(params["type"]).split("/").at(-1) ?? "",
      image: textOf(params["image"]),
      labels: mapOf(params["labels"]),
      effective_labels: mapOf(params["labels"]),
      disk_id: numericId(id),
      users: [`https://www.googleapis.com/compute/v1/${instanceId}`],
      self_link: `https://www.googleapis.com/compute/v1/${id}`,
    },
  };
  if (operation === "create") return isOwnDisk(boot, planned) ? { put: [disk] } : {};
  return boot["auto_delete"] === false ? {} : { delete: [disk] };
}

/** The Compute Engine instance resource type. */
export const instances: GcpResources = { google_compute_instance: instance };
