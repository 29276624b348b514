import { payloadVersion, plainPayloadVersion, readTaskPayload, type JsonObject, type TaskPayload } from "@cloudwright/contract";
import { describeError, Fault } from "@cloudwright/platform";
import { taskClientFaults } from "./faults.ts";

/** The payload versions that this release reads. */
export const payloadVersions = { min: plainPayloadVersion, max: payloadVersion } as const;

/** Reads a payload of a version. Throws if this release does not read the version, or if the payload is malformed. */
export function readPayload(version: number, json: JsonObject | undefined): TaskPayload {
  if (version < payloadVersions.min || version > payloadVersions.max) {
    throw new Fault(taskClientFaults.bad_payload, `the payload has version ${version}, which this agent does not read`);
  }
  try {
    return readTaskPayload(json ?? {});
  } catch (error) {
    throw new Fault(taskClientFaults.bad_payload, describeError(error), { cause: error });
  }
}
