import type { Json, JsonObject } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";
import { isDeeperThan, isEqual, isObject } from "../entities/json-tree.ts";
import { listInstances } from "./parse-state.ts";

type Change = "added" | "changed" | "removed";

/** The differences between two states. Values are omitted, because any value may be a secret even if the provider does not mark it. */
export interface StateDifference {
  readonly resources: { readonly address: string; readonly change: Change; readonly attributes: readonly string[] }[];
  readonly outputs: { readonly name: string; readonly change: Change }[];
}

const maxDepth = 128;

/** Compares two states. An empty object represents a missing state. */
export function diffStates(from: JsonObject, to: JsonObject): StateDifference {
  for (const state of [from, to]) requireComparable(state);
  const resources = compare(instancesOf(from), instancesOf(to)).map(({ name, change, before, after }) => ({
    address: name,
    change,
    attributes: compare(membersOf(before), membersOf(after)).map((attribute) => attribute.name),
  }));
  const outputs = compare(membersOf(from["outputs"]), membersOf(to["outputs"])).map(({ name, change }) => ({ name, change }));
  return { resources, outputs };
}

function requireComparable(state: JsonObject): void {
  if (state["encrypted_data"] !== undefined)
    throw new Fault(apiFaults.state_sealed, "the state was encrypted by the tool that wrote it");
  if (isDeeperThan(state, maxDepth))
    throw new Fault(apiFaults.state_malformed, `the state is nested deeper than ${maxDepth} levels`);
}

interface Difference {
  readonly name: string;
  readonly change: Change;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

function compare(from: ReadonlyMap<string, Json>, to: ReadonlyMap<string, Json>): Difference[] {
  const names = [...new Set([...from.keys(), ...to.keys()])].toSorted();
  return names.flatMap((name): Difference[] => {
    const [before, after] = [from.get(name), to.get(name)];
    if (before === undefined) return [{ name, change: "added", before, after }];
    if (after === undefined) return [{ name, change: "removed", before, after }];
    return isEqual(before, after) ? [] : [{ name, change: "changed", before, after }];
  });
}

function instancesOf(state: JsonObject): Map<string, Json> {
  return new Map(listInstances(state).map(({ address, attributes }) => [address, attributes]));
}

function membersOf(value: Json | undefined): Map<string, Json> {
  return new Map(Object.entries(isObject(value) ? value : {}));
}
