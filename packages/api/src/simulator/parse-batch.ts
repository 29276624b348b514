import type { Json } from "@cloudwright/contract";
import { Fault, isUid } from "@cloudwright/platform";
import type { SimulatedAct } from "@cloudwright/store";
import { requireKept } from "../calls/decode.ts";
import { apiFaults } from "../faults.ts";
import { isObject, textAt } from "../entities/json-tree.ts";

/** A batch of actions that a run sends to a simulated cloud. */
export interface Batch {
  readonly request: string | undefined;
  readonly acts: readonly SimulatedAct[];
}

const maxActs = 1000;
// Size limits: small enough for a database index, and large enough for the ids of every cloud.
const maxBytes = { type: 128, id: 1024, operation: 128 } as const;

/** Parses a batch: `{"request": uid, "acts": [{"do": "create", "type": ..., "id": ..., "attributes": {}}]}`. */
export function parseBatch(body: unknown): Batch {
  const sent = body as Json | undefined;
  if (!isObject(sent)) throw bad("must be an object");
  requireKept(sent, "the body");
  const { request, acts } = sent;
  if (request !== undefined && (typeof request !== "string" || !isUid(request))) throw bad('must have a uid as its "request"');
  if (!Array.isArray(acts) || acts.length > maxActs) throw bad(`must have a list "acts" with at most ${maxActs} entries`);
  const parsed = acts.map(parseAct);
  if (request === undefined && parsed.some(({ do: verb }) => !reading.has(verb)))
    throw bad('must have a "request" id if it changes anything');
  return { request, acts: parsed };
}

const reading: ReadonlySet<SimulatedAct["do"]> = new Set(["find", "list", "trail"]);

function parseAct(act: Json, index: number): SimulatedAct {
  const verb = textAt(act, "do");
  const text = (name: keyof typeof maxBytes): string => {
    const value = textAt(act, name);
    if (value !== "" && Buffer.byteLength(value) <= maxBytes[name]) return value;
    throw bad(`must have a "${name}" of 1 to ${maxBytes[name]} bytes in act ${index}`);
  };
  const type = (): { type?: string } => (isObject(act) && act["type"] !== undefined ? { type: text("type") } : {});
  switch (verb) {
    case "find":
    case "trail":
    case "delete":
      return { do: verb, type: text("type"), id: text("id") };
    case "list":
      return { do: verb, ...type(), ...after(act, index) };
    case "create":
    case "put": {
      const attributes = isObject(act) ? act["attributes"] : undefined;
      if (!isObject(attributes)) throw bad(`must have an object "attributes" in act ${index}`);
      return { do: verb, type: text("type"), id: text("id"), attributes };
    }
    case "take":
      return { do: verb, operation: text("operation"), ...type() };
    default:
      throw bad(`has an unknown action in act ${index}`);
  }
}

/** Parses the position after which a page of a list starts. Both strings are empty for the first page. */
function after(act: Json, index: number): { after?: { type: string; id: string } } {
  const place = isObject(act) ? act["after"] : undefined;
  if (place === undefined) return {};
  if (!isObject(place) || typeof place["type"] !== "string" || typeof place["id"] !== "string")
    throw bad(`must have "type" and "id" in "after" of act ${index}`);
  return { after: { type: place["type"], id: place["id"] } };
}

function bad(what: string): Fault {
  return new Fault(apiFaults.simulation_malformed, `the body ${what}`);
}
