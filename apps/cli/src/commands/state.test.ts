import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const project = "/v1/projects/default";
const gone = "00000000-0000-7000-8000-0000000000ff";
const diff = {
  resources: [
    { address: "aws_vpc.main", change: "changed", attributes: ["cidr", "tags"] },
    { address: "aws_eip.old", change: "removed", attributes: ["id"] },
  ],
  outputs: [{ name: "vpc_id", change: "added" }],
};

async function createWorld(options: Parameters<typeof createFakeWorld>[0] & { alive?: boolean } = {}) {
  const fake = createFakeWorld(options);
  await fake.run("cluster", "create", "dev", "--network", "main");
  const uid = fake.server.find(`${project}/clusters/dev`)?.metadata.uid as string;
  const lock = { id: "l-1", who: "root@host", task: "t-1", alive: options.alive ?? true };
  const newest = { version: 2, serial: 2, resources: 2, createdAt: "2026-01-01T00:00:00Z" };
  const state = { entityUid: uid, entityKind: "Cluster", entityName: "dev", newest, lock };
  fake.server.setState(`${project}/states/${uid}`, { state, contents: ['{"serial":1}\n', '{"serial":2}\n'], diff });
  fake.server.setState(`${project}/states/${gone}`, { state: { entityUid: gone }, contents: [] });
  return { ...fake, uid };
}

test("M072 states are listed with newest version and lock holder", async () => {
  const { run, uid } = await createWorld();
  const { out } = await run("state", "list");
  expect(out.split("\n")[0]).toMatch(/^ENTITY +VERSION +RESOURCES +CHANGED +LOCKED BY$/);
  expect(out).toMatch(/cluster\/dev +2 +2 .*root@host \(task t-1\)/);
  expect((await run("state", "list", "-o", "name")).out).toBe(`cluster/dev\n${gone}\n`);
  expect((await run("state", "list", "-o", "wide")).out).toContain(uid);
  const { items } = JSON.parse((await run("state", "list", "-o", "json")).out) as { items: object[] };
  expect(items).toHaveLength(2);
  expect((await (await createWorld({ alive: false })).run("state", "list")).out).toContain("orphaned: the holder is gone");
});

test("M072 versions are listed newest first, by KIND/NAME or uid", async () => {
  const { run, uid } = await createWorld();
  const { out } = await run("state", "versions", "cluster/dev");
  expect(out).toMatch(/^VERSION .*\n2 .*\n1 .*\n$/);
  expect((await run("state", "versions", uid, "--limit", "1", "-o", "name")).out).toBe("2\n");
  expect((await run("state", "versions", gone)).err).toContain("has no state yet");
  expect((await run("state", "versions", "dev")).code).toBe(2);
  expect((await run("state", "versions", "cluster/none")).code).toBe(3);
});

test("M072 differences are listed by name, one per line", async () => {
  const { run, server } = await createWorld();
  expect((await run("state", "diff", "k8s/dev")).out).toBe("~ aws_vpc.main: cidr, tags\n- aws_eip.old\n+ output vpc_id\n");
  await run("state", "diff", "cluster/dev", "1", "2");
  expect(server.requests.at(-1)?.query.toString()).toBe("from=1&to=2");
  expect((await run("state", "diff", "cluster/dev", "one")).code).toBe(2);
});

test("M072 any version of a state is printed unchanged", async () => {
  const { run } = await createWorld();
  expect((await run("state", "pull", "cluster/dev")).out).toBe('{"serial":2}\n');
  expect((await run("state", "pull", "cluster/dev", "1", "-q")).out).toBe('{"serial":1}\n');
  expect((await run("state", "pull", "cluster/dev", "9")).code).toBe(3);
});

test("M072 a rollback asks on a terminal and prints the new version", async () => {
  const answered = async (...typed: string[]) =>
    (await createWorld({ alive: false, typed })).run("state", "rollback", "cluster/dev", "1");
  expect(await answered("n")).toMatchObject({ code: 4, out: "" });
  expect((await answered("y")).out).toContain("is at version 3, a copy of version 1");
  const { run } = await createWorld();
  expect(await run("state", "rollback", "cluster/dev", "1")).toMatchObject({
    code: 4,
    err: expect.stringContaining("api.state_locked") as string,
  });
});

test("X030 an orphaned lock is removed at once, the lock of a live run with --force and --yes", async () => {
  expect((await (await createWorld({ alive: false })).run("state", "unlock", "cluster/dev")).out).toBe(
    "cluster/dev is unlocked\n",
  );
  const { run } = await createWorld();
  expect((await run("state", "unlock", "cluster/dev")).code).toBe(4);
  expect((await run("state", "unlock", "cluster/dev", "--force")).err).toContain("cli.not_confirmed");
  expect((await run("state", "unlock", "cluster/dev", "--force", "--yes")).code).toBe(0);
  const terminal = await createWorld({ typed: ["no"] });
  expect((await terminal.run("state", "unlock", "cluster/dev", "--force")).code).toBe(4);
});
