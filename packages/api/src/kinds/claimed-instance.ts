import type { JsonObject } from "@cloudwright/contract";
import { cloudNames } from "@cloudwright/contract/clouds";
import type { FieldViolation } from "@cloudwright/platform";
import { getAt, isObject, textAt } from "../entities/json-tree.ts";

/** Returns whether an instance claims a host of an inventory instead of creating a machine. */
export function isClaim(spec: JsonObject): boolean {
  return textAt(spec, "inventory") !== "";
}

/** Settings of created machines, which have no meaning for a machine that already exists. */
const foreign = [
  "machineType",
  "image",
  "user",
  "userData",
  "zone",
  "subnet",
  "rootDisk",
  "metadataTokens",
  "publicAddress",
  "securityGroups",
  "hostKeys",
  "account",
] as const;

/** Returns the settings that an instance of an inventory cannot have. */
export function listClaimProblems(spec: JsonObject, secrets: Readonly<Record<string, string>> = {}): FieldViolation[] {
  const given = [...foreign, ...cloudNames].filter(
    (field) => isSet(getAt(spec, [field])) || secrets[`spec.${field}`] !== undefined,
  );
  return given.map((field) => ({
    field: `spec.${field}`,
    message: "must not be set for a host of an inventory, because the machine already exists",
  }));
}

/** Returns the settings that only an instance of an inventory can have. */
export function listCreationProblems(spec: JsonObject): FieldViolation[] {
  return (["host", "hostLabels"] as const)
    .filter((field) => isSet(getAt(spec, [field])))
    .map((field) => ({ field: `spec.${field}`, message: "can only be set together with spec.inventory" }));
}

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.values(value).some(isSet);
  return value !== undefined && value !== null && value !== "" && value !== false && value !== 0;
}
