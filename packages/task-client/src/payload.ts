import { payloadVersion, plainPayloadVersion, readTaskPayload, type JsonObject, type TaskPayload } from "@cloudwright/contract";
import { describeError, Fault } from "@cloudwright/platform";
import { taskClientFaults } from "./faults.ts";

/** Payload versions that this release supports. */
export const payloadVersions = { min: plainPayloadVersion, max: payloadVersion } as const;

/** Parses a payload. Throws if this release does not support its version, or if the payload is invalid. */
export function readPayload(version: number, json: JsonObject | undefined): TaskPayload {
  if (version < payloadVersions.min || version > payloadVersions.max) {
    throw new Fault(taskClientFaults.bad_payload, `this agent does not support payload version ${version}`);
  }
  try {
    return readTaskPayload(json ?? {});
  } catch (error) {
    throw new Fault(taskClientFaults.bad_payload, describeError(error), { cause: error });
  }
}
