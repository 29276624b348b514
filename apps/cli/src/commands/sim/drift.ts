import { defaultCloud, getCloud } from "@cloudwright/contract/clouds";
import { isObject } from "@cloudwright/platform";
import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { cliFaults } from "../../faults.ts";
import { isStructured } from "../../output/output.ts";
import { addAccountFlag, addRecordArgument, parseRecord, requireAccount } from "./account.ts";
import { nameRecord } from "./inventory.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const { change: exampleChange, network } = getCloud(defaultCloud).examples;

/** `cloud sim drift TYPE/ID ATTRIBUTE=VALUE`: changes a simulated resource as if someone had used the cloud's console. */
export const configureSimDrift: Configure = (command, context) => {
  addAccountFlag(
    addRecordArgument(command).argument(
      "<changes...>",
      "NAME=VALUE, or one JSON object; use dots for nested attributes (tags.owner=me); values may be JSON; null removes an attribute",
    ),
  );
  addExamples(
    command,
    `cloud sim drift ${network.type}/${network.id} ${exampleChange} --account sandbox`,
    `cloud sim drift ${network.type}/${network.id} tags.owner=somebody tags.cost=null`,
    `cloud sim drift ${network.type}/${network.id} '{"tags":{"a.b":"c"}}'`,
  );
  onServer(command, context, async (session, [record = "", ...changes], flags) => {
    const { client, output, project, world } = session;
    const attributes = parseChanges(changes);
    const account = await requireAccount(session, flags);
    const drifted = await client.simulations.drift(project, account, parseRecord(record), attributes, { signal: world.signal });
    if (isStructured(output.format)) return output.structure(drifted);
    if (output.format === "name") return output.line(nameRecord(drifted));
    output.done(`simulated ${nameRecord(drifted)} changed: ${Object.keys(attributes).join(", ")}`);
  });
};

function parseChanges(changes: readonly string[]): { [name: string]: Json } {
  const attributes: { [name: string]: Json } = {};
  for (const change of changes) {
    const whole = change.startsWith("{") ? readJson(change) : undefined;
    if (isObject(whole)) {
      Object.assign(attributes, whole);
      continue;
    }
    const equals = change.indexOf("=");
    if (equals < 1) throw new Fault(cliFaults.usage, `"${change}" is neither NAME=VALUE nor a JSON object`);
    setDeep(attributes, change.slice(0, equals).split("."), readJson(change.slice(equals + 1)));
  }
  return attributes;
}

function setDeep(into: { [name: string]: Json }, [name = "", ...rest]: readonly string[], value: Json): void {
  const below = Object.hasOwn(into, name) ? into[name] : undefined;
  // Unlike an assignment, this defines `__proto__` as an ordinary property. The server then rejects it.
  const set = (next: Json): void =>
    void Object.defineProperty(into, name, { value: next, enumerable: true, writable: true, configurable: true });
  if (rest.length === 0) return set(value);
  const deeper = isObject(below) ? below : {};
  set(deeper);
  setDeep(deeper, rest, value);
}

/** Parses a value as JSON. Text that is not valid JSON is returned as a string. */
function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
