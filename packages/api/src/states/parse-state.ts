import type { Json, JsonObject } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";
import { isObject } from "../entities/json-tree.ts";

/** What the platform must know of a state; the rest is Terraform's. */
export interface StateHead {
  readonly serial: number;
  readonly lineage: string;
  /** How many resource instances there are; 0 where Terraform or OpenTofu encrypted them. */
  readonly resources: number;
}

const decoder = new TextDecoder("utf-8", { fatal: true });
const maxSerial = 2 ** 31 - 1;

/** Reads what a run wants to write; anything but a state is a fault, whose text never quotes it. */
export function parseStateHead(content: Buffer): StateHead {
  const state = parseState(content);
  const { serial, lineage } = state;
  if (typeof serial !== "number" || !Number.isInteger(serial) || serial < 0 || serial > maxSerial)
    throw malformed("its serial is not a whole number from 0 to 2147483647");
  if (typeof lineage !== "string" || !/^[\x21-\x7e]{1,128}$/.test(lineage))
    throw malformed("its lineage is not a word of 1 to 128 characters");
  return { serial, lineage, resources: countInstances(state) };
}

/** A state's JSON. */
export function parseState(content: Buffer): JsonObject {
  let json: Json;
  try {
    json = JSON.parse(decoder.decode(content)) as Json;
  } catch {
    throw malformed("it is not JSON in UTF-8");
  }
  if (!isObject(json)) throw malformed("it is not a JSON object");
  return json;
}

function countInstances({ resources }: JsonObject): number {
  if (!Array.isArray(resources)) return 0;
  let count = 0;
  for (const resource of resources) {
    const instances = isObject(resource) ? resource["instances"] : undefined;
    if (Array.isArray(instances)) count += instances.length;
  }
  return count;
}

/** A resource instance with the address that Terraform gives it. */
export interface ResourceInstance {
  readonly address: string;
  readonly type: string;
  readonly mode: "managed" | "data";
  /** Addresses, without keys, of everything that it needs, near and far. */
  readonly dependencies: readonly string[];
  /** The cloud's id of it; undefined where it has none. */
  readonly id: string | undefined;
  /** To be made anew at the next apply: it could not be finished, or somebody wants it so. */
  readonly isTainted: boolean;
  readonly attributes: JsonObject;
}

/** Every resource instance of a state. */
export function listInstances({ resources }: JsonObject): ResourceInstance[] {
  if (!Array.isArray(resources)) return [];
  return resources
    .filter((each) => isObject(each))
    .flatMap((resource) => {
      const { instances } = resource;
      if (!Array.isArray(instances)) return [];
      return instances
        .filter((each) => isObject(each))
        .map((instance) => {
          const attributes = isObject(instance["attributes"]) ? instance["attributes"] : {};
          const { id } = attributes;
          return {
            address: renderAddress(resource, instance),
            type: typeof resource["type"] === "string" ? resource["type"] : "",
            mode: resource["mode"] === "data" ? "data" : "managed",
            dependencies: listTexts(instance["dependencies"]),
            id: typeof id === "string" ? id : undefined,
            isTainted: instance["status"] === "tainted",
            attributes,
          };
        });
    });
}

function listTexts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function renderAddress({ module, mode, type, name }: JsonObject, { index_key: key, deposed }: JsonObject): string {
  const path = [module, mode === "data" ? "data" : "", type, name].filter(
    (part): part is string => typeof part === "string" && part !== "",
  );
  const index = key === undefined || key === null ? "" : `[${JSON.stringify(key)}]`;
  return `${path.join(".")}${index}${typeof deposed === "string" ? ` (deposed ${deposed})` : ""}`;
}

function malformed(why: string): Fault {
  return new Fault(apiFaults.state_malformed, `this is no Terraform state: ${why}`);
}
