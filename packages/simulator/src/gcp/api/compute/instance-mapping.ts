import { listOf, numberOf, objectOf, textOf, textsOf } from "@cloudwright/platform";
import type { ApiCall } from "../../../api/api-service.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { blockOf, mapOf } from "../../../values/read-value.ts";
import { isList, type ValueMap } from "../../../values/value.ts";
import { hash, numericId } from "../../place.ts";
import { invalid, refuse } from "../errors.ts";
import { labelsOf, lastPart, linkOf, writeLabels } from "./compute-records.ts";
import { findImage, pathOfImage } from "./images.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Returns the attributes that a request to create an instance sets. */
export function writeInstance(request: Fields): ValueMap {
  const disks = listOf(request["disks"]).map(objectOf);
  const boot = disks.find((disk) => disk["boot"] === true);
  if (boot === undefined) refuse(invalid("Invalid value for field 'resource.disks': ''. At least one boot disk is required."));
  const interfaces = listOf(request["networkInterfaces"]).map(objectOf);
  if (interfaces.length === 0)
    refuse(invalid("Invalid value for field 'resource.networkInterfaces': ''. At least one is required."));
  const { scheduling, shieldedInstanceConfig, serviceAccounts, description, hostname, canIpForward, deletionProtection } =
    request;
  const [account] = listOf(serviceAccounts).map(objectOf);
  return {
    name: textOf(request["name"]),
    machine_type: lastPart(request["machineType"]),
    ...writeLabels(request["labels"]),
    metadata: writeMetadata(request["metadata"]),
    tags: textsOf(objectOf(request["tags"])["items"]),
    boot_disk: [writeBootDisk(boot ?? {})],
    attached_disk: disks.filter((disk) => disk !== boot && textOf(disk["source"]) !== "").map(writeAttached),
    network_interface: interfaces.map(writeInterface),
    ...(textOf(description) === "" ? {} : { description: textOf(description) }),
    ...(textOf(hostname) === "" ? {} : { hostname: textOf(hostname) }),
    ...(canIpForward === true ? { can_ip_forward: true } : {}),
    deletion_protection: deletionProtection === true,
    ...(account === undefined
      ? {}
      : { service_account: [{ email: textOf(account["email"]), scopes: textsOf(account["scopes"]) }] }),
    ...(scheduling === undefined ? {} : { scheduling: [writeScheduling(objectOf(scheduling))] }),
    ...(shieldedInstanceConfig === undefined
      ? {}
      : { shielded_instance_config: [writeShield(objectOf(shieldedInstanceConfig))] }),
  };
}

/** Returns a map of metadata. */
export function writeMetadata(metadata: unknown): ValueMap {
  const items = listOf(objectOf(metadata)["items"]).map(objectOf);
  return Object.fromEntries(items.map((item) => [textOf(item["key"]), textOf(item["value"])]));
}

function writeBootDisk(disk: Fields): ValueMap {
  const { autoDelete, deviceName, source, initializeParams, diskEncryptionKey } = disk;
  const common = {
    auto_delete: autoDelete === true,
    ...(textOf(deviceName) === "" ? {} : { device_name: textOf(deviceName) }),
  };
  if (textOf(source) !== "") return { ...common, source: linkOf(textOf(source).replace(/^.*?(?=projects\/)/, "")) };
  const params = objectOf(initializeParams);
  const asked = textOf(params["sourceImage"]);
  const image = findImage(asked);
  if (image === undefined) {
    const field = "resource.disks[0].initializeParams.sourceImage";
    refuse({
      code: "invalid",
      message: `Invalid value for field '${field}': '${asked.slice(0, 200)}'. The referenced image resource cannot be found.`,
      status: 400,
    });
  }
  const key = textOf(objectOf(diskEncryptionKey)["kmsKeyName"]);
  return {
    ...common,
    ...(key === "" ? {} : { kms_key_self_link: key }),
    initialize_params: [
      {
        image: image === undefined ? "" : linkOf(pathOfImage(image)),
        ...(params["diskSizeGb"] === undefined ? {} : { size: Number(params["diskSizeGb"]) }),
        ...(textOf(params["diskType"]) === "" ? {} : { type: lastPart(params["diskType"]) }),
        labels: writeLabels(params["labels"])["labels"] ?? {},
      },
    ],
  };
}

