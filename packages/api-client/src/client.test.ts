import { kinds } from "@cloudwright/contract/kinds";
import { methods } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { collectionPath, createClient } from "./index.ts";
import { createFakeServer } from "./testing/index.ts";

function connect() {
  const server = createFakeServer();
  return {
    server,
    client: createClient({ server: "http://server/", apiKey: server.key, fetch: server.fetch, userAgent: "test" }),
  };
}

test("M016 an entity is created, read, replaced, patched, paused and deleted", async () => {
  const { client } = connect();
  const made = await client.clusters.create("default", { metadata: { name: "dev" }, spec: { network: "n", workers: 2 } });
  expect(made.metadata.uid).not.toBe("");
  expect((await client.clusters.get("default", "dev")).spec).toEqual({ network: "n", workers: 2 });
  expect((await client.clusters.update("default", "dev", { spec: { network: "n", workers: 3 } })).spec?.workers).toBe(3);
  expect((await client.clusters.patch("default", "dev", { spec: { version: "1.34" } })).spec).toEqual({
    network: "n",
    workers: 3,
    version: "1.34",
  });
  expect((await client.clusters.pause("default", "dev")).metadata.paused).toBe(true);
  expect((await client.clusters.resume("default", "dev")).metadata.paused).toBe(false);
  await client.clusters.delete("default", "dev", { cascade: true });
  await expect(client.clusters.get("default", "dev")).rejects.toMatchObject({ kind: "not_found" });
});

test("M016 node pool paths include the cluster, and paths of global kinds do not include a project", async () => {
  const { client, server } = connect();
  await client.nodePools.create("default", "dev", { metadata: { name: "workers" } });
  await client.users.create({ metadata: { name: "ann" } });
  expect(server.requests.map((request) => request.path)).toEqual(["/v1/projects/default/clusters/dev/nodepools", "/v1/users"]);
  expect((await client.nodePools.list("default", "dev")).items).toHaveLength(1);
});

test("M016 listAll reads one page at a time, and stops when the caller stops reading", async () => {
  const { client, server } = connect();
  for (const name of ["a", "b", "c"]) await client.environments.create("default", { metadata: { name } });
  const names: string[] = [];
  for await (const item of client.environments.listAll("default", { pageSize: 1, orderBy: "name" }))
    names.push(item.metadata.name);
  expect(names).toEqual(["a", "b", "c"]);
  const before = server.requests.length;
  for await (const _ of client.environments.listAll("default", { pageSize: 1 })) break;
  expect(server.requests.length - before).toBe(1);
});

test("M016 keys are rotated, and callers can read their own identity", async () => {
  const { client } = connect();
  await client.apiKeys.create({ metadata: { name: "ci" } });
  expect((await client.apiKeys.rotate("ci")).status?.key).toBe("cw_rotated");
  expect((await client.whoAmI()).user).toBe("admin");
  expect((await client.permissions("default")).items).toHaveLength(2);
  expect((await client.createToken({ audience: "cloudwright" })).token).toBe("signed");
  expect((await client.events.list("default")).items).toEqual([]);
});

test("M016 dry run, precondition and allow-missing are sent under the API's names", async () => {
  const { client, server } = connect();
  await client.accounts.create("default", { metadata: { name: "a" } }, { dryRun: true });
  expect(server.find("/v1/projects/default/accounts/a")).toBeUndefined();
  const made = await client.accounts.update("default", "a", { metadata: { name: "a" } }, { allowMissing: true });
  await expect(client.accounts.delete("default", "a", { resourceVersion: "1" })).rejects.toMatchObject({ kind: "conflict" });
  await client.accounts.delete("default", "a", { resourceVersion: made.metadata.resourceVersion });
});

test("M016 the client calls every path that the contract defines for clients", () => {
  const made = new Set(
    kinds.map(({ kind }) =>
      collectionPath(kind, { project: "{project}", cluster: "{parent}" }).replaceAll("%7B", "{").replaceAll("%7D", "}"),
    ),
  );
  const entityKinds = new Set<string>(kinds.map(({ kind }) => kind));
  const declared = methods
    .filter(({ verb, kind }) => verb === "list" && entityKinds.has(kind))
    .flatMap(({ bindings }) => bindings.map(({ path }) => path));
  expect([...made].toSorted()).toEqual(declared.toSorted());
});
