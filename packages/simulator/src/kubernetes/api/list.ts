import type { Kept } from "../cluster/cluster-state.ts";
import { storageKey } from "../kinds/kinds.ts";
import type { Answer, ResourceCall } from "./call.ts";
import { readRepresentation } from "./representation.ts";
import { parseFieldSelector, parseLabelSelector, type Match } from "./selectors.ts";
import { badRequest } from "./status-error.ts";

/** A page ends before it exceeds this size, even if it contains fewer objects than the client's limit. */
const maxPageBytes = 8 * 1024 * 1024;

/**
 * Handles a list request. Returns the selected objects, in pages if the client sets a limit. Clients that set no limit may not support
 * pages, so they get the whole list.
 */
export function listObjects(call: ResourceCall): Answer {
  const all = selectKept(call);
  const limit = Number(call.query.get("limit") ?? 0);
  const start = readContinue(call.query.get("continue") ?? "");
  const rest = start === "" ? all : all.filter((kept) => kept.place > start);
  const page = limit > 0 ? rest.slice(0, countFitting(rest, limit)) : rest;
  const last = page.at(-1);
  const isMore = page.length < rest.length && last !== undefined;
  // Kubernetes reports the remaining count only for lists without selectors.
  const isSelected = call.query.has("labelSelector") || call.query.has("fieldSelector");
  const metadata = {
    resourceVersion: String(call.cluster.state.version()),
    ...(isMore && {
      continue: Buffer.from(JSON.stringify({ start: last.place })).toString("base64url"),
      ...(!isSelected && { remainingItemCount: rest.length - page.length }),
    }),
  };
  return answerList(call, page, metadata);
}

/** Creates the response to a list request from the selected objects. */
export function answerList(call: ResourceCall, kept: readonly Kept[], metadata: object): Answer {
  const bytes = kept.reduce((sum, { size }) => sum + size, 0);
  const stream = readRepresentation(call).list(kept, metadata);
  return { code: 200, body: undefined, contentType: "application/json", stream, bytes };
}

/** Returns how many objects a page contains. A page contains at least one object. */
function countFitting(kept: readonly Kept[], limit: number): number {
  let bytes = 0;
  for (let count = 0; count < Math.min(kept.length, limit); count++) {
    bytes += kept[count]?.size ?? 0;
    if (bytes > maxPageBytes) return Math.max(count, 1);
  }
  return limit;
}

/** Returns the objects that match a request's path and selectors. */
export function selectKept(call: ResourceCall): readonly Kept[] {
  const all = call.cluster.state.listKept(storageKey(call.kind), call.namespace === "" ? undefined : call.namespace);
  const match = readMatch(call);
  return match === undefined ? all : all.filter(({ object }) => match(object));
}

/** Returns a filter for a request's selectors, or undefined if the request has none. */
export function readMatch(call: ResourceCall): Match | undefined {
  const labels = call.query.get("labelSelector") ?? "";
  const fields = call.query.get("fieldSelector") ?? "";
  const matches: Match[] = [];
  if (labels !== "") matches.push(parseLabelSelector(labels));
  if (fields !== "")
    matches.push(parseFieldSelector(call.kind, call.cluster.kinds.findCustom(call.kind)?.selectableFields ?? [], fields));
  if (call.name !== "") matches.push(({ metadata }) => metadata.name === call.name);
  return matches.length === 0 ? undefined : (object) => matches.every((match) => match(object));
}

function readContinue(token: string): string {
  if (token === "") return "";
  try {
    return (JSON.parse(Buffer.from(token, "base64url").toString()) as { start: string }).start;
  } catch {
    throw badRequest("continue key is not valid: it was not issued by this server");
  }
}
