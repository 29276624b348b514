import { connectionRefused, problem } from "@cloudwright/api-client/testing";
import { expect, test } from "vitest";
import { exitCodes } from "./exit-codes.ts";
import { createFakeWorld } from "./testing/fake-world.ts";

test.each([
  ["an unknown command", ["clsuter"], 2, "cli.usage"],
  ["an unknown flag", ["get", "clusters", "--foo"], 2, "cli.usage"],
  ["a missing argument", ["describe"], 2, "cli.usage"],
  ["an unknown kind", ["get", "clsuters"], 2, "cli.unknown_kind"],
  ["a verb the kind does not have", ["delete", "task", "x"], 2, "cli.unsupported_verb"],
  ["a wrong output format", ["get", "clusters", "-o", "xml"], 2, "cli.usage"],
  ["an entity that does not exist", ["get", "cluster", "nope"], 3, "store.not_found"],
  ["an unknown context", ["get", "clusters", "--context", "nope"], 3, "cli.no_context"],
  ["a node pool without its cluster", ["get", "nodepool", "workers"], 2, "cli.cluster_needed"],
])("M003 %s has its own exit code and fault code", async (_what, args, code, fault) => {
  const outcome = await createFakeWorld().run(...args);
  expect(outcome.code).toBe(code);
  expect(outcome.out).toBe("");
  expect(outcome.err).toContain(`(${fault})`);
  expect(outcome.err).toMatch(/^error: .*\n(?: {2}.*\n)*help: .*\n$/);
});

test.each([
  [400, 2],
  [401, 5],
  [403, 5],
  [404, 3],
  [409, 4],
  [500, 1],
  [501, 1],
])("M003 a response with status %i has exit code %i", async (status, code) => {
  const { run, server } = createFakeWorld();
  server.answerOnce("GET", /clusters$/, () => problem(status, "api.some", "trouble"));
  expect((await run("get", "clusters")).code).toBe(code);
});

test("M003 an unreachable server has exit code 6", async () => {
  const { run, server, clock } = createFakeWorld();
  for (let i = 0; i < 5; i += 1) {
    server.answerOnce("GET", /clusters$/, () => {
      queueMicrotask(() => setImmediate(() => clock.advance(60_000)));
      return connectionRefused();
    });
  }
  expect(await run("get", "clusters")).toMatchObject({
    code: 6,
    out: "",
    err: expect.stringContaining("client.unreachable") as string,
  });
});

test("M003 Ctrl-C has exit code 130 and prints nothing more", async () => {
  const { start, interrupt, server } = createFakeWorld();
  const command = start("watch", "clusters");
  await expect.poll(() => server.requests.length).toBe(1);
  interrupt();
  expect(await command.done).toMatchObject({ code: 130, err: "" });
});

test("M003 rejected fields are listed", async () => {
  const { run, server } = createFakeWorld();
  const fields = [{ field: "spec.cidr", message: "is no range" }];
  server.answerOnce("POST", /networks$/, () => problem(400, "api.invalid", "not valid", { fields }));
  const { err } = await run("network", "create", "n", "--account", "a");
  expect(err.split("\n")).toContain("  spec.cidr: is no range");
});

test.each([
  ["clutser", "cluster"],
  ["logn", "login"],
  ["get clutser", "cluster"],
  ["help exit-code", "exit-codes"],
  ["cluster lisst", "list"],
])("M003 `cloud %s` gets a suggestion", async (line, meant) => {
  expect((await createFakeWorld().run(...line.split(" "))).err).toContain(`did you mean ${meant}?`);
});

test("M003 every exit code is explained by `cloud help exit-codes`", async () => {
  const { out, code } = await createFakeWorld().run("help", "exit-codes");
  expect(code).toBe(0);
  for (const { code: known, meaning } of exitCodes) expect(out).toContain(`${known}  ${meaning}`);
});

test("M003 --version prints the version at every level", async () => {
  expect(await createFakeWorld().run("--version")).toEqual({ code: 0, out: "1.2.3\n", err: "" });
  expect((await createFakeWorld().run("version", "--client", "-o", "json")).out).toContain('"client": "1.2.3"');
});

test("M003 running without a command shows the help", async () => {
  const { code, out } = await createFakeWorld().run();
  expect(code).toBe(2);
  expect(out).toContain("Usage: cloud");
});
