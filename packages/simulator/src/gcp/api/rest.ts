import { parseJson } from "@cloudwright/platform";
import type { ApiOperation, ApiRequest } from "../../api/api-service.ts";
import { invalid, refuse } from "./errors.ts";

/** An operation that a request addresses, and the parameters in its path. */
export interface MatchedOperation {
  readonly operation: ApiOperation;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Finds the operation that a request addresses. A template is a path such as `/v1/projects/{project}/locations/{location}/clusters/{cluster}`.
 * Its last segment may end with a custom verb: `{cluster}:setResourceLabels`.
 */
export function matchOperation(
  operations: readonly ApiOperation[],
  { method, rawPath }: Pick<ApiRequest, "method" | "rawPath">,
): MatchedOperation | undefined {
  const segments = rawPath.split("/").slice(1);
  if (segments.at(-1) === "" && segments.length > 1) segments.pop();
  for (const operation of operations) {
    if (!("path" in operation.match) || operation.match.method !== method) continue;
    const parameters = matchSegments(templateOf(operation.match.path), segments);
    if (parameters !== undefined) return { operation, parameters };
  }
  return undefined;
}

interface Segment {
  readonly name?: string;
  readonly text: string;
}

const templates = new Map<string, readonly Segment[]>();

function templateOf(path: string): readonly Segment[] {
  const known = templates.get(path);
  if (known !== undefined) return known;
  const parsed = path
    .split("/")
    .slice(1)
    .map((part): Segment => {
      const [, name, text = ""] = /^\{(\w+)\}(:\w+)?$/.exec(part) ?? [];
      return name === undefined ? { text: part } : { name, text };
    });
  templates.set(path, parsed);
  return parsed;
}

function matchSegments(template: readonly Segment[], segments: readonly string[]): Record<string, string> | undefined {
  if (template.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, { name, text }] of template.entries()) {
    const given = segments[index] ?? "";
    if (name === undefined) {
      if (given !== text) return undefined;
      continue;
    }
    const value = given.slice(0, given.length - text.length);
    if (!given.endsWith(text) || value === "") return undefined;
    const decoded = decode(value);
    // Project ids may contain a colon after a domain. No other names contain one, so `x:verb` is not the name of a resource.
    if (name !== "project" && text === "" && decoded.includes(":")) return undefined;
    parameters[name] = decoded;
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const deepest = 30;
const mostValues = 20_000;

/** Parses the body of a request. Throws if it is neither empty nor a JSON object, or has too many values. */
export function parseBody(body: Buffer): unknown {
  if (body.length === 0) return {};
  const parsed = parseJson(body.toString("utf8"));
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    return refuse(invalid("Invalid JSON payload received. The body is not a JSON object."));
  }
  if (countValues(parsed, 0) > mostValues) return refuse(invalid(`The request has more than ${mostValues} values.`));
  return parsed;
}

function countValues(value: unknown, depth: number): number {
  if (depth > deepest) return refuse(invalid(`Invalid JSON payload received. It is nested more than ${deepest} levels deep.`));
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + countValues(each, depth + 1), 1);
}
