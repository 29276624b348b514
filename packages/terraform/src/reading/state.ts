import {
  Fault,
  findNumber,
  findText,
  isObject,
  listOf,
  objectOf,
  type ReadonlyJson,
  type ReadonlyJsonObject,
  Secret,
  textOf,
} from "@cloudwright/platform";
import { terraformFaults } from "../faults.ts";
import { readOutput, type TerraformOutputs } from "./outputs.ts";
import { readAnswer } from "./read-answer.ts";

/** A parsed state file. */
export interface TerraformState {
  /** Version number that increases with each change. */
  readonly serial: number;
  /** Identical in all versions of one stack's state. */
  readonly lineage: string;
  readonly terraformVersion: string;
  readonly resources: readonly StateResource[];
  readonly outputs: TerraformOutputs;
}

/** A resource instance in a state. */
export interface StateResource {
  readonly address: string;
  readonly mode: "managed" | "data";
  readonly resourceType: string;
  readonly name: string;
  readonly provider: string;
  /** The resource's ID in the cloud. */
  readonly id?: string;
  readonly isTainted: boolean;
  /** Set for an old instance that is deleted after its replacement has been created. */
  readonly deposedKey?: string;
  /** A state file does not say which attributes are sensitive, so all of them are treated as secret. */
  readonly attributes: Secret<ReadonlyJsonObject>;
}

/** Parses a state file of format version 4, which Terraform (since 0.12) and OpenTofu use. */
export function parseState(text: string): TerraformState {
  const state = readAnswer("the state", text);
  const serial = findNumber(state["serial"]);
  const lineage = findText(state["lineage"]);
  if (state["version"] !== 4 || serial === undefined || lineage === undefined) {
    throw new Fault(terraformFaults.unexpected_output, "the state is not a version 4 state with a serial and a lineage");
  }
  const outputs = Object.entries(objectOf(state["outputs"])).map(([name, value]) => [name, readOutput(value)] as const);
  return {
    serial,
    lineage,
    terraformVersion: textOf(state["terraform_version"]),
    resources: listOf(state["resources"]).filter(isObject).flatMap(readResource),
    outputs: Object.fromEntries(outputs),
  };
}

function readResource(resource: ReadonlyJsonObject): StateResource[] {
  const mode = resource["mode"] === "data" ? "data" : "managed";
  const resourceType = textOf(resource["type"]);
  const name = textOf(resource["name"]);
  const module = findText(resource["module"]);
  const base = [...(module === undefined ? [] : [module]), ...(mode === "data" ? ["data"] : []), resourceType, name].join(".");
  return listOf(resource["instances"])
    .filter(isObject)
    .map((instance) => {
      const attributes = objectOf(instance["attributes"]);
      const id = findText(attributes["id"]);
      const deposedKey = findText(instance["deposed"]);
      return {
        address: `${base}${printIndex(instance["index_key"])}`,
        mode,
        resourceType,
        name,
        provider: /"([^"]+)"/.exec(textOf(resource["provider"]))?.[1] ?? "",
        isTainted: instance["status"] === "tainted",
        attributes: new Secret(attributes),
        ...(id === undefined ? {} : { id }),
        ...(deposedKey === undefined ? {} : { deposedKey }),
      };
    });
}

function printIndex(key: ReadonlyJson | undefined): string {
  if (typeof key === "number") return `[${key}]`;
  return typeof key === "string" ? `[${JSON.stringify(key)}]` : "";
}
