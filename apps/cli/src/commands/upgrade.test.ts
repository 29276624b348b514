import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

async function createWorld() {
  const fake = createFakeWorld();
  await fake.run("cluster", "create", "dev", "--network", "main", "--workers", "2");
  return fake;
}

const previewed = ["PART   ACTION  NAME     WHAT", "nodes  update  default  2 -> 3 nodes", ""].join("\n");

test("M161 cloud k8s upgrade asks for a version, with what it may do", async () => {
  const { run, server } = await createWorld();
  expect(await run("k8s", "upgrade", "dev", "--version", "1.34", "--allow", "removed-apis")).toMatchObject({
    code: 0,
    out: "cluster/dev upgraded\n",
  });
  expect(server.requests.at(-1)).toMatchObject({
    path: "/v1/projects/default/clusters/dev:upgrade",
    body: { version: "1.34", dryRun: false, allow: ["removed-apis"] },
  });
  expect((await run("k8s", "upgrade", "dev")).code).toBe(2);
  expect((await run("k8s", "upgrade", "dev", "other", "--version", "1.34")).code).toBe(2);
});

test("X034 --preview of a creation prints the same list, for what does not exist alone", async () => {
  const { run, server } = await createWorld();
  const words = ["--network", "main", "--workers", "2", "--preview"];
  expect((await run("k8s", "create", "fresh", ...words)).out).toBe(previewed);
  const asked = server.requests.findLast(({ path }) => path.endsWith("/clusters/fresh:preview"));
  expect(asked?.query.get("allowMissing")).toBe("true");
  expect(asked?.body).toMatchObject({ metadata: { name: "fresh" }, spec: { network: "main", workers: 2 } });
  expect(server.find("/v1/projects/default/clusters/fresh")).toBeUndefined();
  expect((await run("k8s", "create", "dev", ...words)).code).toBe(4);
});

test("X034 --preview of an upgrade and of an update prints one list and changes nothing", async () => {
  const { run, server } = await createWorld();
  const before = server.find("/v1/projects/default/clusters/dev");
  expect((await run("k8s", "upgrade", "dev", "--version", "1.34", "--preview")).out).toBe(previewed);
  const asked = () => server.requests.findLast(({ path }) => path.endsWith(":preview"));
  expect(asked()?.body).toEqual({ spec: { version: "1.34" } });
  expect((await run("k8s", "update", "dev", "--workers", "3", "--preview")).out).toBe(previewed);
  expect(asked()?.body).toEqual({ spec: { workers: 3 } });
  const json = await run("k8s", "update", "dev", "--workers", "3", "--preview", "-o", "jsonpath={.status.preview[0].action}");
  expect(json.out).toBe("update\n");
  expect(server.find("/v1/projects/default/clusters/dev")).toEqual(before);
});
