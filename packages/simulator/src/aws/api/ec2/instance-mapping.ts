import { numberOf, textOf, textsOf } from "@cloudwright/platform";
import type { ApiCall } from "../../../api/api-service.ts";
import type { Operation } from "../../../api/operations.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { blockOf } from "../../../values/read-value.ts";
import { findInstanceType } from "../../ec2/instance-types.ts";
import { companionsOf } from "../../ec2/vpc.ts";
import { accountOf, arnOf, hash, placeOf } from "../../place.ts";
import { tagSetOf } from "./ec2-request.ts";

/** The codes of instance states. */
const stateCodes: Readonly<Record<string, number>> = {
  pending: 0,
  running: 16,
  "shutting-down": 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

/** Returns the state of an instance. While an operation is in progress, the operation determines the state. */
export function stateOf({ operations }: ApiCall, record: CloudRecord): string {
  const pending = operations.findPending(record);
  if (pending?.verb === "create" || pending?.name === "StartInstances") return "pending";
  if (pending?.verb === "delete") return "shutting-down";
  if (pending?.name === "StopInstances") return "stopping";
  return textOf(record.attributes["instance_state"]) || "running";
}

/** Renders a state with its code. */
export function renderState(name: string): Record<string, unknown> {
  return { code: stateCodes[name] ?? 0, name };
}

/** Returns the id of the volume from which an instance starts. */
export function rootVolumeOf(instanceId: string): string {
  return `vol-${hash(`root ${instanceId}`).slice(0, 17)}`;
}

/** Returns the name of the device from which an instance starts. */
export function rootDeviceOf({ attributes }: CloudRecord): string {
  return textOf(blockOf(attributes, "root_block_device")["device_name"]) || "/dev/xvda";
}

/** Data about an instance that its record does not contain. */
export interface InstanceContext {
  readonly subnet: CloudRecord | undefined;
  readonly groupNames: ReadonlyMap<string, string>;
  /** The records of the attachments of all volumes, apart from boot disks. */
  readonly attachments: readonly CloudRecord[];
  readonly state: string;
}

/** Renders an instance as EC2 describes it. */
export function renderInstance(record: CloudRecord, call: ApiCall, context: InstanceContext): Record<string, unknown> {
  const { id, attributes } = record;
  const text = (name: string): string => textOf(attributes[name]);
  const { state, subnet } = context;
  const isGone = state === "terminated";
  const vpcId = textOf(subnet?.attributes["vpc_id"]);
  const groups = groupsOf(record, vpcId).map((groupId) => ({ groupId, groupName: context.groupNames.get(groupId) ?? "" }));
  const launched = launchedAt(record);
  const profile = text("iam_instance_profile");
  const place = placeOf({ tenant: call.caller.tenant, provider: call.scope.session.config }, attributes);
  const metadata = blockOf(attributes, "metadata_options");
  return {
    instanceId: id,
    imageId: text("ami"),
    instanceState: renderState(state),
    privateDnsName: isGone ? "" : text("private_dns"),
    dnsName: isGone ? "" : text("public_dns"),
    reason: "",
    ...(text("key_name") && { keyName: text("key_name") }),
    amiLaunchIndex: numberOf(attributes["api_launch_index"]),
    productCodes: [],
    instanceType: text("instance_type"),
    launchTime: launched,
    placement: { availabilityZone: text("availability_zone"), groupName: "", tenancy: "default" },
    monitoring: { state: attributes["monitoring"] === true ? "enabled" : "disabled" },
    ...(isGone
      ? {}
      : {
          subnetId: text("subnet_id"),
          vpcId,
          privateIpAddress: text("private_ip"),
          ...(text("public_ip") && state === "running" && { ipAddress: text("public_ip") }),
          sourceDestCheck: attributes["source_dest_check"] !== false,
        }),
    groupSet: isGone ? [] : groups,
    architecture: findInstanceType(text("instance_type"))?.architecture ?? "x86_64",
    rootDeviceType: "ebs",
    rootDeviceName: rootDeviceOf(record),
    blockDeviceMapping: isGone
      ? []
      : [
          {
            deviceName: rootDeviceOf(record),
            ebs: {
              volumeId: rootVolumeOf(id),
              status: "attached",
              attachTime: launched,
              deleteOnTermination: blockOf(attributes, "root_block_device")["delete_on_termination"] !== false,
            },
          },
          ...context.attachments
            .filter((attachment) => attachment.attributes["instance_id"] === id)
            .map((attachment) => ({
              deviceName: textOf(attachment.attributes["device_name"]),
              ebs: {
                volumeId: textOf(attachment.attributes["volume_id"]),
                status: "attached",
                attachTime: launched,
                deleteOnTermination: false,
              },
            })),
        ],
    virtualizationType: "hvm",
    clientToken: text("api_token"),
    tagSet: tagSetOf(record),
    hypervisor: "xen",
    networkInterfaceSet: isGone ? [] : [renderInterface(record, call, vpcId, groups)],
    ...(profile && {
      iamInstanceProfile: {
        arn: arnOf(place, "iam", `instance-profile/${profile}`),
        id: `AIPA${hash(profile).slice(0, 17).toUpperCase()}`,
      },
    }),
    ebsOptimized: attributes["ebs_optimized"] === true,
    enaSupport: true,
    metadataOptions: {
      state: "applied",
      httpTokens: textOf(metadata["http_tokens"]) || "optional",
      httpPutResponseHopLimit: numberOf(metadata["http_put_response_hop_limit"]) || 1,
      httpEndpoint: textOf(metadata["http_endpoint"]) || "enabled",
      httpProtocolIpv6: "disabled",
      instanceMetadataTags: textOf(metadata["instance_metadata_tags"]) || "disabled",
    },
    ...(state === "stopped" && { stateReason: userInitiated }),
    ...(isGone && { stateReason: userInitiated }),
  };
}

const userInitiated = { code: "Client.UserInitiatedShutdown", message: "Client.UserInitiatedShutdown: User initiated shutdown" };

function renderInterface(
  { id, attributes }: CloudRecord,
  call: ApiCall,
  vpcId: string,
  groups: readonly unknown[],
): Record<string, unknown> {
  return {
    networkInterfaceId: textOf(attributes["primary_network_interface_id"]) || `eni-${hash(id).slice(0, 17)}`,
    subnetId: textOf(attributes["subnet_id"]),
    vpcId,
    ownerId: accountOf(call.caller.tenant),
    status: "in-use",
    privateIpAddress: textOf(attributes["private_ip"]),
    privateDnsName: textOf(attributes["private_dns"]),
    sourceDestCheck: true,
    groupSet: groups,
    attachment: {
      attachmentId: `eni-attach-${hash(id).slice(0, 17)}`,
      deviceIndex: 0,
      status: "attached",
      deleteOnTermination: true,
    },
    privateIpAddressesSet: [{ privateIpAddress: textOf(attributes["private_ip"]), primary: true }],
  };
}

/** Returns the security groups of an instance. If it has none, the default group of its VPC applies. */
export function groupsOf({ attributes }: CloudRecord, vpcId: string): readonly string[] {
  const given = textsOf(attributes["vpc_security_group_ids"]).toSorted();
  return given.length > 0 || vpcId === "" ? given : [companionsOf(vpcId).group];
}

// Instances created through Terraform have no recorded launch time.
const unknownLaunch = "2026-01-01T00:00:00.000Z";

/** Returns when an instance was launched. */
export function launchedAt({ attributes }: CloudRecord): string {
  const ms = attributes["api_created_ms"];
  return typeof ms === "number" ? new Date(ms).toISOString() : unknownLaunch;
}

/** Returns the instances that were terminated within the last hour. EC2 still lists them. */
export function listTerminated({ operations }: ApiCall): readonly CloudRecord[] {
  return operations
    .list()
    .filter(
      (operation) => operation.verb === "delete" && operation.target.type === "aws_instance" && !operations.isPending(operation),
    )
    .flatMap((operation) => readSnapshot(operation));
}

function readSnapshot({ target, facts }: Operation): readonly CloudRecord[] {
  return typeof facts === "object" && facts !== null && !Array.isArray(facts)
    ? [{ ...target, attributes: facts as CloudRecord["attributes"] }]
    : [];
}
