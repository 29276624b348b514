import type { KubeObject } from "../cluster/kube-object.ts";
import { findField } from "../cluster/own-fields.ts";
import type { Kind } from "../kinds/kinds.ts";
import { badRequest } from "./status-error.ts";

/** Returns whether a request selects an object. */
export type Match = (object: KubeObject) => boolean;

interface Requirement {
  readonly key: string;
  readonly operator: "in" | "notin" | "exists" | "absent" | "gt" | "lt";
  readonly values: readonly string[];
}

/** Parses a `labelSelector` such as `app=web,tier in (a,b),!canary`. */
export function parseLabelSelector(text: string): Match {
  const requirements = splitTop(text).map(parseRequirement);
  return (object) => requirements.every((requirement) => holds(requirement, object.metadata.labels ?? {}));
}

function splitTop(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isInside = false;
  for (let index = 0; index <= text.length; index++) {
    const char = text[index];
    if (char === "(") isInside = true;
    if (char === ")") isInside = false;
    if (char !== undefined && (char !== "," || isInside)) continue;
    parts.push(text.slice(start, index).trim());
    start = index + 1;
  }
  return parts.filter((part) => part !== "");
}

function parseRequirement(text: string): Requirement {
  const set = /^([^\s!=]+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text);
  if (set !== null) {
    return {
      key: set[1] ?? "",
      operator: set[2] as "in" | "notin",
      values: (set[3] ?? "").split(",").map((value) => value.trim()),
    };
  }
  const compared = /^([^\s!=<>]+)\s*(==|=|!=|<|>)\s*([^\s=<>!]*)$/.exec(text);
  if (compared !== null) {
    const operators = { "=": "in", "==": "in", "!=": "notin", ">": "gt", "<": "lt" } as const;
    return { key: compared[1] ?? "", operator: operators[compared[2] as "="], values: [compared[3] ?? ""] };
  }
  if (/^![^\s!=]+$/.test(text)) return { key: text.slice(1), operator: "absent", values: [] };
  if (/^[^\s!=()]+$/.test(text)) return { key: text, operator: "exists", values: [] };
  throw badRequest(`unable to parse requirement: ${text}`);
}

function holds({ key, operator, values }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const value = findField(labels, key);
  switch (operator) {
    case "in":
      return value !== undefined && values.includes(value);
    case "notin":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "absent":
      return value === undefined;
    case "gt":
      return value !== undefined && Number(value) > Number(values[0]);
    case "lt":
      return value !== undefined && Number(value) < Number(values[0]);
  }
}

/** Returns whether labels match the `matchLabels` and `matchExpressions` of a selector. A missing selector matches nothing. */
export function matchesSelector(selector: any, labels: Readonly<Record<string, string>> | undefined): boolean {
  if (selector === undefined || selector === null) return false;
  const wanted = Object.entries((selector.matchLabels ?? {}) as Record<string, string>);
  if (!wanted.every(([key, value]) => findField(labels, key) === value)) return false;
  const operators: Record<string, Requirement["operator"]> = {
    In: "in",
    NotIn: "notin",
    Exists: "exists",
    DoesNotExist: "absent",
  };
  const expressions = (selector.matchExpressions ?? []) as { key: string; operator: string; values?: string[] }[];
  return expressions.every(({ key, operator, values }) =>
    holds({ key, operator: findField(operators, operator) ?? "absent", values: values ?? [] }, labels ?? {}),
  );
}

const selectable: Record<string, readonly string[]> = {
  pods: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
  ],
  events: [
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  secrets: ["type"],
  namespaces: ["status.phase"],
  nodes: ["spec.unschedulable"],
  jobs: ["status.successful"],
  replicasets: ["status.replicas"],
  services: ["spec.clusterIP", "spec.type"],
};

/** Parses a `fieldSelector`. Throws for fields by which Kubernetes cannot select objects of the kind. */
export function parseFieldSelector(kind: Kind, own: readonly string[], text: string): Match {
  const known = [
    "metadata.name",
    ...(kind.namespaced ? ["metadata.namespace"] : []),
    ...(findField(selectable, kind.resource) ?? []),
    ...own,
  ];
  const parts = splitTop(text).map((part) => {
    const [, field = "", operator = "", value = ""] = /^([^=!]+)(==|=|!=)(.*)$/.exec(part) ?? [];
    if (operator === "") throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
    if (!known.includes(field)) throw badRequest(`field label not supported: ${field}`);
    return { path: field.split("."), isEqual: operator !== "!=", value };
  });
  return (object) => parts.every(({ path, isEqual, value }) => (textAt(object, path) === value) === isEqual);
}

function textAt(object: KubeObject, path: readonly string[]): string {
  let at: unknown = object;
  for (const key of path) at = findField(at as Record<string, unknown> | undefined, key);
  if (path[0] === "source") at = object["source"]?.component;
  if (path.at(-1) === "unschedulable" || path.at(-1) === "hostNetwork") return at === true ? "true" : "false";
  return typeof at === "string" || typeof at === "number" ? String(at) : "";
}
