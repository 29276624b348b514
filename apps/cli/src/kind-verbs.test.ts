import { kinds, operations, type Operation } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { commandTable } from "./command-table.ts";
import { hasVerb, verbs, type Verb } from "./kind-verbs.ts";

/** The verb of the command line that calls an operation of a kind. */
const byOperation: Readonly<Record<string, readonly Verb[]>> = {
  list: ["list"],
  get: ["get", "describe"],
  create: ["create"],
  update: ["update", "edit"],
  delete: ["delete"],
  watch: ["watch"],
  pause: ["pause"],
  resume: ["resume"],
  rotate: ["rotate"],
};

/** Commands for operations that belong to no entity. */
const others: Readonly<Record<string, string>> = {
  "list Event": "events",
  "list AuditRecord": "audit",
  "get Identity": "whoami",
  "list Permission": "can-i",
  "create Token": "token",
  "watch *": "watch",
};

function commandsOf({ verb, kind }: Operation): string[] {
  if (!kinds.some((known) => known.kind === kind)) return [others[`${verb} ${kind}`] ?? `nothing for ${verb} ${kind}`];
  return (byOperation[verb] ?? []).filter((own) => hasVerb(kind, own));
}

test("M003 every operation of the contract has a command", () => {
  const names = new Set(commandTable.map(({ name }) => name));
  for (const operation of operations) {
    const commands = commandsOf(operation);
    expect(commands, operation.id).not.toEqual([]);
    for (const command of commands) expect(names, operation.id).toContain(command);
  }
});

test("M003 no kind has a verb that the contract does not have", () => {
  for (const { kind } of kinds) {
    for (const { verb } of verbs) {
      const needed = Object.keys(byOperation).find((operation) => byOperation[operation]?.includes(verb));
      if (!hasVerb(kind, verb) || needed === undefined) continue;
      expect(
        operations.some((operation) => operation.kind === kind && operation.verb === needed),
        `${kind} ${verb}`,
      ).toBe(true);
    }
  }
});

test("M003 every kind is a command under each of its words", () => {
  const words = new Set(commandTable.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  for (const kind of kinds) for (const word of [...kind.words, kind.collection]) expect(words).toContain(word);
});
