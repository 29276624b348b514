import type { AnyEntity, Stored } from "@cloudwright/api-client";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { problem } from "@cloudwright/api-client/testing";
import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const path = "/v1/projects/default/clusters/dev";

async function createWorld(options: Parameters<typeof createFakeWorld>[0] = {}) {
  const fake = createFakeWorld(options);
  await fake.run("cluster", "create", "dev", "--network", "main", "--workers", "2");
  return fake;
}

test("X011 delete does not ask with --yes or in a dry run", async () => {
  for (const [options, flags] of [
    [{ typed: [] }, ["--yes"]],
    [{}, ["--yes"]],
  ] as const) {
    const { run, server } = await createWorld(options);
    expect((await run("cluster", "delete", "dev", "--dry-run")).out).toContain("cluster/dev would be deleted (dry run)\n");
    expect(server.find(path)).toBeDefined();
    expect((await run("cluster", "delete", "dev", "--cascade", ...flags)).code).toBe(0);
    expect(server.requests.at(-1)?.query.get("cascade")).toBe("true");
    expect(server.find(path)).toBeUndefined();
  }
});

test("X012 pause and resume act on the named entities", async () => {
  const { run, server } = await createWorld();
  expect((await run("pause", "cluster", "dev")).out).toBe("cluster/dev paused\n");
  expect(server.find(path)?.metadata.paused).toBe(true);
  expect((await run("get", "cluster", "dev")).out).toContain("(paused)");
  expect((await run("cluster", "resume", "dev")).code).toBe(0);
  expect(server.find(path)?.metadata.paused).toBe(false);
});

test("M006 a new key is the only thing on standard output", async () => {
  const { run } = createFakeWorld();
  expect(await run("apikey", "create", "ci", "--project", "shop")).toMatchObject({ code: 0, out: "cw_new\n" });
  expect(await run("apikey", "rotate", "ci")).toMatchObject({ code: 0, out: "cw_rotated\n" });
  expect((await run("apikey", "rotate", "ci", "--quiet")).err).toBe("");
});

test("M006 an API key's --project is the project it is limited to", async () => {
  const { run, server } = createFakeWorld();
  await run("apikey", "create", "ci", "--project", "shop");
  expect(server.requests.at(-1)).toMatchObject({ path: "/v1/apikeys", body: { spec: { project: "shop" } } });
});

test("M003 an edit is saved with the version it started from", async () => {
  const edit = (file: string) => {
    writeFileSync(file, readFileSync(file, "utf8").replace("workers: 2", "workers: 5"));
    return true;
  };
  const { run, server } = await createWorld({ edit });
  const before = server.find(path)?.metadata.resourceVersion;
  expect((await run("edit", "cluster", "dev")).out).toBe("cluster/dev changed\n");
  expect(server.find(path)?.spec).toMatchObject({ workers: 5 });
  expect(server.requests.at(-1)).toMatchObject({ method: "PUT", body: { metadata: { resourceVersion: before } } });
});

test("M003 an edit that changes nothing sends nothing", async () => {
  const { run, server } = await createWorld();
  expect((await run("edit", "cluster", "dev")).out).toBe("cluster/dev unchanged\n");
  expect(server.requests.some(({ method }) => method === "PUT")).toBe(false);
});

test("M003 after a rejected edit the editor opens again with the error as a comment, and an abandoned edit is saved to a file", async () => {
  const opened: string[] = [];
  const edit = (file: string) => {
    const text = readFileSync(file, "utf8");
    opened.push(text);
    if (opened.length === 1) writeFileSync(file, text.replace("workers: 2", "workers: -1"));
    return true;
  };
  const { run, server } = await createWorld({ edit });
  server.answerOnce("PUT", /dev|0000/, () =>
    problem(400, "api.invalid", "not valid", { fields: [{ field: "spec.workers", message: "too few" }] }),
  );
  const { code, err } = await run("edit", "cluster", "dev");
  expect(code).toBe(2);
  expect(opened).toHaveLength(2);
  expect(opened[1]).toMatch(/^# .*\n(#.*\n)*# {3}spec\.workers: too few\n/m);
  expect(opened[1]).toContain("workers: -1");
  const kept = /your edits are saved in (\S+)/.exec(err)?.[1] as string;
  expect(readFileSync(kept, "utf8")).toContain("workers: -1");
  rmSync(dirname(kept), { recursive: true });
});

test("M003 an edit of an entity that has changed since is rejected once, then accepted", async () => {
  let opened = 0;
  const edit = (file: string) => {
    opened += 1;
    const text = readFileSync(file, "utf8");
    if (opened === 1) {
      writeFileSync(file, text.replace("workers: 2", "workers: 5"));
      const now = server.find(path) as Stored<AnyEntity>;
      server.put(path, { ...now, spec: { ...now.spec, workers: 3 } });
    } else writeFileSync(file, `${text}\n`);
    return true;
  };
  const { run, server } = await createWorld({ edit: (file) => edit(file) });
  expect((await run("edit", "cluster", "dev")).code).toBe(0);
  expect(opened).toBe(2);
  expect(server.find(path)?.spec).toMatchObject({ workers: 5 });
});

test("M003 an edit is saved even if the status has changed since", async () => {
  let opened = 0;
  const edit = (file: string) => {
    opened += 1;
    writeFileSync(file, readFileSync(file, "utf8").replace("workers: 2", "workers: 5"));
    server.setStatus(path, { phase: "RUNNING" });
    return true;
  };
  const { run, server } = await createWorld({ edit: (file) => edit(file) });
  expect(await run("edit", "cluster", "dev")).toMatchObject({ code: 0, out: "cluster/dev changed\n" });
  expect(opened).toBe(1);
  expect(server.find(path)?.spec).toMatchObject({ workers: 5 });
});

test("M003 an editor that fails changes nothing", async () => {
  const { run } = await createWorld({ edit: () => false });
  expect(await run("edit", "cluster", "dev")).toMatchObject({
    code: 2,
    err: expect.stringContaining("cli.edit_failed") as string,
  });
});
