import { numberOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { blockOf } from "../../../values/read-value.ts";
import { notFound } from "../../ec2/not-found.ts";
import { describeOperation, listHere, tagSetOf } from "./ec2-request.ts";
import { launchedAt, rootDeviceOf, rootVolumeOf } from "./instance-mapping.ts";

const type = "aws_ebs_volume";

/** Operations on volumes. */
export const volumeOperations: readonly ApiOperation[] = [
  describeOperation({
    name: "DescribeVolumes",
    type,
    ids: "VolumeId",
    set: "volumeSet",
    missing: notFound.volume,
    list: listVolumes,
    render: renderVolume,
    facts: ({ id, attributes }) => ({
      "volume-id": [id],
      "volume-type": [textOf(attributes["type"])],
      "availability-zone": [textOf(attributes["availability_zone"])],
      "attachment.instance-id": textOf(attributes["api_instance"]) === "" ? [] : [textOf(attributes["api_instance"])],
      status: [textOf(attributes["api_instance"]) === "" ? "available" : "in-use"],
      encrypted: [String(attributes["encrypted"] === true)],
    }),
  }),
];

// Boot disks of instances have no records. They exist as long as their instance does.
async function listVolumes(call: ApiCall): Promise<readonly CloudRecord[]> {
  const attachments = await listHere(call, "aws_volume_attachment");
  const volumes = (await listHere(call, type)).map((record) => {
    const attachment = attachments.find(({ attributes }) => attributes["volume_id"] === record.id)?.attributes;
    const found = { api_instance: textOf(attachment?.["instance_id"]), api_device: textOf(attachment?.["device_name"]) };
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

function renderVolume(record: CloudRecord): Record<string, unknown> {
  const { id, attributes } = record;
  const instanceId = textOf(attributes["api_instance"]);
  const attachment = {
    volumeId: id,
    instanceId,
    device: textOf(attributes["api_device"]),
    status: "attached",
    deleteOnTermination: attributes["api_deletes"] === true,
  };
  return {
    volumeId: id,
    size: numberOf(attributes["size"]),
    snapshotId: textOf(attributes["snapshot_id"]),
    availabilityZone: textOf(attributes["availability_zone"]),
    status: instanceId === "" ? "available" : "in-use",
    createTime: textOf(attributes["create_time"]) || undefined,
    attachmentSet: instanceId === "" ? [] : [attachment],
    volumeType: textOf(attributes["type"]) || "gp2",
    ...(numberOf(attributes["iops"]) > 0 && { iops: numberOf(attributes["iops"]) }),
    encrypted: attributes["encrypted"] === true,
    ...(textOf(attributes["kms_key_id"]) && { kmsKeyId: textOf(attributes["kms_key_id"]) }),
    tagSet: tagSetOf(record),
  };
}
