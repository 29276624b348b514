import type { CelInput } from "@bufbuild/cel";
import { cloudNames, isCloudName } from "@cloudwright/contract/clouds";
import { isMap, isSeq, type Node, type YAMLMap } from "yaml";
import { namesOn } from "./bindings.ts";
import { severities, type Severity } from "./decision.ts";
import { compileExpression, type Expression } from "./expression.ts";
import { policyLimits } from "./limits.ts";
import type { Match, Rule } from "./rule.ts";
import { compileTemplate, type Template } from "./template.ts";
import { OversizeError, toCel } from "./to-cel.ts";
import type { YamlFile } from "./yaml-file.ts";

const fileFields = ["description", "values", "rules"];
const ruleFields = ["name", "description", "severity", "on", "match", "each", "when", "check", "path", "message", "fix"];
const needed = ["name", "description", "severity", "on", "check", "message", "fix"];
const matchFields = ["kinds", "clouds", "environments", "labels"];
const none: Match = { kinds: [], clouds: [], environments: [], labels: new Map() };

/** Returns the valid rules in a file. Problems are recorded in `file`. */
export function readRules(file: YamlFile, root: YAMLMap): Rule[] {
  const fields = file.readFields(root, fileFields, "");
  const description = fields.get("description");
  if (description !== undefined) file.readText(description, "description");
  const list = fields.get("rules");
  if (!isSeq(list)) return file.note(list ?? root, "rules must be a list") ?? [];
  const values = readValues(file, fields.get("values"));
  return list.items.flatMap((item) => {
    if (isMap(item)) return readRule(file, item, values) ?? [];
    return file.note(list, "a rule must be a mapping") ?? [];
  });
}

function readValues(file: YamlFile, node: Node | undefined): CelInput {
  if (node !== undefined && !isMap(node)) file.note(node, "values must be a mapping");
  try {
    return toCel(isMap(node) ? file.readValue(node, "values") : new Map(), { values: 0, chars: 0 });
  } catch (error) {
    if (!(error instanceof OversizeError)) throw error;
    return file.note(node, `values: ${error.message}`) ?? null;
  }
}

function readRule(file: YamlFile, map: YAMLMap, values: Rule["values"]): Rule | undefined {
  const written = map.get("name");
  const where = `rule ${typeof written === "string" ? written : "without a name"}: `;
  const fields = file.readFields(map, ruleFields, where);
  const missing = needed.filter((name) => !map.has(name));
  if (missing.length > 0) file.note(map, `${where}${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} missing`);
  const read = <Value>(name: string, reader: (node: Node, what: string) => Value | undefined): Value | undefined => {
    const node = fields.get(name);
    return node === undefined ? undefined : reader(node, `${where}${name}`);
  };
  const text = (node: Node, what: string): string | undefined => file.readText(node, what);

  const name = read("name", (node, what) => readName(file, node, what));
  const severity = read("severity", (node, what) => readOneOf<Severity>(file, node, what, severities));
  const on = read("on", (node, what) => readOneOf(file, node, what, ["entity", "plan"] as const));
  const description = read("description", text);
  const fix = read("fix", text);
  const match = fields.has("match") ? read("match", (node, what) => readMatch(file, node, what)) : none;
  if (on === undefined) return undefined;

  const outer = new Set(namesOn[on]);
  const inner = fields.has("each") ? new Set([...outer, "item"]) : outer;
  const each = read("each", (node, what) => readExpression(file, node, what, outer));
  const when = read("when", (node, what) => readExpression(file, node, what, inner));
  const check = read("check", (node, what) => readChecks(file, node, what, inner));
  const path = fields.has("path") ? read("path", (node, what) => readTemplate(file, node, what, inner)) : noPath;
  const message = read("message", (node, what) => readTemplate(file, node, what, inner));
  if (name === undefined || description === undefined || severity === undefined || fix === undefined) return undefined;
  if (match === undefined || check === undefined || path === undefined || message === undefined) return undefined;
  const optional = { ...(each === undefined ? {} : { each }), ...(when === undefined ? {} : { when }) };
  return { name, description, severity, on, match, ...optional, check, path, message, fix, file: file.name, values };
}

const noPath: Template = { render: () => "" };

function readName(file: YamlFile, node: Node, what: string): string | undefined {
  const name = file.readText(node, what);
  if (name === undefined || /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) return name;
  return file.note(node, `${what} must be lower-case words joined by dashes`);
}

function readOneOf<Word extends string>(file: YamlFile, node: Node, what: string, words: readonly Word[]): Word | undefined {
  const text = file.readText(node, what);
  const word = words.find((candidate) => candidate === text);
  if (word === undefined && text !== undefined) file.note(node, `${what} must be one of ${words.join(", ")}`);
  return word;
}

function readMatch(file: YamlFile, node: Node, what: string): Match | undefined {
  if (!isMap(node)) return file.note(node, `${what} must be a mapping`);
  const fields = file.readFields(node, matchFields, `${what}: `);
  const texts = (name: string): string[] => {
    const list = fields.get(name);
    return list === undefined ? [] : file.readTexts(list, `${what}.${name}`);
  };
  const named = texts("clouds");
  const unknown = named.filter((cloud) => !isCloudName(cloud));
  if (unknown.length > 0) file.note(node, `${what}.clouds: unknown cloud ${unknown.join(", ")}; use ${cloudNames.join(", ")}`);
  return {
    kinds: texts("kinds"),
    clouds: named,
    environments: texts("environments"),
    labels: readLabels(file, fields.get("labels"), what),
  };
}

function readLabels(file: YamlFile, node: Node | undefined, what: string): ReadonlyMap<string, string> {
  if (node === undefined) return new Map();
  const labels = isMap(node) ? file.readValue(node, `${what}.labels`) : undefined;
  if (labels instanceof Map && [...labels.values()].every((value) => typeof value === "string")) return labels;
  return file.note(node, `${what}.labels must be a mapping of strings`) ?? new Map();
}

function readChecks(file: YamlFile, node: Node, what: string, names: ReadonlySet<string>): Expression[] | undefined {
  const nodes: readonly unknown[] = isSeq(node) ? node.items : [node];
  if (nodes.length === 0) return file.note(node, `${what} is empty`);
  const read = nodes.flatMap((item) => readExpression(file, item as Node, what, names) ?? []);
  return read.length === nodes.length ? read : undefined;
}

function readExpression(file: YamlFile, node: Node, what: string, names: ReadonlySet<string>): Expression | undefined {
  const text = file.readText(node, what, policyLimits.expressionChars);
  if (text === undefined) return undefined;
  const compiled = compileExpression(text, names);
  return "expression" in compiled ? compiled.expression : file.note(node, `${what}: ${compiled.problem}`);
}

function readTemplate(file: YamlFile, node: Node, what: string, names: ReadonlySet<string>): Template | undefined {
  const text = file.readText(node, what);
  if (text === undefined) return undefined;
  const compiled = compileTemplate(text, names);
  return "template" in compiled ? compiled.template : file.note(node, `${what}: ${compiled.problem}`);
}
