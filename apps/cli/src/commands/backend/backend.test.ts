import { expect, test } from "vitest";
import { createFakeWorld } from "../../testing/fake-world.ts";

const settings = { bucket: "old-states", region: "eu-west-1" };
const uid = "0199a000-0000-7000-8000-000000000001";
const old = {
  project: "default",
  kind: "Network",
  name: "main",
  uid,
  type: "s3",
  settings,
  location: "elsewhere/x.tfstate",
  problem: "UNLISTED",
  message: "no operator has allowed the project to use it",
};
const fine = { ...old, kind: "Cluster", name: "fine", uid: uid.replace(/1$/, "2"), backend: "states", problem: "", message: "" };

function createWorld(...items: object[]) {
  const world = createFakeWorld();
  const answer = (): void => world.server.answerOnce("GET", /backenduses/, () => Response.json({ items }));
  return { ...world, answer };
}

test("X062 backend uses lists external states, and --unlisted only those that no backend allows", async () => {
  const { run, answer } = createWorld(old, fine);
  answer();
  const all = await run("backend", "uses");
  expect(all.out).toMatch(/default +network\/main +s3 +old-states +elsewhere\/x.tfstate/);
  expect(all.out).toContain("cluster/fine");
  expect(all.err).toContain("cloud backend adopt NAME KIND/NAME -p PROJECT");
  answer();
  expect((await run("backend", "uses", "--unlisted", "-o", "name")).out).toBe(`${uid}\n`);
});

test.each([["network/main"], [uid]])("X062 backend adopt creates a backend that keeps %s where it is", async (entity) => {
  const { run, server, answer } = createWorld(old, fine);
  answer();
  const { code, err } = await run("backend", "adopt", "states", entity, "--yes");
  expect(code).toBe(0);
  expect(err).toContain("the backend has no secrets");
  expect(err).toContain("network/main keeps its state at elsewhere/x.tfstate");
  expect(server.find("/v1/backends/states")?.spec).toEqual({
    type: "s3",
    settings,
    projects: ["default"],
    keptLocations: { [uid]: "elsewhere/x.tfstate" },
  });
});

test("X062 backend adopt extends an existing backend and keeps what it allows", async () => {
  const { run, server, answer } = createWorld(old, fine);
  server.put("/v1/backends/states", {
    metadata: { name: "states" },
    spec: { type: "s3", settings, projects: ["team-a"], keptLocations: { a: "b" } },
  });
  answer();
  expect((await run("adopt", "backend", "states", "network/main", "-y")).code).toBe(0);
  expect(server.find("/v1/backends/states")?.spec).toMatchObject({
    projects: ["team-a", "default"],
    keptLocations: { a: "b", [uid]: "elsewhere/x.tfstate" },
  });
});

test.each([
  ["without --yes and without a terminal", ["network/main"], "cli.not_confirmed"],
  ["an entity that stores its state in the platform", ["network/other", "--yes"], "cli.no_external_state"],
  ["an entity of another project", ["network/main", "-p", "team-b", "--yes"], "cli.no_external_state"],
  ["a bare name", ["main", "--yes"], "cli.usage"],
  ["an entity with other settings", ["network/main", "storage/far", "--yes"], "cli.other_backend"],
] as [string, string[], string][])("X062 backend adopt rejects %s", async (_what, args, fault) => {
  const far = { ...old, kind: "Storage", name: "far", uid: uid.replace(/1$/, "3"), settings: { ...settings, bucket: "far" } };
  const { run, server, answer } = createWorld(old, far);
  answer();
  const { code, err } = await run("backend", "adopt", "states", ...args);
  expect(code).not.toBe(0);
  expect(err).toContain(fault);
  expect(server.find("/v1/backends/states")).toBeUndefined();
});
