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

const resources = {
  items: [{ address: 'aws_subnet.intra["a"]', type: "aws_subnet", id: "subnet-1" }],
  forgotten: [{ address: "aws_vpc.this", type: "aws_vpc", id: "vpc-1" }],
};
const operation = { metadata: { name: "op-1", project: "default" }, spec: { verb: "adopt" }, status: { state: "WAITING" } };

async function createWorld(options: Parameters<typeof createFakeWorld>[0] & { alive?: boolean } = {}) {
  const fake = createFakeWorld(options);
  await fake.run("cluster", "create", "dev", "--network", "main");
  const uid = fake.server.find(`${project}/clusters/dev`)?.metadata.uid as string;
  const lock = { id: "l-1", who: "root@host", task: "t-1", alive: options.alive ?? true };
  const newest = { version: 2, serial: 2, resources: 2, createdAt: "2026-01-01T00:00:00Z" };
  const state = { entityUid: uid, entityKind: "Cluster", entityName: "dev", newest, lock };
  fake.server.setState(`${project}/states/${uid}`, {
    state,
    contents: ['{"serial":1}\n', '{"serial":2}\n'],
    diff,
    resources,
    operation,
  });
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

test("X010 adopting and forgetting a resource require --yes without a terminal, unless it is a dry run", async () => {
  const { run, server, uid } = await createWorld({ alive: false });
  const adopt = ["state", "adopt", "cluster/dev", "aws_vpc.this", "vpc-1"];
  const forget = ["state", "forget", "cluster/dev", 'aws_subnet.intra["a"]'];
  for (const words of [adopt, forget]) {
    const sent = server.requests.length;
    expect(await run(...words)).toMatchObject({ code: 4, err: expect.stringContaining("--yes") as string });
    expect(server.requests.slice(sent).filter(({ method }) => method === "POST")).toEqual([]);
    expect((await run(...words, "--yes")).out).toMatch(/^cluster\/dev: .* started \(op-1\)\n$/);
    expect((await run(...words, "--dry-run", "-o", "name")).out).toBe("operation/op-1\n");
  }
  const posted = server.requests.filter(({ path }) => path.endsWith(":adopt") || path.endsWith(":forget"));
  expect(posted.map(({ path, body }) => [path, body])).toEqual([
    [`${project}/states/${uid}:adopt`, { address: "aws_vpc.this", id: "vpc-1", dryRun: false }],
    [`${project}/states/${uid}:adopt`, { address: "aws_vpc.this", id: "vpc-1", dryRun: true }],
    [`${project}/states/${uid}:forget`, { address: 'aws_subnet.intra["a"]', dryRun: false }],
    [`${project}/states/${uid}:forget`, { address: 'aws_subnet.intra["a"]', dryRun: true }],
  ]);
});

test("X010 on a terminal, adopting and forgetting a resource ask first", async () => {
  const forget = async (...typed: string[]) =>
    (await createWorld({ alive: false, typed })).run("state", "forget", "cluster/dev", "aws_vpc.this");
  expect(await forget("n")).toMatchObject({ code: 4, err: expect.stringContaining("stays in the cloud") as string });
  expect((await forget("y")).code).toBe(0);
  const locked = await createWorld();
  expect((await locked.run("state", "forget", "cluster/dev", "aws_vpc.this", "--yes")).err).toContain("api.state_locked");
});

test("X010 the resources of a state are listed with their ids, and the forgotten ones are marked", async () => {
  const { run } = await createWorld();
  const { out } = await run("state", "resources", "cluster/dev");
  expect(out).toMatch(/aws_subnet\.intra\["a"\] +subnet-1 *\naws_vpc\.this +vpc-1 +forgotten/);
  expect((await run("state", "resources", "cluster/dev", "-o", "name")).out).toBe('aws_subnet.intra["a"]\n');
});
