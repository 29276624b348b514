import type { Json, JsonObject } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";
import { isObject } from "../entities/json-tree.ts";

/** The fields of a Terraform state that the platform uses. */
export interface StateHead {
  readonly serial: number;
  readonly lineage: string;
  /** The number of resource instances, or 0 if Terraform or OpenTofu encrypted the state. */
  readonly resources: number;
  /** The number of `resources` that are not data sources. */
  readonly managed: number;
}

const decoder = new TextDecoder("utf-8", { fatal: true });
const maxSerial = 2 ** 31 - 1;

/** Parses a state sent by a run. Throws if it is malformed. The fault never quotes the state. */
export function parseStateHead(content: Buffer): StateHead {
  const state = parseState(content);
  const { serial, lineage } = state;
  if (typeof serial !== "number" || !Number.isInteger(serial) || serial < 0 || serial > maxSerial)
    throw malformed("its serial must be a whole number from 0 to 2147483647");
  if (typeof lineage !== "string" || !/^[\x21-\x7e]{1,128}$/.test(lineage))
    throw malformed("its lineage must have 1 to 128 characters without spaces");
  return { serial, lineage, resources: countInstances(state), managed: countInstances(state, "managed") };
}

export function parseState(content: Buffer): JsonObject {
  let json: Json;
  try {
    json = JSON.parse(decoder.decode(content)) as Json;
  } catch {
    throw malformed("it must be JSON in UTF-8");
  }
  if (!isObject(json)) throw malformed("it must be a JSON object");
  return json;
}

function countInstances({ resources }: JsonObject, mode?: "managed"): number {
  if (!Array.isArray(resources)) return 0;
  let count = 0;
  for (const resource of resources) {
    if (mode !== undefined && isObject(resource) && resource["mode"] === "data") continue;
    const instances = isObject(resource) ? resource["instances"] : undefined;
    if (Array.isArray(instances)) count += instances.length;
  }
  return count;
}

/** A resource instance with its Terraform address. */
export interface ResourceInstance {
  readonly address: string;
  readonly type: string;
  readonly mode: "managed" | "data";
  /** Addresses of all direct and indirect dependencies, without instance keys. */
  readonly dependencies: readonly string[];
  /** The id in the cloud, or undefined if there is none. */
  readonly id: string | undefined;
  /** True if the next apply will recreate the resource, because its creation failed or a user tainted it. */
  readonly isTainted: boolean;
  readonly attributes: JsonObject;
}

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
  return new Fault(apiFaults.state_malformed, `the Terraform state is malformed: ${why}`);
}
