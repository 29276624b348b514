import { numberOf, objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { Operation } from "../../../api/operations.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import type { ApiRefusal } from "../../../provider/definition.ts";
import { blockOf } from "../../../values/read-value.ts";
import { notFound } from "../../ec2/not-found.ts";
import {
  changeOperation,
  describeOperation,
  flagIn,
  getHere,
  listHere,
  newTags,
  refuse,
  regionOf,
  requireText,
  tagSetOf,
  textIn,
} from "./ec2-request.ts";
import { launchedAt, rootDeviceOf, rootVolumeOf, stateOf as machineStateOf } from "./instance-mapping.ts";
import { volumeChangeOperations } from "./volume-changes.ts";

const type = "aws_ebs_volume";
const attachmentType = "aws_volume_attachment";

const mismatch: ApiRefusal = {
  code: "IdempotentParameterMismatch",
  message: "The parameters of the request do not match those of an earlier request with the same client token.",
};

/** Operations on volumes. */
export const volumeOperations: readonly ApiOperation[] = [
  changeOperation("CreateVolume", { type, operation: "create" }, async (call) => {
    const { ClientToken: _token, ...request } = objectOf(call.body);
    const kms = textIn(call, "KmsKeyId");
    const config = {
      availability_zone: requireText(call, "AvailabilityZone"),
      size: readSize(call),
      type: textIn(call, "VolumeType") || "gp2",
      encrypted: flagIn(call, "Encrypted") === true || kms !== "",
      ...(kms !== "" && { kms_key_id: kms }),
      tags: newTags(call, "volume"),
      region: regionOf(call),
    };
    const token = textIn(call, "ClientToken");
    const note = { token, request, mismatch, beyond: { api_created_ms: Math.floor(call.nowMs) } };
    const { record } = await call.operations.create(type, config, note);
    return renderVolume(record, call);
  }),
  describeOperation({
    name: "DescribeVolumes",
    type,
    ids: "VolumeId",
    set: "volumeSet",
    missing: notFound.volume,
    list: listVolumes,
    render: renderVolume,
    facts: (record, call) => {
      const { id, attributes } = record;
      return {
        "volume-id": [id],
        "volume-type": [textOf(attributes["type"])],
        "availability-zone": [textOf(attributes["availability_zone"])],
        "attachment.instance-id": textOf(attributes["api_instance"]) === "" ? [] : [textOf(attributes["api_instance"])],
        status: [stateOf(record, call)],
        encrypted: [String(attributes["encrypted"] === true)],
      };
    },
  }),
  changeOperation("AttachVolume", { type: attachmentType, operation: "create" }, async (call) => {
    const record = await getHere(call, type, requireText(call, "VolumeId"), notFound.volume);
    const instance = await getHere(call, "aws_instance", requireText(call, "InstanceId"), notFound.instance);
    const state = stateOf(record, call);
    if (state !== "available" && state !== "in-use") {
      refuse({ code: "IncorrectState", message: `Volume '${record.id}' is in the '${state}' state.` });
    }
    const machine = machineStateOf(call, instance);
    if (machine !== "running" && machine !== "stopped") {
      refuse({ code: "IncorrectState", message: `Instance '${instance.id}' is not 'running' or 'stopped'.` });
    }
    const device = requireText(call, "Device");
    if (device === rootDeviceOf(instance)) {
      refuse({
        code: "InvalidParameterValue",
        message: `Invalid value '${device}' for unixDevice. Attachment point ${device} is already in use`,
      });
    }
    const config = { volume_id: record.id, instance_id: instance.id, device_name: device, region: regionOf(call) };
    const made = await call.operations.create(attachmentType, config);
    return renderAttachment(made.record, call);
  }),
  changeOperation("DetachVolume", { type: attachmentType, operation: "delete" }, async (call) => {
    const record = await getHere(call, type, requireText(call, "VolumeId"), notFound.volume);
    const [found] = await listAttachments(call, record.id);
    const instance = textIn(call, "InstanceId");
    if (found === undefined || (instance !== "" && found.attributes["instance_id"] !== instance)) {
      return refuse({ code: "IncorrectState", message: `Volume '${record.id}' is in the 'available' state.` });
    }
    if (call.operations.findPending(found)?.verb !== "delete") await call.operations.delete(found);
    return { ...renderAttachment(found, call), status: "detaching" };
  }),
  ...volumeChangeOperations,
  changeOperation("DeleteVolume", { type, operation: "delete" }, async (call) => {
    const record = await getHere(call, type, requireText(call, "VolumeId"), notFound.volume);
    if (call.operations.findPending(record)?.verb !== "delete") await call.operations.delete(record);
    return undefined;
  }),
];

function readSize(call: ApiCall): number {
  const size = Number(requireText(call, "Size"));
  return Number.isInteger(size) && size > 0
    ? size
    : refuse({ code: "InvalidParameterValue", message: `Invalid volume size: ${textIn(call, "Size")}` });
}

async function listAttachments(call: ApiCall, volumeId: string): Promise<readonly CloudRecord[]> {
  return (await listHere(call, attachmentType)).filter(({ attributes }) => attributes["volume_id"] === volumeId);
}

// Boot disks of instances have no records. They exist as long as their instance does.
async function listVolumes(call: ApiCall): Promise<readonly CloudRecord[]> {
  const attachments = await listHere(call, attachmentType);
  const volumes = (await listHere(call, type)).map((record) => {
    const attachment = attachments.find(({ attributes }) => attributes["volume_id"] === record.id);
    const found = {
      api_instance: textOf(attachment?.attributes["instance_id"]),
      api_device: textOf(attachment?.attributes["device_name"]),
      api_attachment: attachment === undefined ? "" : attachmentStateOf(call.operations.findPending(attachment)),
    };
    return { ...record, attributes: { ...record.attributes, ...found } };
  });
  const roots = (await listHere(call, "aws_instance")).map((instance): CloudRecord => {
    const disk = blockOf(instance.attributes, "root_block_device");
    const attributes = {
      size: numberOf(disk["volume_size"]) || 8,
      type: textOf(disk["volume_type"]) || "gp3",
      encrypted: disk["encrypted"] === true,
      kms_key_id: textOf(disk["kms_key_id"]),
      availability_zone: textOf(instance.attributes["availability_zone"]),
      create_time: launchedAt(instance),
      api_instance: instance.id,
      api_device: rootDeviceOf(instance),
      api_deletes: disk["delete_on_termination"] !== false,
    };
    return { type, id: rootVolumeOf(instance.id), attributes };
  });
  return [...volumes, ...roots];
}

function attachmentStateOf(pending: Operation | undefined): string {
  if (pending?.verb === "create") return "attaching";
  return pending?.verb === "delete" ? "detaching" : "attached";
}

function stateOf(record: CloudRecord, { operations }: ApiCall): string {
  const pending = operations.findPending(record);
  if (pending?.verb === "create") return "creating";
  if (pending?.verb === "delete") return "deleting";
  return textOf(record.attributes["api_instance"]) === "" ? "available" : "in-use";
}

function renderAttachment(record: CloudRecord, { operations }: ApiCall): Record<string, unknown> {
  const { attributes } = record;
  return {
    volumeId: textOf(attributes["volume_id"]),
    instanceId: textOf(attributes["instance_id"]),
    device: textOf(attributes["device_name"]),
    status: attachmentStateOf(operations.findPending(record)),
    deleteOnTermination: false,
  };
}

function renderVolume(record: CloudRecord, call: ApiCall): Record<string, unknown> {
  const { id, attributes } = record;
  const instanceId = textOf(attributes["api_instance"]);
  const attachment = {
    volumeId: id,
    instanceId,
    device: textOf(attributes["api_device"]),
    status: textOf(attributes["api_attachment"]) || "attached",
    deleteOnTermination: attributes["api_deletes"] === true,
  };
  return {
    volumeId: id,
    size: numberOf(attributes["size"]),
    snapshotId: textOf(attributes["snapshot_id"]),
    availabilityZone: textOf(attributes["availability_zone"]),
    status: stateOf(record, call),
    createTime: textOf(attributes["create_time"]) || undefined,
    attachmentSet: instanceId === "" ? [] : [attachment],
    volumeType: textOf(attributes["type"]) || "gp2",
    ...(numberOf(attributes["iops"]) > 0 && { iops: numberOf(attributes["iops"]) }),
    ...(numberOf(attributes["throughput"]) > 0 && { throughput: numberOf(attributes["throughput"]) }),
    encrypted: attributes["encrypted"] === true,
    ...(textOf(attributes["kms_key_id"]) && { kmsKeyId: textOf(attributes["kms_key_id"]) }),
    tagSet: tagSetOf(record),
  };
}
