import { kinds, methods, type Method } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { commandTable } from "../command-table.ts";
import { hasVerb } from "./registry.ts";
import { verbs, type Verb } from "./verbs.ts";
import { createFakeWorld } from "../testing/fake-world.ts";

/** The CLI verbs that call each API method of a kind. */
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
  cancel: ["cancel"],
  retry: ["retry"],
  kubeconfig: ["kubeconfig"],
  upgrade: ["upgrade"],
  ssh: ["ssh"],
  private: ["private"],
  attach: ["attach"],
  detach: ["detach"],
  release: ["release"],
  // Preview and preflight are not separate verbs, but flags of these verbs.
  preview: ["update"],
  preflight: ["create"],
};

/** The commands for methods that do not belong to an entity. */
const others: Readonly<Record<string, string>> = {
  "list Event": "events",
  "list AuditRecord": "audit",
  "get Identity": "whoami",
  "list Permission": "can-i",
  "create Token": "token",
  "create JoinToken": "join-token",
  "get Timeline": "get",
  "list TaskLog": "logs",
  "list State": "state",
  "get State": "state",
  "list StateVersion": "state",
  "get StateContent": "state",
  "get StateDiff": "state",
  "rollback State": "state",
  "unlock State": "state",
  "adopt State": "state",
  "forget State": "state",
  "list StateResource": "state",
  "list BackendUse": "uses",
  // These are commands for clusters, but the API methods belong to the account that contains the cluster.
  "discover Account": "discover",
  "images Account": "image",
  "kubeconfig Account": "kubeconfig",
  "list Run": "run",
  "get Run": "run",
  "get RunPlan": "run",
  "approve Run": "run",
  "discard Run": "run",
  "list Drift": "drift",
  "get Drift": "drift",
  "check Drift": "drift",
  "accept Drift": "drift",
  "correct Drift": "drift",
  "watch *": "watch",
  "log Instance": "logs",
};

function commandsOf({ verb, kind }: Method): string[] {
  if (kind.startsWith("Simulated")) return ["sim"];
  const other = others[`${verb} ${kind}`];
  if (other !== undefined) return [other];
  if (!kinds.some((known) => known.kind === kind)) return [`nothing for ${verb} ${kind}`];
  return (byOperation[verb] ?? []).filter((own) => hasVerb(kind, own));
}

test("M003 every method of the contract has a command", () => {
  // `ssh` is not a top-level command. It is available only as `cloud instance ssh`.
  const names = new Set(commandTable.map(({ name }) => name));
  const forPeople = methods.filter(({ role, verb, kind }) => role !== "agent" && !(verb === "join" && kind === "JoinToken"));
  const without = forPeople.filter((operation) => {
    const commands = commandsOf(operation);
    return commands.length === 0 || !commands.every((command) => names.has(command) || command === "ssh");
  });
  expect(without.map(({ id }) => id)).toEqual([]);
});

test("M003 no kind has a verb that is missing from the contract", () => {
  const invented = kinds.flatMap(({ kind }) =>
    verbs
      .filter(({ verb }) => hasVerb(kind, verb))
      .filter(({ verb }) => {
        const needed = Object.keys(byOperation).find((operation) => byOperation[operation]?.includes(verb));
        return needed !== undefined && !methods.some((operation) => operation.kind === kind && operation.verb === needed);
      })
      .map(({ verb }) => `${kind} ${verb}`),
  );
  expect(invented).toEqual([]);
});

test("M003 ls is an alias of list, both under a kind and on its own", async () => {
  const { run } = createFakeWorld();
  await run("environment", "create", "e");
  for (const line of [
    ["environment", "ls"],
    ["ls", "environments"],
  ])
    expect((await run(...line, "-o", "name")).out).toBe("environment/e\n");
});

test("M003 every kind is a command under each of its names", () => {
  const words = new Set(commandTable.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  for (const kind of kinds) for (const word of [...kind.words, kind.collection]) expect(words).toContain(word);
});