function writeAttached(disk: Fields): ValueMap {
  const { source, deviceName, mode } = disk;
  return {
    source: linkOf(textOf(source).replace(/^.*?(?=projects\/)/, "")),
    mode: textOf(mode) || "READ_WRITE",
    ...(textOf(deviceName) === "" ? {} : { device_name: textOf(deviceName) }),
  };
}

function writeInterface(given: Fields): ValueMap {
  const { network, subnetwork, networkIP, accessConfigs } = given;
  const [net, subnet] = [textOf(network), textOf(subnetwork)];
  return {
    // An unset reference means the `default` network, which every project has.
    ...(net === "" || lastPart(net) === "default" ? {} : { network: toReference(net) }),
    ...(subnet === "" || lastPart(subnet) === "default" ? {} : { subnetwork: toReference(subnet) }),
    ...(textOf(networkIP) === "" ? {} : { network_ip: textOf(networkIP) }),
    access_config: listOf(accessConfigs)
      .map(objectOf)
      .map(({ natIP }) => (textOf(natIP) === "" ? {} : { nat_ip: textOf(natIP) })),
  };
}

// Paths may omit the project: `global/networks/main` refers to the request's project.
function toReference(text: string): string {
  return text.includes("projects/") ? text.replace(/^.*?(?=projects\/)/, "") : lastPart(text);
}

function writeScheduling(given: Fields): ValueMap {
  const { preemptible, automaticRestart, onHostMaintenance, provisioningModel, instanceTerminationAction } = given;
  return {
    ...(typeof preemptible === "boolean" ? { preemptible } : {}),
    ...(typeof automaticRestart === "boolean" ? { automatic_restart: automaticRestart } : {}),
    ...(textOf(onHostMaintenance) === "" ? {} : { on_host_maintenance: textOf(onHostMaintenance) }),
    ...(textOf(provisioningModel) === "" ? {} : { provisioning_model: textOf(provisioningModel) }),
    ...(textOf(instanceTerminationAction) === "" ? {} : { instance_termination_action: textOf(instanceTerminationAction) }),
  };
}

function writeShield({ enableSecureBoot, enableVtpm, enableIntegrityMonitoring }: Fields): ValueMap {
  return {
    enable_secure_boot: enableSecureBoot === true,
    enable_vtpm: enableVtpm !== false,
    enable_integrity_monitoring: enableIntegrityMonitoring !== false,
  };
}

/** Returns the status of an instance. While an operation is in progress, the operation determines the status. */
export function statusOf({ operations }: ApiCall, record: CloudRecord): string {
  const own = textOf(record.attributes["current_status"]) || "RUNNING";
  const pending = operations.findPending(record);
  if (pending === undefined) return own;
  if (pending.verb === "create") return "STAGING";
  if (pending.verb === "delete") return "STOPPING";
  return { stop: "STOPPING", suspend: "SUSPENDING", start: "STAGING", resume: "STAGING" }[pending.name] ?? own;
}

/** Returns the fingerprint of a value. Requests include it, so that the API can reject concurrent changes. */
export function fingerprintOf(value: unknown): string {
  return Buffer.from(hash(JSON.stringify(value ?? null)).slice(0, 16), "hex").toString("base64");
}

/** Renders an instance. */
export function renderInstance(call: ApiCall, record: CloudRecord): Record<string, unknown> {
  const { id, attributes } = record;
  const [, project = "", , zone = ""] = id.split("/");
  const labels = labelsOf(record);
  const status = statusOf(call, record);
  const metadata = Object.entries(mapOf(attributes["metadata"])).map(([key, value]) => ({ key, value: textOf(value) }));
  const tags = textsOf(attributes["tags"]);
  const text = (name: string): string | undefined => textOf(attributes[name]) || undefined;
  const type = lastPart(attributes["machine_type"]);
  return {
    kind: "compute#instance",
    id: text("instance_id") ?? numericId(id),
    creationTimestamp: text("creation_timestamp")?.replace(/-00:00$/, "+00:00"),
    name: textOf(attributes["name"]),
    description: text("description"),
    hostname: text("hostname"),
    tags: { ...(tags.length === 0 ? {} : { items: tags }), fingerprint: fingerprintOf(tags) },
    machineType: linkOf(`projects/${project}/zones/${zone}/machineTypes/${type}`),
    status,
    zone: linkOf(`projects/${project}/zones/${zone}`),
    canIpForward: attributes["can_ip_forward"] === true,
    networkInterfaces: listBlocks(attributes, "network_interface").map(renderInterface),
    disks: renderDisks(record),
    metadata: {
      kind: "compute#metadata",
      fingerprint: fingerprintOf(metadata),
      ...(metadata.length === 0 ? {} : { items: metadata }),
    },
    ...renderServiceAccount(attributes),
    selfLink: linkOf(id),
    scheduling: renderScheduling(blockOf(attributes, "scheduling")),
    cpuPlatform: text("cpu_platform") ?? "Unknown CPU Platform",
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    labelFingerprint: fingerprintOf(labels),
    startRestricted: false,
    deletionProtection: attributes["deletion_protection"] === true,
    shieldedInstanceConfig: renderShield(blockOf(attributes, "shielded_instance_config")),
    fingerprint: fingerprintOf(attributes),
    ...(status === "TERMINATED" ? { lastStopTimestamp: new Date(call.nowMs).toISOString() } : {}),
  };
}

