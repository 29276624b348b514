import { getQuota } from "../../cloud/quotas.ts";
import { blockOf, mapOf, numberOf, textOf } from "../../values/read-value.ts";
import { hash, numericId, placeOf } from "../place.ts";
import { refuseMissing, refuseQuota, type Refusal } from "../refusal.ts";
import { idIn, paths, type GcpChange, type GcpResource, type GcpResources } from "../resource.ts";

interface DiskType {
  readonly minGib: number;
  readonly maxGib: number;
  /** Whether IOPS can be configured for this disk type. */
  readonly iops: boolean;
  /** Whether throughput can be configured for this disk type. */
  readonly throughput: boolean;
}

const diskTypes: Readonly<Record<string, DiskType>> = {
  "pd-standard": { minGib: 1, maxGib: 65_536, iops: false, throughput: false },
  "pd-balanced": { minGib: 1, maxGib: 65_536, iops: false, throughput: false },
  "pd-ssd": { minGib: 1, maxGib: 65_536, iops: false, throughput: false },
  "pd-extreme": { minGib: 500, maxGib: 65_536, iops: true, throughput: false },
  "hyperdisk-balanced": { minGib: 4, maxGib: 65_536, iops: true, throughput: true },
  "hyperdisk-extreme": { minGib: 64, maxGib: 65_536, iops: true, throughput: false },
  "hyperdisk-throughput": { minGib: 2048, maxGib: 32_768, iops: false, throughput: true },
};

const disk: GcpResource = {
  noun: "Disk",
  path: paths.disk,
  forceNew: [
    "description",
    "type",
    "image",
    "snapshot",
    "physical_block_size_bytes",
    "disk_encryption_key",
    "source_image_encryption_key",
    "source_snapshot_encryption_key",
    "source_disk",
    "enable_confidential_compute",
    "storage_pool",
    "params",
  ],
  defaults: { type: "pd-standard", create_snapshot_before_destroy: false },
  // A disk can grow in place. Shrinking it requires a new disk.
  listReplacements: (prior, planned) => (numberOf(planned["size"]) < numberOf(prior["size"]) ? ["size"] : []),
  takes: { create: 5, update: 5, delete: 5 },
  check: async (change, context) => {
    if (change.operation === "delete") return [];
    const [wrong] = checkDisk(change);
    if (wrong !== undefined) return [wrong];
    const { region } = change.place;
    const others = (await context.list("google_compute_disk")).filter(
      ({ id, attributes }) => id !== change.id && placeOf(context, attributes).region === region,
    );
    const used = others.reduce((sum, { attributes }) => sum + numberOf(attributes["size"]), 0);
    const limit = getQuota("disk-gib-per-region", context.conditions);
    const metric = textOf(change.planned["type"]) === "pd-ssd" ? "SSD_TOTAL_GB" : "DISKS_TOTAL_GB";
    return used + numberOf(change.planned["size"]) <= limit ? [] : [refuseQuota(metric, limit, `in region ${region}`)];
  },
  compute: ({ id, planned }) => ({
    disk_id: numericId(id),
    size: 500,
    physical_block_size_bytes: 4096,
    access_mode: "READ_WRITE_SINGLE",
    provisioned_iops: textOf(planned["type"]).startsWith("hyperdisk-balanced") ? 3000 : 0,
    provisioned_throughput: textOf(planned["type"]).startsWith("hyperdisk-balanced") ? 140 : 0,
    enable_confidential_compute: false,
    users: [],
    licenses: [],
    last_attach_timestamp: "",
    last_detach_timestamp: "",
    source_disk_id: "",
    source_image_id: "",
    source_instant_snapshot_id: "",
    source_snapshot_id: "",
  }),
  sideEffects: ({ operation, id, prior, place }, { nowMs }) => {
    if (operation !== "delete" || prior["create_snapshot_before_destroy"] !== true) return {};
    const prefix = textOf(prior["create_snapshot_before_destroy_prefix"]) || textOf(prior["name"]);
    const name = `${prefix.slice(0, 40)}-${hash(`${id} ${nowMs}`).slice(0, 16)}`;
    const snapshotId = `projects/${place.project}/global/snapshots/${name}`;
    const attributes = {
      id: snapshotId,
      name,
      project: place.project,
      source_disk: id,
      disk_size_gb: numberOf(prior["size"]),
      effective_labels: mapOf(prior["effective_labels"]),
    };
    return { put: [{ type: "google_compute_snapshot", id: snapshotId, attributes }] };
  },
};

function checkDisk({ planned }: GcpChange): readonly Refusal[] {
  const type = textOf(planned["type"]).split("/").at(-1) ?? "";
  const facts = Object.hasOwn(diskTypes, type) ? diskTypes[type] : undefined;
  if (facts === undefined) {
    const message = `Invalid value for field 'resource.type': '${type}'. The referenced disk type cannot be found.`;
    return [{ code: "invalid", message, path: ["type"] }];
  }
  const size = planned["size"];
  if (typeof size === "number" && (size < facts.minGib || size > facts.maxGib)) {
    const message = `Invalid value for field 'resource.sizeGb': '${size}'. Disk size must be between ${facts.minGib} and ${facts.maxGib} GB for ${type}.`;
    return [{ code: "invalid", message, path: ["size"] }];
  }
  for (const [name, isAllowed] of [
    ["provisioned_iops", facts.iops],
    ["provisioned_throughput", facts.throughput],
  ] as const) {
    if (isAllowed || typeof planned[name] !== "number" || planned[name] === 0) continue;
    const message = `Invalid value for field 'resource.${name}': '${planned[name]}'. ${type} does not support it.`;
    return [{ code: "invalid", message, path: [name] }];
  }
  const key = textOf(blockOf(planned, "disk_encryption_key")["kms_key_self_link"]);
  if (key === "" || /^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+\/cryptoKeys\/[^/]+/.test(key)) return [];
  return [{ code: "invalid", message: `Invalid KMS key name: '${key}'.`, path: ["disk_encryption_key"] }];
}

const attachment: GcpResource = {
  noun: "AttachedDisk",
  path: "projects/{project}/zones/{zone}/instances/{instance}/{disk}",
  names: [{ path: "disk", to: ["google_compute_disk"], missing: refuseMissing, tie: "holds", idOf: idIn(paths.disk) }],
  takes: { create: 10, delete: 10 },
};

/** The persistent disk resource types. */
export const disks: GcpResources = { google_compute_disk: disk, google_compute_attached_disk: attachment };
