import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const path = "/v1/projects/default/clusters/dev";

async function createWorld(options: Parameters<typeof createFakeWorld>[0] = {}) {
  const fake = createFakeWorld(options);
  await fake.run("cluster", "create", "dev", "--network", "main");
  await fake.run("nodepool", "create", "dev/spot");
  return fake;
}

/** Returns the path of the cluster's newest operation. */
function operationOf({ server }: Awaited<ReturnType<typeof createWorld>>): string {
  return `/v1/projects/default/operations/${server.find(path)?.metadata.operation}`;
}

test("X011 on a terminal the user must type the entity's name", async () => {
  const { run, server } = await createWorld({ typed: ["y", "dev"] });
  expect(await run("delete", "cluster", "dev")).toMatchObject({
    code: 4,
    err: expect.stringContaining("cli.not_confirmed") as string,
  });
  expect(server.find(path)).toBeDefined();
  expect((await run("delete", "cluster", "dev")).code).toBe(0);
  expect(server.find(path)).toBeUndefined();
});

test("X011 an entity without infrastructure needs only a yes", async () => {
  const { run, server } = createFakeWorld({ typed: ["n", "y"] });
  await run("environment", "create", "staging");
  expect((await run("delete", "environment", "staging")).code).toBe(4);
  expect((await run("delete", "environment", "staging")).code).toBe(0);
  expect(server.find("/v1/projects/default/environments/staging")).toBeUndefined();
});

test("X011 the command shows what will be deleted before it asks", async () => {
  const { run } = await createWorld({ typed: [""] });
  const { err } = await run("delete", "cluster", "dev", "--cascade");
  expect(err.indexOf("nodepool/dev/spot")).toBeGreaterThan(0);
  expect(err.indexOf("nodepool/dev/spot")).toBeLessThan(err.indexOf("Type dev"));
});

test("X011 a deletion that the server would reject fails before the confirmation", async () => {
  const { run } = await createWorld({ typed: ["dev"] });
  await run("cluster", "update", "dev", "--deletion-protection");
  const { code, err } = await run("delete", "cluster", "dev");
  expect(code).toBe(4);
  expect(err).toContain("(api.protected)");
  expect(err).not.toContain("Type dev");
});

test("X011 protection and policy are set by flags and by apply, and protection can be removed", async () => {
  const text = "kind: Cluster\nmetadata: {name: dev, deletionProtection: true, deletionPolicy: retain}\nspec: {network: main}";
  const { run, server } = createFakeWorld({ stdin: text });
  expect((await run("apply", "-f", "-")).out).toBe("cluster/dev created\n");
  expect(server.find(path)?.metadata).toMatchObject({ deletionProtection: true, deletionPolicy: "retain" });
  expect((await run("describe", "cluster", "dev")).out).toMatch(/Protected: +yes/);
  await run("cluster", "update", "dev", "--no-deletion-protection", "--deletion-policy", "delete");
  expect(server.find(path)?.metadata).toMatchObject({ deletionProtection: false, deletionPolicy: "delete" });
  expect((await run("apply", "-f", "-", "--dry-run")).out).toBe("cluster/dev would be changed (dry run)\n");
  expect((await run("cluster", "update", "dev", "--deletion-policy", "burn")).code).toBe(2);
});

test("X011 a dry run with --cascade lists everything that would be deleted", async () => {
  const { run } = await createWorld();
  expect((await run("delete", "cluster", "dev", "--cascade", "--dry-run")).out.split("\n")).toEqual([
    "nodepool/dev/spot would be deleted (dry run)",
    "cluster/dev would be deleted (dry run)",
    "  deletes infrastructure: aws_eks_cluster dev (created by the platform)",
    "  deletes load-balancers: Service app/web (address web.elb.test)",
    "  deletes volumes: vol-1 (claim app/data)",
    "",
  ]);
});

