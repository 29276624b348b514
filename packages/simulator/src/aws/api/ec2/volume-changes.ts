import { numberOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { notFound } from "../../ec2/not-found.ts";
import { changeOperation, describeOperation, getHere, listHere, refuse, requireText, textIn } from "./ec2-request.ts";

const type = "aws_ebs_volume";
/** EC2 accepts the next modification of a volume six hours after the last one. */
const coolDownMs = 6 * 3_600_000;

/** Operations that change the size and the type of volumes. */
export const volumeChangeOperations: readonly ApiOperation[] = [
  changeOperation("ModifyVolume", { type, operation: "update" }, async (call) => {
    const record = await getHere(call, type, requireText(call, "VolumeId"), notFound.volume);
    const { attributes } = record;
    if (call.operations.findPending(record) !== undefined) {
      refuse({ code: "IncorrectModificationState", message: `Volume ${record.id} is already being modified.` });
    }
    const modifiedMs = attributes["api_modified_ms"];
    if (typeof modifiedMs === "number" && call.scope.clock.now() < modifiedMs + coolDownMs * call.conditions.timeScale) {
      const message =
        "You've reached the maximum modification rate per volume limit. Wait at least 6 hours between modifications per EBS volume.";
      refuse({ code: "VolumeModificationRateExceeded", message });
    }
    const size = textIn(call, "Size");
    if (size !== "" && !/^[1-9]\d*$/.test(size)) {
      refuse({ code: "InvalidParameterValue", message: `Invalid volume size: ${size}` });
    }
    const patch = {
      ...(size !== "" && { size: Number(size) }),
      ...(textIn(call, "VolumeType") !== "" && { type: textIn(call, "VolumeType") }),
    };
    const beyond = { api_original_size: numberOf(attributes["size"]), api_modified_ms: Math.floor(call.scope.clock.now()) };
    const changed = await call.operations.update(record, patch, { name: "ModifyVolume", beyond });
    return { volumeModification: renderModification(changed.record, call) };
  }),
  describeOperation({
    name: "DescribeVolumesModifications",
    type,
    ids: "VolumeId",
    set: "volumeModificationSet",
    missing: (id) => ({
      code: "InvalidVolumeModification.NotFound",
      message: `Modification for volume '${id}' does not exist.`,
    }),
    list: async (call) => (await listHere(call, type)).filter(({ attributes }) => attributes["api_modified_ms"] !== undefined),
    render: renderModification,
    facts: ({ id }, call) => ({ "volume-id": [id], "modification-state": [stateOf(id, call)] }),
  }),
];

// A volume has its new size as soon as EC2 starts to optimise it.
function stateOf(id: string, { operations }: ApiCall): string {
  return operations.findPending({ type, id })?.name === "ModifyVolume" ? "modifying" : "completed";
}

function renderModification(record: CloudRecord, call: ApiCall): Record<string, unknown> {
  const { id, attributes } = record;
  const state = stateOf(id, call);
  const skewMs = call.nowMs - call.scope.clock.now();
  return {
    volumeId: id,
    modificationState: state,
    originalSize: numberOf(attributes["api_original_size"]),
    targetSize: numberOf(attributes["size"]),
    targetVolumeType: textOf(attributes["type"]),
    progress: state === "completed" ? 100 : 50,
    startTime: new Date(numberOf(attributes["api_modified_ms"]) + skewMs).toISOString(),
  };
}
