import {
  findText,
  isObject,
  numberOf,
  objectOf,
  parseJson,
  type ReadonlyJson,
  type ReadonlyJsonObject,
  textOf,
} from "@cloudwright/platform";
import { present } from "../present.ts";
import { readDiagnostic } from "./diagnostic.ts";
import type { PlannedStep, ResourceAction, ResourceStep, TerraformEvent } from "./event.ts";

/**
 * Parses one line of `-json` output. Returns undefined if the line is not an event. `clean` transforms the parsed JSON first, for example
 * to redact it.
 */
export function parseEvent(
  line: string,
  clean: (value: ReadonlyJsonObject) => ReadonlyJsonObject = (value) => value,
): TerraformEvent | undefined {
  if (!line.startsWith("{")) return undefined;
  const value = parseJson(line);
  if (!isObject(value) || findText(value["type"]) === undefined) return undefined;
  const said = clean(value);
  const atMs = Date.parse(textOf(said["@timestamp"]));
  const event = readEvent(said) ?? readMessage(said);
  return Number.isNaN(atMs) ? event : { atMs, ...event };
}

// Converts the event types of Terraform's "machine-readable UI". Any release may add types and properties.
function readEvent(said: ReadonlyJsonObject): TerraformEvent | undefined {
  const hook = objectOf(said["hook"]);
  switch (said["type"]) {
    case "version":
      return {
        type: "version",
        version: findText(said["terraform"]) ?? textOf(said["tofu"]),
        ui: textOf(said["ui"]),
      };
    case "planned_change":
      return { type: "planned", ...readChange(said["change"]) };
    case "resource_drift":
      return { type: "drift", ...readChange(said["change"]) };
    case "apply_start":
      return { type: "started", ...readStep(hook), ...readId(hook) };
    case "apply_progress":
      return { type: "progress", ...readStep(hook), seconds: readSeconds(hook) };
    case "apply_complete":
      return { type: "finished", ...readStep(hook), ...readId(hook), seconds: readSeconds(hook) };
    case "apply_errored":
      return { type: "failed", ...readStep(hook), seconds: readSeconds(hook) };
    case "refresh_start":
    case "refresh_complete": {
      const { address, resourceType } = readStep(hook);
      return { type: said["type"] === "refresh_start" ? "refreshing" : "refreshed", address, resourceType, ...readId(hook) };
    }
    case "change_summary":
      return readSummary(objectOf(said["changes"]));
    case "outputs":
      return { type: "outputs", outputs: readOutputs(objectOf(said["outputs"])) };
    case "diagnostic": {
      const diagnostic = readDiagnostic(said["diagnostic"]);
      return diagnostic === undefined ? undefined : { type: "diagnostic", diagnostic };
    }
    default:
      return undefined;
  }
}

function readMessage(said: ReadonlyJsonObject): TerraformEvent {
  const code = findText(said["message_code"]);
  return { type: "message", message: textOf(said["@message"]), ...(code === undefined ? {} : { code }) };
}

const actions: Readonly<Record<string, ResourceAction>> = {
  create: "create",
  read: "read",
  update: "update",
  replace: "replace",
  delete: "delete",
  import: "import",
  move: "move",
  remove: "forget",
  forget: "forget",
  noop: "none",
  "no-op": "none",
};

function readStep(from: ReadonlyJsonObject): ResourceStep {
  const resource = objectOf(from["resource"]);
  return {
    address: textOf(resource["addr"]),
    resourceType: textOf(resource["resource_type"]),
    action: actions[textOf(from["action"])] ?? "other",
  };
}

function readChange(value: ReadonlyJson | undefined): PlannedStep {
  const change = objectOf(value);
  const previousAddress = findText(objectOf(change["previous_resource"])["addr"]);
  return { ...readStep(change), ...present<PlannedStep>({ reason: findText(change["reason"]), previousAddress } as PlannedStep) };
}

function readId(hook: ReadonlyJsonObject): { id?: string } {
  const id = findText(hook["id_value"]);
  return id === undefined ? {} : { id };
}

function readSeconds(hook: ReadonlyJsonObject): number {
  return numberOf(hook["elapsed_seconds"]);
}

function readSummary(changes: ReadonlyJsonObject): TerraformEvent {
  const count = (name: string): number => numberOf(changes[name]);
  const operation = changes["operation"] === "apply" || changes["operation"] === "destroy" ? changes["operation"] : "plan";
  return {
    type: "summary",
    operation,
    add: count("add"),
    change: count("change"),
    remove: count("remove"),
    import: count("import"),
  };
}

// Omits the values. Callers read them with the `output` command, which marks sensitive values.
function readOutputs(outputs: ReadonlyJsonObject): Record<string, { sensitive: boolean; action?: string }> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => {
      const action = findText(objectOf(value)["action"]);
      return [name, { sensitive: objectOf(value)["sensitive"] === true, ...(action === undefined ? {} : { action }) }];
    }),
  );
}
