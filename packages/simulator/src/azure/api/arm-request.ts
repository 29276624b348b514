import { isObject, parseJson, trimEnd } from "@cloudwright/platform";
import type { ApiOperation, ApiRequest, OpenedCall } from "../../api/api-service.ts";
import { refuse } from "./errors.ts";

/** The operation that a request addresses, with the parameters in its path. */
export type MatchedOperation = Pick<OpenedCall, "operation" | "parameters">;

/** Finds the operation for a method and path. Paths are case-insensitive in Azure. */
export function matchOperation(
  operations: readonly ApiOperation[],
  { method, rawPath }: Pick<ApiRequest, "method" | "rawPath">,
): MatchedOperation | undefined {
  const segments = trimEnd(rawPath, "/").split("/").slice(1);
  for (const operation of operations) {
    if (!("path" in operation.match) || operation.match.method !== method) continue;
    const parameters = matchPath(operation.match.path.split("/").slice(1), segments);
    if (parameters !== undefined) return { operation, parameters };
  }
  return undefined;
}

/** Matches the segments of a path. In a template, a leading `{scope}` matches the path of any resource. */
function matchPath(template: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const extra = segments.length - template.length;
  if (template[0] === "{scope}" && extra >= 0) {
    const rest = matchPath(template.slice(1), segments.slice(extra + 1));
    return rest === undefined
      ? undefined
      : {
          ...rest,
          scope: segments
            .slice(0, extra + 1)
            .map(decode)
            .join("/"),
        };
  }
  if (template.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of template.entries()) {
    const given = segments[index] ?? "";
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? part.toLowerCase() !== given.toLowerCase() : given === "") return undefined;
    if (name !== undefined) parameters[name] = decode(given);
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

/** Throws unless a request specifies an API version in Azure's format. */
export function checkVersion(query: URLSearchParams): void {
  const version = query.get("api-version");
  if (version === null || version === "") {
    refuse("MissingApiVersionParameter", "The api-version query parameter (?api-version=) is required for all requests.", 400);
  }
  if (!/^\d{4}-\d{2}-\d{2}(-(preview|alpha|beta|privatepreview))?$/.test(version)) {
    refuse("InvalidApiVersionParameter", `The api-version '${version.slice(0, 50)}' is invalid.`, 400);
  }
}

const mostDepth = 32;

/** Parses the body of a request. Throws if it is neither empty nor a JSON object of reasonable depth. */
export function parseBody(body: Buffer): unknown {
  if (body.length === 0) return {};
  const parsed = parseJson(body.toString("utf8"));
  if (!isObject(parsed)) {
    refuse("InvalidRequestContent", "The request content was invalid and could not be deserialized.", 400);
  }
  if (isDeeper(parsed, mostDepth)) refuse("InvalidRequestContent", "The request content is nested too deeply.", 400);
  return parsed;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
