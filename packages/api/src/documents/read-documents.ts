import type { JsonObject } from "@cloudwright/contract";
import { diffStates } from "../states/diff-states.ts";
import { listInstances, parseState, parseStateHead, type ResourceInstance, type StateHead } from "../states/parse-state.ts";
import { setSerial } from "../states/set-serial.ts";
import { md5Of } from "../states/state-content.ts";

/** A resource instance without its attributes. */
export type InstanceHead = Omit<ResourceInstance, "attributes">;

/** Returns the instances in a state without their attributes, or undefined if the state lists none, for example because it is encrypted. */
export function readInstances(content: Buffer): InstanceHead[] | undefined {
  const state = parseState(content);
  if (!Array.isArray(state["resources"])) return undefined;
  return listInstances(state).map(({ address, type, mode, dependencies, id, isTainted }) => ({
    address,
    type,
    mode,
    dependencies,
    id,
    isTainted,
  }));
}

/** Compares two states and renders the differences as JSON. Undefined represents a missing state. */
export function renderDifference(from: Buffer | undefined, to: Buffer | undefined): string {
  const parse = (content: Buffer | undefined): JsonObject => (content === undefined ? {} : parseState(content));
  return JSON.stringify(diffStates(parse(from), parse(to)));
}

/** Renders a document as a JSON string. */
export function renderText(content: Buffer): string {
  return JSON.stringify(content.toString("utf8"));
}

/** An earlier version of a state that becomes the newest one. */
export interface RestoredState {
  readonly head: StateHead;
  readonly md5: Buffer;
  readonly content: Buffer;
}

export function restoreState(former: Buffer, serial: number): RestoredState {
  const content = setSerial(former, serial);
  return { head: parseStateHead(content), md5: md5Of(content), content };
}

/** Adds members to the JSON text of an object. Members that the text already contains take precedence. */
export function mergeText(members: JsonObject, text: string): string {
  return JSON.stringify({ ...members, ...(JSON.parse(text) as JsonObject) });
}
