import { kinds, methods } from "@cloudwright/contract";
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";
import { takesAllow } from "./allow-flag.ts";

/** Creates a fake world with one cluster and an editor that changes the cluster's worker count. */
async function createWorld(stdin = "") {
  const document = "kind: Cluster\nmetadata: {name: dev}\nspec: {network: main, workers: 7}\n";
  const fake = createFakeWorld({ stdin, edit: (file) => (writeFileSync(file, document), true) });
  await fake.run("cluster", "create", "dev", "--network", "main");
  return { ...fake, lastAllow: () => fake.server.requests.at(-1)?.query.get("allow") };
}

test("X032 --allow exists for exactly the kinds whose updates accept it", () => {
  const inContract = methods
    .filter(({ verb, descriptor }) => verb === "update" && descriptor.input.fields.some(({ name }) => name === "allow"))
    .map(({ kind }) => kind);
  expect(kinds.filter(takesAllow).map(({ kind }) => kind)).toEqual(expect.arrayContaining(inContract));
  expect(kinds.filter(takesAllow)).toHaveLength(new Set(inContract).size);
});

test("X032 the values of --allow are sent once each with an update or edit", async () => {
  const { run, lastAllow } = await createWorld();
  await run("cluster", "update", "dev", "--workers", "3", "--allow", "replace,delete", "--allow", "delete");
  expect(lastAllow()).toBe("replace,delete");
  await run("cluster", "edit", "dev", "--allow", "replace");
  expect(lastAllow()).toBe("replace");
  await run("cluster", "update", "dev", "--workers", "4");
  expect(lastAllow()).toBeNull();
});

test("X032 apply sends --allow only for kinds with infrastructure", async () => {
  const documents = [
    "kind: Cluster\nmetadata: {name: dev}\nspec: {network: main, workers: 9}",
    "kind: Environment\nmetadata: {name: e}\nspec: {description: new}",
  ];
  const { run, server } = await createWorld(documents.join("\n---\n"));
  await run("environment", "create", "e");
  expect((await run("apply", "-f", "-", "--allow", "delete")).code).toBe(0);
  const puts = server.requests.filter(({ method }) => method === "PUT");
  expect(puts.map(({ path, query }) => [path.split("/").at(-2), query.get("allow")])).toEqual([
    ["environments", null],
    ["clusters", "delete"],
  ]);
});

test.each([
  ["cluster", "update", "dev", "--workers", "3", "--allow", "everything"],
  ["apply", "-f", "-", "--allow", "replace,"],
  ["edit", "environment", "e", "--allow", "replace"],
  ["environment", "update", "e", "--description", "x", "--allow", "replace"],
])("X032 M003 %s %s %s %s ... is rejected before anything is sent", async (...line) => {
  const { run, server } = createFakeWorld();
  const { code, err } = await run(...line);
  expect([code, server.requests]).toEqual([2, []]);
  expect(err).toContain("cli.usage");
});