test("X082 without a terminal a deletion requires --yes, with or without --force", async () => {
  const { run, server } = await createWorld();
  for (const flags of [[], ["--cascade"], ["--force"], ["--wait"], ["--cascade", "--force", "--wait"]]) {
    const { code, err } = await run("delete", "cluster", "dev", ...flags);
    expect([code, err]).toEqual([4, expect.stringContaining("add --yes")]);
    expect(err).toContain("cli.not_confirmed");
    expect(server.find(path)?.metadata.deletedAt).toBeUndefined();
  }
  await run("environment", "create", "staging");
  expect((await run("delete", "environment", "staging")).code).toBe(4);
  expect((await run("delete", "environment", "staging", "--yes")).code).toBe(0);
});

test("X011 --force requires --yes in scripts", async () => {
  const { run, server } = await createWorld();
  server.setStatus(path, { phase: "RUNNING" });
  expect((await run("delete", "cluster", "dev", "--force")).err).toContain("cli.not_confirmed");
  expect((await run("delete", "cluster", "dev", "--force", "--yes")).code).toBe(0);
  expect(server.requests.at(-1)?.query.get("force")).toBe("true");
});

test("X011 --force and --volumes are offered only for kinds with cloud resources", async () => {
  const { run, server } = await createWorld();
  const { requests } = server;
  await run("environment", "create", "staging");
  const before = requests.length;
  for (const flags of [["--force"], ["--volumes", "retain"]]) {
    expect((await run("environment", "delete", "staging", "--yes", ...flags)).err).toContain("unknown option");
    for (const words of [
      ["project", "default"],
      ["cluster/dev", "environment/staging"],
    ]) {
      const { code, err } = await run("delete", ...words, "--yes", ...flags);
      expect([code, err]).toEqual([2, expect.stringContaining(`${flags[0]} is not supported for`)]);
      expect(err).toContain("cli.usage");
    }
  }
  expect(requests.length).toBe(before);
  expect((await run("project", "delete", "--help")).out).not.toMatch(/--force|--volumes/);
  expect((await run("cluster", "delete", "--help")).out).toMatch(/--force[^]*--volumes/);
});

test("M010 a long deletion is accepted, and the command prints how to follow it", async () => {
  const fake = await createWorld();
  fake.server.setStatus(path, { phase: "RUNNING" });
  const { out, err, code } = await fake.run("delete", "cluster", "dev", "--yes");
  const name = operationOf(fake).split("/").at(-1);
  expect([code, out, err]).toEqual([
    0,
    "cluster/dev is being deleted\n",
    `accepted; follow progress with: cloud operation watch ${name}\n`,
  ]);
});

test("M010 delete --wait returns when the deletion has ended", async () => {
  const fake = await createWorld();
  fake.server.setStatus(path, { phase: "RUNNING" });
  const command = fake.start("delete", "cluster", "dev", "--wait", "--yes");
  await expect.poll(command.err).toContain("WAITING");
  const operation = operationOf(fake);
  fake.server.remove(path);
  fake.server.setStatus(operation, { state: "DONE", abandoned: ["aws_vpc vpc-1: in use"] });
  const { code, out, err } = await command.done;
  expect([code, out]).toEqual([0, "cluster/dev deleted\n"]);
  expect(err).toContain("abandoned: aws_vpc vpc-1: in use");
});

test("M010 a failed deletion lists what is left and how to force it", async () => {
  const fake = await createWorld();
  fake.server.setStatus(path, { phase: "RUNNING" });
  const command = fake.start("delete", "cluster", "dev", "--wait", "--yes");
  await expect.poll(command.err).toContain("WAITING");
  fake.server.setStatus(operationOf(fake), { state: "FAILED", message: "stuck", left: ["aws_vpc vpc-1: in use"] });
  const { code, err } = await command.done;
  expect(code).toBe(7);
  expect(err).toContain("  left: aws_vpc vpc-1: in use\n");
  expect(err).toContain("--force");
});

