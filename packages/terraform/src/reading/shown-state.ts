import { isObject, listOf, objectOf, type ReadonlyJson, type ReadonlyJsonObject, textOf } from "@cloudwright/platform";
import { readFormat } from "./read-answer.ts";
import { listSensitive, maskSensitive } from "./sensitive.ts";

/** A state with its values. Sensitive values are masked. */
export interface ShownState {
  readonly terraformVersion: string;
  readonly resources: readonly ShownResource[];
}

export interface ShownResource {
  readonly address: string;
  readonly mode: "managed" | "data";
  readonly resourceType: string;
  readonly name: string;
  readonly provider: string;
  readonly isTainted: boolean;
  readonly values: ReadonlyJson;
}

/** Parses `show -json` of a state. `secrets` contains the sensitive strings, for the redactor. */
export function parseShownState(text: string): { state: ShownState; secrets: string[] } {
  const shown = readFormat("the state", text);
  const resources = listResources(objectOf(objectOf(shown["values"])["root_module"]));
  const outputs = Object.values(objectOf(objectOf(shown["values"])["outputs"])).map(objectOf);
  return {
    state: { terraformVersion: textOf(shown["terraform_version"]), resources: resources.map(readResource) },
    secrets: [
      ...resources.flatMap((resource) => listSensitive(resource["values"], resource["sensitive_values"])),
      ...outputs.flatMap((output) => listSensitive(output["value"], output["sensitive"])),
    ],
  };
}

function listResources(module: ReadonlyJsonObject): ReadonlyJsonObject[] {
  const inner = listOf(module["child_modules"]).filter(isObject).flatMap(listResources);
  return [...listOf(module["resources"]).filter(isObject), ...inner];
}

function readResource(resource: ReadonlyJsonObject): ShownResource {
  return {
    address: textOf(resource["address"]),
    mode: resource["mode"] === "data" ? "data" : "managed",
    resourceType: textOf(resource["type"]),
    name: textOf(resource["name"]),
    provider: textOf(resource["provider_name"]),
    isTainted: resource["tainted"] === true,
    values: maskSensitive(resource["values"], resource["sensitive_values"]),
  };
}
