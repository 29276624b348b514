import type { Json, JsonObject } from "../../entities.ts";
import { membersOf, objectAt } from "./document.ts";

const samples: Readonly<Record<string, string>> = { project: "default", parent: "dev-cluster", name: "example" };

/** Renders a curl command that calls an operation. */
export function renderCurl(method: string, path: string, operation: JsonObject): string {
  const [type, media] = membersOf(objectAt(objectAt(operation, "requestBody"), "content"))[0] ?? [];
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => samples[name] ?? name);
  const parts = [
    `curl ${isStream(operation) ? "-N " : ""}${method === "GET" ? "" : `-X ${method} `}"$CLOUDWRIGHT_SERVER${address}"`,
    ...(isOpen(operation) ? [] : ['-H "Authorization: Bearer $CLOUDWRIGHT_API_KEY"']),
    ...(media?.["example"] === undefined ? [] : [`-H "Content-Type: ${type}"`, `-d ${quote(media["example"])}`]),
  ];
  return parts.join(" \\\n  ");
}

function isOpen(operation: JsonObject): boolean {
  const security = operation["security"];
  return Array.isArray(security) && security.length === 0;
}

function isStream(operation: JsonObject): boolean {
  const content = objectAt(objectAt(objectAt(operation, "responses"), "200"), "content");
  return content["text/event-stream"] !== undefined && content["application/json"] === undefined;
}

function quote(value: Json): string {
  return `'${JSON.stringify(value).replaceAll("'", "'\\''")}'`;
}
