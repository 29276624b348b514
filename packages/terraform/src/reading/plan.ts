import { findText, isObject, listOf, objectOf, type ReadonlyJson, type ReadonlyJsonObject, textOf } from "@cloudwright/platform";
import type { ResourceAction } from "../events/event.ts";
import { present } from "../present.ts";
import { listChangedPaths, markComputed, type AttributePath, type ChangedPath } from "./changed-paths.ts";
import { dropKeys, readDependencies, type ReadModuleReferences, type ResourceDependency } from "./dependencies.ts";
import { readFormat } from "./read-answer.ts";
import { listSensitive, maskSensitive } from "./sensitive.ts";

/** The changes in a plan, without sensitive values. */
export interface TerraformPlan {
  readonly terraformVersion: string;
  /** Whether there is anything to apply. */
  readonly isApplyable: boolean;
  /** False if planning was interrupted and the plan is therefore partial. */
  readonly isComplete: boolean;
  readonly changes: readonly ResourceChange[];
  /** Changes made outside Terraform since the last run. */
  readonly drift: readonly ResourceChange[];
  readonly outputs: Readonly<Record<string, OutputChange>>;
  /** Dependencies of all resources, including unchanged ones and data sources. */
  readonly dependencies: readonly ResourceDependency[];
}

/** A planned or detected change to one resource. */
export interface ResourceChange {
  readonly address: string;
  readonly mode: "managed" | "data";
  readonly resourceType: string;
  readonly name: string;
  readonly index?: string | number;
  readonly module?: string;
  readonly provider: string;
  readonly action: ResourceAction;
  /** Reason in Terraform's terms, such as `replace_because_tainted` or `delete_because_no_resource_config`. */
  readonly reason?: string;
  /** Attributes whose change forces a replacement. */
  readonly replacePaths: readonly AttributePath[];
  /** True if the new resource is created before the old one is deleted. */
  readonly isCreatedFirst: boolean;
  readonly previousAddress?: string;
  /** ID to import the resource with. */
  readonly importId?: string;
  readonly before: ReadonlyJson;
  readonly after: ReadonlyJson;
  readonly changedPaths: readonly ChangedPath[];
}

export interface OutputChange {
  readonly action: ResourceAction;
  readonly isSensitive: boolean;
}

/**
 * Parses `show -json` of a plan. `secrets` contains the sensitive strings, for the redactor. `filesOf` provides references that plans omit.
 */
export function parsePlan(
  text: string,
  filesOf: ReadModuleReferences = () => new Map(),
): { plan: TerraformPlan; secrets: string[] } {
  const shown = readFormat("the plan", text);
  const changes = listOf(shown["resource_changes"]).filter(isObject);
  const drift = listOf(shown["resource_drift"]).filter(isObject);
  const outputs = Object.entries(objectOf(shown["output_changes"]));
  const configured = listConfigured(objectOf(objectOf(shown["configuration"])["root_module"]));
  const plan: TerraformPlan = {
    terraformVersion: textOf(shown["terraform_version"]),
    isApplyable: shown["applyable"] !== false && shown["errored"] !== true,
    isComplete: shown["complete"] !== false && shown["errored"] !== true,
    changes: changes.map((change) => readChange(change, configured)),
    drift: drift.map((change) => readChange(change)),
    outputs: Object.fromEntries(outputs.map(([name, value]) => [name, readOutputChange(objectOf(value))])),
    dependencies: readDependencies(shown, filesOf),
  };
  const sensitive = [...changes, ...drift]
    .map((change) => objectOf(change["change"]))
    .concat(outputs.map(([, value]) => objectOf(value)));
  return { plan, secrets: [...new Set(sensitive.flatMap(listSecrets))] };
}

/** Returns the attributes that the configuration of each resource sets, keyed by address without instance keys. */
function listConfigured(module: ReadonlyJsonObject, prefix = ""): Map<string, ReadonlySet<string>> {
  const own = listOf(module["resources"])
    .filter(isObject)
    .map(
      (resource) =>
        [
          `${prefix}${textOf(resource["address"])}`,
          new Set(Object.keys(objectOf(resource["expressions"]))) as ReadonlySet<string>,
        ] as const,
    );
  const calls = Object.entries(objectOf(module["module_calls"]));
  const inner = calls.flatMap(([name, call]) => [
    ...listConfigured(objectOf(objectOf(call)["module"]), `${prefix}module.${name}.`),
  ]);
  return new Map([...own, ...inner]);
}

function readChange(resource: ReadonlyJsonObject, configured?: ReadonlyMap<string, ReadonlySet<string>>): ResourceChange {
  const change = objectOf(resource["change"]);
  const { before, after } = change;
  const beforeMarks = change["before_sensitive"];
  const afterMarks = change["after_sensitive"];
  const actions = listOf(change["actions"]);
  const index = resource["index"];
  const changedPaths = listChangedPaths({ before, after, unknown: change["after_unknown"], beforeMarks, afterMarks });
  const set = configured?.get(dropKeys(textOf(resource["address"])));
  return {
    address: textOf(resource["address"]),
    mode: resource["mode"] === "data" ? "data" : "managed",
    resourceType: textOf(resource["type"]),
    name: textOf(resource["name"]),
    provider: textOf(resource["provider_name"]),
    action: readAction(actions),
    replacePaths: listOf(change["replace_paths"]).map((path) => listOf(path) as AttributePath),
    isCreatedFirst: actions[0] === "create" && actions.length > 1,
    before: maskSensitive(before, beforeMarks),
    after: maskSensitive(after, afterMarks),
    changedPaths: set === undefined ? changedPaths : markComputed(changedPaths, set),
    ...present<ResourceChange>({
      index: typeof index === "string" || typeof index === "number" ? index : undefined,
      module: findText(resource["module_address"]),
      reason: findText(resource["action_reason"]),
      previousAddress: findText(resource["previous_address"]),
      importId: findText(objectOf(change["importing"])["id"]),
    } as ResourceChange),
  };
}

function readOutputChange(change: ReadonlyJsonObject): OutputChange {
  const isSensitive = hasTrue(change["before_sensitive"]) || hasTrue(change["after_sensitive"]);
  return { action: readAction(listOf(change["actions"])), isSensitive };
}

function readAction(actions: readonly ReadonlyJson[]): ResourceAction {
  if (actions.length === 2) return actions.includes("create") && actions.includes("delete") ? "replace" : "other";
  switch (actions[0]) {
    case "no-op":
      return "none";
    case "create":
    case "read":
    case "update":
    case "delete":
    case "forget":
      return actions[0];
    default:
      return "other";
  }
}

function listSecrets(change: ReadonlyJsonObject): string[] {
  return [
    ...listSensitive(change["before"], change["before_sensitive"]),
    ...listSensitive(change["after"], change["after_sensitive"]),
  ];
}

function hasTrue(marks: ReadonlyJson | undefined): boolean {
  if (typeof marks !== "object" || marks === null) return marks === true;
  return Object.values(marks).some((inner) => hasTrue(inner));
}
