import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

async function createWorld() {
  const fake = createFakeWorld();
  await fake.run("cluster", "create", "dev", "--network", "main", "--workers", "2");
  return fake;
}

const previewed = ["PART   ACTION  NAME     DETAILS", "nodes  update  default  2 -> 3 nodes", ""].join("\n");

test("M161 cloud k8s upgrade sends the version and --allow", async () => {
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

test("X040 cloud k8s upgrade resumes a paused upgrade, skips gates and aborts", async () => {
  const { run, server } = await createWorld();
  const sent = () => server.requests.findLast(({ path }) => path.endsWith(":upgrade"))?.body;
  expect((await run("k8s", "upgrade", "dev", "--resume")).code).toBe(0);
  expect(sent()).toEqual({ resume: true, dryRun: false });
  expect((await run("k8s", "upgrade", "dev", "--skip-gate", "a", "--skip-gate", "b")).code).toBe(0);
  expect(sent()).toEqual({ resume: true, skipGates: ["a", "b"], dryRun: false });
  expect((await run("k8s", "upgrade", "dev", "--abort")).code).toBe(0);
  expect(sent()).toEqual({ abort: true, dryRun: false });
  for (const flags of ["--version 1.34 --resume", "--resume --abort", "--resume --preview", "--abort --preview"])
    expect([flags, (await run("k8s", "upgrade", "dev", ...flags.split(" "))).code]).toEqual([flags, 2]);
});

test("X034 --preview of a creation prints the same list, only for entities that do not exist", async () => {
  const { run, server } = await createWorld();
  const words = ["--network", "main", "--workers", "2", "--preview"];
  expect((await run("k8s", "create", "fresh", ...words)).out).toBe(previewed);
  const asked = server.requests.findLast(({ path }) => path.endsWith("/clusters/fresh:preview"));
  expect(asked?.query.get("allowMissing")).toBe("true");
  expect(asked?.body).toMatchObject({ metadata: { name: "fresh" }, spec: { network: "main", workers: 2 } });
  expect(server.find("/v1/projects/default/clusters/fresh")).toBeUndefined();
  expect((await run("k8s", "create", "dev", ...words)).code).toBe(4);
});

test("X013 --preflight creates nothing, prints findings by field, and its exit code says whether they prevent the creation", async () => {
  const { run, server } = await createWorld();
  const words = ["network", "create", "fresh", "--account", "acme", "--region", "eu-west-1", "--preflight"];
  expect(await run(...words)).toMatchObject({ code: 0, out: "" });
  expect(server.requests.find(({ path }) => path.endsWith("/networks/fresh:preflight"))?.body).toMatchObject({
    metadata: { name: "fresh" },
    spec: { account: "acme" },
  });
  const warning = { field: "spec.nat", severity: "should", message: "costs", rule: "cheap", help: "" };
  server.setFindings([warning]);
  expect((await run(...words)).code).toBe(0);
  server.setFindings([{ field: "spec.cidr", message: "overlaps 10.0.0.0/8", help: "another range", severity: "must" }, warning]);
  const found = await run(...words);
  expect(found.code).toBe(10);
  expect(found.out.split("\n").slice(0, 3)).toEqual(
    [
      "FIELD      SEVERITY  FINDING              WHAT TO DO",
      "spec.cidr  must      overlaps 10.0.0.0/8  another range",
      "spec.nat   should    costs (cheap)        ",
    ].map((line) => line.trimEnd()),
  );
  const json = await run(...words, "-o", "jsonpath={.status.findings[0].field}");
  expect([json.code, json.out]).toEqual([10, "spec.cidr\n"]);
  expect((await run("operation", "get", "op-preflight")).out).toContain("overlaps 10.0.0.0/8");
  for (const line of ["k8s create a --network main", "storage create a --cluster dev --type bucket", "nodepool create dev/a"])
    expect((await run(...line.split(" "), "--preflight")).code).toBe(10);
  expect(server.find("/v1/projects/default/networks/fresh")).toBeUndefined();
  expect((await run("account", "create", "a", "--simulated", "--preflight")).code).toBe(2);
  expect((await run("k8s", "create", "a", "--network", "main", "--preflight", "--preview")).code).toBe(2);
});

test("X013 X034 --preview also prints what would prevent the change", async () => {
  const { run, server } = await createWorld();
  server.setFindings([{ field: "spec.version", message: "is gone", help: "", severity: "must" }]);
  const told = await run("k8s", "upgrade", "dev", "--version", "1.34", "--preview");
  expect(told.out).toContain("is gone");
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
