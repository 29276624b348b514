import type { Json, JsonObject } from "@cloudwright/contract";
import { isObject } from "@cloudwright/platform";
import { renderFingerprint } from "../engine/fingerprint.ts";
import type { Lifecycle } from "../engine/step.ts";
import { policyAllows } from "../steps/policy-allows.ts";
import { referencesReady } from "../steps/references-ready.ts";
import { referrersGone } from "../steps/referrers-gone.ts";
import { createTaskStep } from "../steps/run-task.ts";

/** Checks the hosts of an inventory after it is created or changed. Later checks are periodic or requested. The hosts are never changed. */
export const inventoryLifecycle: Lifecycle = {
  service: "inventory",
  creation: [
    referencesReady,
    policyAllows,
    createTaskStep({ name: "verify", condition: "HostsChecked", weight: 1, type: "inventory.verify", lane: "short" }),
  ],
  deletion: [referrersGone],
  fingerprint: renderFingerprint,
  checked: true,
  readStatus: ({ hosts }) =>
    Array.isArray(hosts)
      ? {
          hosts: hosts
            .filter(isObject)
            .slice(0, mostHosts)
            .map((host) => readHost(host as JsonObject)),
        }
      : {},
};

const mostHosts = 100;
const [texts, numbers] = [
  ["name", "state", "message", "checkedAt", "os", "kernel", "architecture", "machineId", "power", "bmcMessage"],
  ["cores", "memoryMib"],
] as const;

/** Copies the fields of the contract. Values of the wrong type are dropped, because an agent of another release may send them. */
function readHost(host: JsonObject): JsonObject {
  const { hostKeys, disks } = host;
  return {
    ...pick(host, texts, isText),
    ...pick(host, numbers, isNumber),
    ...(Array.isArray(hostKeys) ? { hostKeys: hostKeys.filter(isText) } : {}),
    ...(Array.isArray(disks) ? { disks: disks.filter(isObject).map((disk) => readDisk(disk as JsonObject)) } : {}),
  };
}

function readDisk(disk: JsonObject): JsonObject {
  return {
    ...pick(disk, ["device", "model"], isText),
    ...pick(disk, ["sizeMib"], isNumber),
    ...pick(disk, ["rotational", "inUse"], (value) => typeof value === "boolean"),
  };
}

function pick(from: JsonObject, fields: readonly string[], fits: (value: Json) => boolean): JsonObject {
  return Object.fromEntries(
    fields.flatMap((field) => (from[field] !== undefined && fits(from[field]) ? [[field, from[field]]] : [])),
  );
}

function isText(value: Json): value is string {
  return typeof value === "string";
}

function isNumber(value: Json): boolean {
  return typeof value === "number" && (value | 0) === value;
}