test("M053 the timeout of a deletion covers all named entities together", async () => {
  const fake = createFakeWorld();
  const names = ["one", "two", "three"];
  for (const name of names) {
    await fake.run("cluster", "create", name, "--network", "main");
    fake.server.setStatus(`/v1/projects/default/clusters/${name}`, { phase: "RUNNING" });
  }
  const operationFor = (name: string): string =>
    `/v1/projects/default/operations/${fake.server.find(`/v1/projects/default/clusters/${name}`)?.metadata.operation}`;
  const isDeleting = (name: string): boolean =>
    fake.server.find(`/v1/projects/default/clusters/${name}`)?.metadata.deletedAt !== undefined;
  const command = fake.start("delete", "cluster", ...names, "--wait", "--yes", "--timeout", "50s");
  await expect.poll(command.err, { timeout: 60_000 }).toContain("delete cluster/one: WAITING");
  fake.clock.advance(40_000);
  fake.server.setStatus(operationFor("one"), { state: "DONE" });
  await expect.poll(command.err, { timeout: 60_000 }).toContain("delete cluster/two: WAITING");
  fake.clock.advance(10_000);
  const { code, err } = await command.done;
  expect([code, isDeleting("two"), isDeleting("three")]).toEqual([9, true, false]);
  expect(err).toContain("(cli.wait_timeout)");
  expect(err).toContain("not deleted: cluster/three\n");
});

test("M053 the timeout of a dry run covers the previews of all entities together", async () => {
  const fake = createFakeWorld();
  const { server, clock } = fake;
  for (const name of ["one", "two"]) {
    await fake.run("cluster", "create", name, "--network", "main");
    const entity = server.find(`/v1/projects/default/clusters/${name}`);
    const operation = `/v1/projects/default/operations/op-${name}`;
    server.put(operation, { metadata: { name: `op-${name}` }, spec: { verb: "preview" } });
    server.setStatus(operation, { state: "RUNNING" });
    const isAt = new RegExp(`/${name}$`);
    server.answerOnce("DELETE", isAt, () => Response.json(entity));
    server.answerOnce("DELETE", isAt, () => Response.json(entity, { status: 202, headers: { "operation-location": operation } }));
  }
  const isAsked = (name: string) => (): boolean =>
    server.requests.some(({ path: at, query }) => at.endsWith(`/${name}`) && query.get("preview") === "true");
  const command = fake.start("delete", "cluster", "one", "two", "--dry-run", "--timeout", "90s");
  await expect.poll(isAsked("one"), { timeout: 60_000 }).toBe(true);
  clock.advance(60_000);
  await expect.poll(isAsked("two"), { timeout: 60_000 }).toBe(true);
  clock.advance(30_000);
  const { code, out } = await command.done;
  expect([code, out.match(/could not be listed/g)?.length]).toEqual([0, 2]);
});

test("M003 delete --wait of an entity without infrastructure returns at once", async () => {
  const { run } = await createWorld();
  expect((await run("delete", "cluster", "dev", "--wait", "--yes")).out).toBe("cluster/dev deleted\n");
});

test("X082 the dry run and the confirmation list what the cluster created itself, and which volumes are kept", async () => {
  const { run, server } = await createWorld({ typed: [""] });
  const { out } = await run("delete", "cluster", "dev", "--dry-run", "--volumes", "retain");
  expect(out).toContain("  keeps volumes: vol-1 (claim app/data)\n");
  const { err } = await run("delete", "cluster", "dev", "--volumes", "retain");
  for (const line of ["deletes load-balancers: Service app/web", "keeps volumes: vol-1"]) {
    expect(err.indexOf(line)).toBeGreaterThan(0);
    expect(err.indexOf(line)).toBeLessThan(err.indexOf("Type dev"));
  }
  expect(server.find(path)?.metadata.deletedAt).toBeUndefined();
  expect((await run("delete", "cluster", "dev", "--volumes", "retain", "--yes")).code).toBe(0);
  expect(server.requests.at(-1)?.query.get("volumes")).toBe("retain");
  expect((await run("delete", "cluster", "dev", "--volumes", "burn", "--yes")).code).toBe(2);
});

test("X082 if no agent can list the resources, the dry run reports that and still completes", async () => {
  const { run, server } = await createWorld();
  server.answerOnce("DELETE", /dev$/, () => Response.json(server.find(path)));
  server.answerOnce("DELETE", /dev$/, () => new TypeError("fetch failed", { cause: new Error("reset") }));
  const { code, out } = await run("delete", "cluster", "dev", "--dry-run");
  expect([code, out]).toEqual([
    0,
    expect.stringContaining("note: the resources of cluster/dev could not be listed: cannot reach"),
  ]);
});
