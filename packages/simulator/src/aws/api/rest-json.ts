import { parseJson } from "@cloudwright/platform";
import { ApiError } from "../../api/api-error.ts";
import type { ApiAnswer, ApiOperation, ApiReply, ApiRequest } from "../../api/api-service.ts";
import type { ApiRefusal } from "../../provider/definition.ts";
import { completeRefusal } from "./errors.ts";

/** Finds the operation that a REST request addresses, and the parameters in its path. */
export function matchRest(
  operations: readonly ApiOperation[],
  { method, rawPath }: Pick<ApiRequest, "method" | "rawPath">,
): { readonly operation: ApiOperation; readonly parameters: Readonly<Record<string, string>> } | undefined {
  const segments = rawPath.split("/").slice(1);
  if (segments.at(-1) === "" && segments.length > 1) segments.pop();
  for (const operation of operations) {
    if (!("path" in operation.match) || operation.match.method !== method) continue;
    const parameters = matchPath(operation.match.path.split("/").slice(1), segments);
    if (parameters !== undefined) return { operation, parameters };
  }
  return undefined;
}

function matchPath(template: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (template.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of template.entries()) {
    const given = segments[index] ?? "";
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined ? part !== given : given === "") return undefined;
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

/** Parses the body of a REST request. Throws if it is neither empty nor a JSON object. */
export function parseRestBody(body: Buffer): unknown {
  if (body.length === 0) return {};
  const parsed = parseJson(body.toString("utf8"));
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new ApiError({ code: "SerializationException", message: "The request body is not a JSON object.", status: 400 });
  }
  return parsed;
}

/** Renders the response of a REST operation. */
export function renderRestAnswer({ status = 200, headers = {}, content }: ApiAnswer, requestId: string): ApiReply {
  return { status, headers: { ...standard(requestId), ...headers }, body: JSON.stringify(content) };
}

/** Renders an error from a REST service. The code is in a header. */
export function renderRestError(refusal: ApiRefusal, requestId: string): ApiReply {
  const { code, message, status } = completeRefusal(refusal, "rest-json");
  return { status, headers: { ...standard(requestId), "x-amzn-errortype": code }, body: JSON.stringify({ message }) };
}

function standard(requestId: string): Record<string, string> {
  return { "content-type": "application/json", "x-amzn-requestid": requestId };
}