function listBlocks(attributes: ValueMap, name: string): readonly ValueMap[] {
  const blocks = attributes[name];
  return (isList(blocks) ? blocks : []).map(mapOf);
}

function renderInterface(given: ValueMap, index: number): Record<string, unknown> {
  const accesses = listBlocks(given, "access_config");
  const toLink = (text: string): string => (text.startsWith("projects/") ? linkOf(text) : text);
  return {
    kind: "compute#networkInterface",
    network: toLink(textOf(given["network"])),
    subnetwork: toLink(textOf(given["subnetwork"])),
    networkIP: textOf(given["network_ip"]),
    name: textOf(given["name"]) || `nic${index}`,
    ...(accesses.length === 0
      ? {}
      : {
          accessConfigs: accesses.map((access) => ({
            kind: "compute#accessConfig",
            type: "ONE_TO_ONE_NAT",
            name: "External NAT",
            natIP: textOf(access["nat_ip"]),
            networkTier: textOf(access["network_tier"]) || "PREMIUM",
          })),
        }),
    fingerprint: fingerprintOf(given),
    stackType: "IPV4_ONLY",
  };
}

function renderDisks({ attributes }: CloudRecord): readonly Record<string, unknown>[] {
  const boot = blockOf(attributes, "boot_disk");
  const params = blockOf(boot, "initialize_params");
  const key = textOf(boot["kms_key_self_link"]);
  const render = (disk: ValueMap, index: number): Record<string, unknown> => ({
    kind: "compute#attachedDisk",
    type: "PERSISTENT",
    mode: textOf(disk["mode"]) || "READ_WRITE",
    source: textOf(disk["source"]),
    deviceName: textOf(disk["device_name"]) || `persistent-disk-${index}`,
    index,
    boot: index === 0,
    autoDelete: index === 0 && disk["auto_delete"] !== false,
    interface: "SCSI",
  });
  return [
    {
      ...render(boot, 0),
      ...(numberOf(params["size"]) > 0 ? { diskSizeGb: String(numberOf(params["size"])) } : {}),
      ...(key === "" ? {} : { diskEncryptionKey: { kmsKeyName: `${key}/cryptoKeyVersions/1` } }),
    },
    ...listBlocks(attributes, "attached_disk").map((disk, index) => render(disk, index + 1)),
  ];
}

function renderServiceAccount(attributes: ValueMap): Record<string, unknown> {
  const account = blockOf(attributes, "service_account");
  const email = textOf(account["email"]);
  return email === "" ? {} : { serviceAccounts: [{ email, scopes: textsOf(account["scopes"]).toSorted() }] };
}

function renderScheduling(given: ValueMap): Record<string, unknown> {
  const isSpot = given["preemptible"] === true || given["provisioning_model"] === "SPOT";
  return {
    onHostMaintenance: isSpot ? "TERMINATE" : "MIGRATE",
    automaticRestart: !isSpot && given["automatic_restart"] !== false,
    preemptible: isSpot,
    provisioningModel: isSpot ? "SPOT" : "STANDARD",
  };
}

function renderShield(given: ValueMap): Record<string, unknown> {
  return {
    enableSecureBoot: given["enable_secure_boot"] === true,
    enableVtpm: given["enable_vtpm"] !== false,
    enableIntegrityMonitoring: given["enable_integrity_monitoring"] !== false,
  };
}
