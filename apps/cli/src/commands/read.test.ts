import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

async function createWorld() {
  const fake = createFakeWorld();
  await fake.run("cluster", "create", "dev", "--network", "main", "--workers", "2", "--label", "tier=dev");
  await fake.run("cluster", "create", "prod", "--network", "main");
  await fake.run("nodepool", "create", "dev/spot", "--max", "3");
  return fake;
}

test("M003 a list is a table; wide shows more columns", async () => {
  const { run } = await createWorld();
  const { out } = await run("k8s", "list");
  expect(out.split("\n")[0]?.split(/ {2,}/)).toEqual(["NAME", "PHASE", "VERSION", "NETWORK", "WORKERS", "AGE", "WAITING FOR"]);
  expect(
    out
      .split("\n")
      .slice(1, 3)
      .map((line) => line.split(" ")[0]),
  ).toEqual(["dev", "prod"]);
  const wide = (await run("get", "clusters", "-o", "wide")).out;
  expect(wide).toContain("tier=dev");
  expect(wide).toContain("UID");
});

test("M003 json and yaml contain documents that can be applied again", async () => {
  const { run } = await createWorld();
  const json = JSON.parse((await run("get", "cluster", "dev", "-o", "json")).out) as object;
  expect(json).toMatchObject({ apiVersion: "cloudwright.v1", kind: "Cluster", metadata: { name: "dev" }, spec: { workers: 2 } });
  expect(parse((await run("get", "cluster", "dev", "-o", "yaml")).out)).toEqual(json);
  expect(parse((await run("get", "clusters", "-o", "yaml")).out)).toMatchObject({ kind: "ClusterList", items: [json, {}] });
});

test("M003 names and jsonpath are for scripts", async () => {
  const { run } = await createWorld();
  expect((await run("get", "clusters", "-o", "name")).out).toBe("cluster/dev\ncluster/prod\n");
  expect((await run("get", "nodepools", "-o", "name")).out).toBe("nodepool/dev/spot\n");
  expect((await run("get", "clusters", "-o", "jsonpath={.items[*].metadata.name}")).out).toBe("dev prod\n");
  expect((await run("-o", "name", "get", "nodepool/dev/spot")).out).toBe("nodepool/dev/spot\n");
});

test.each([
  ["cluster get dev"],
  ["get cluster dev"],
  ["get clusters/dev"],
  ["kubernetes get dev"],
  ["get cluster/dev"],
  ["-q get k8s dev"],
])("M003 `cloud %s` prints the same", async (line) => {
  const { run } = await createWorld();
  expect((await run(...line.split(" "))).out).toContain("dev ");
});

test("M003 describe shows conditions, spec and events", async () => {
  const { run, server } = await createWorld();
  const conditions = [{ type: "Ready", status: "False", reason: "Waiting", message: "for the network" }];
  server.setStatus("/v1/projects/default/clusters/dev", {
    phase: "PROVISIONING",
    progressPercent: 40,
    message: "creating subnets",
    conditions,
  });
  const { out } = await run("describe", "cluster", "dev");
  for (const text of ["Name:         dev", "PROVISIONING 40%", "creating subnets", "for the network", "workers: 2"])
    expect(out).toContain(text);
});

test("M003 describe omits fields without a value, and -o yaml prints them", async () => {
  const { run, server } = await createWorld();
  server.setStatus("/v1/projects/default/clusters/dev", {
    phase: "RUNNING",
    endpoint: "",
    readyNodes: 0,
    zones: [],
    aws: { id: "" },
  });
  const { out } = await run("describe", "cluster", "dev");
  expect(out).toMatch(/Status:\n {2}readyNodes: 0\n {2}aws: \{\}\n/);
  expect(out).not.toMatch(/endpoint|zones/);
  expect((await run("describe", "cluster", "dev", "-o", "yaml")).out).toContain('endpoint: ""');
});

test("M135 describe shows the state of each add-on", async () => {
  const { run, server } = await createWorld();
  const addOns = [
    { name: "storage-class", version: "1.0.0", phase: "READY" },
    { name: "karpenter", version: "1.6.3", phase: "FAILED", message: "no helm on the agent" },
  ];
  server.setStatus("/v1/projects/default/clusters/dev", { phase: "DEGRADED", readyNodes: 2, addOns });
  const { out } = await run("describe", "cluster", "dev");
  expect(out).toMatch(/Add-ons:\n +NAME +VERSION +PHASE +MESSAGE\n +storage-class +1\.0\.0 +READY/);
  expect(out).toMatch(/karpenter +1\.6\.3 +FAILED +no helm on the agent/);
  expect(out).toContain("readyNodes: 2");
});

test("M031 a list shows phase, progress and what the entity waits for", async () => {
  const { run, server } = await createWorld();
  server.setStatus("/v1/projects/default/clusters/dev", {
    phase: "PROVISIONING",
    progressPercent: 40,
    message: "creating subnets",
  });
  expect((await run("k8s", "list")).out).toMatch(/dev +PROVISIONING 40% .*creating subnets/);
});

test("M003 list flags are sent as API parameters", async () => {
  const { run, server } = await createWorld();
  await run("get", "clusters", "-l", "tier=dev", "--filter", "status.phase=RUNNING", "--sort-by=-createdAt", "--limit", "1");
  expect(Object.fromEntries(server.requests.at(-1)?.query ?? [])).toEqual({
    labelSelector: "tier=dev",
    filter: "status.phase=RUNNING",
    orderBy: "-createdAt",
    pageSize: "1",
  });
});

test("M003 an empty list prints a note on standard error, except with --quiet", async () => {
  const { run } = createFakeWorld();
  expect(await run("get", "networks")).toEqual({
    code: 0,
    out: "",
    err: "no networks in project default\n",
  });
  expect(await run("get", "networks", "--quiet")).toEqual({ code: 0, out: "", err: "" });
  expect((await run("get", "networks", "-o", "json")).out).toContain('"items": []');
});

test("M003 colours appear only on a terminal and can be disabled", async () => {
  const escape = "\u001b[";
  const shown = async (environment: Record<string, string>, ...flags: string[]) => {
    const { run } = createFakeWorld({ typed: [], environment });
    await run("cluster", "create", "dev", "--network", "main");
    return (await run("get", "clusters", ...flags)).out.includes(escape);
  };
  expect(await shown({})).toBe(true);
  expect(await shown({ NO_COLOR: "1" })).toBe(false);
  expect(await shown({}, "--no-color")).toBe(false);
  expect((await (await createWorld()).run("get", "clusters")).out).not.toContain(escape);
});

test("M017 a cluster without access has no kubeconfig, and standard output stays empty", async () => {
  const { run } = await createWorld();
  expect(await run("k8s", "kubeconfig", "dev")).toMatchObject({
    code: 4,
    out: "",
    err: expect.stringContaining("api.cluster_not_ready") as string,
  });
  expect((await run("k8s", "kubeconfig", "nope")).code).toBe(3);
});

test("M017 a kubeconfig is the only content of standard output or of the file", async () => {
  const { run, server, home } = await createWorld();
  server.setStatus("/v1/projects/default/clusters/dev", { phase: "RUNNING" });
  const text = "kind: Config\ncurrent-context: dev-viewer\n";
  expect(await run("k8s", "kubeconfig", "dev", "--role", "viewer")).toEqual({ code: 0, out: text, err: "" });
  expect(await run("k8s", "kubeconfig", "dev", "--role", "owner")).toMatchObject({ code: 2, out: "" });
  const file = join(home, "kubeconfig");
  expect(await run("k8s", "kubeconfig", "dev", "--role", "viewer", "--file", file)).toMatchObject({ code: 0 });
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("M017 M156 a kubeconfig is requested with a lifetime or for an exec plug-in, not both", async () => {
  const { run, server } = await createWorld();
  server.setStatus("/v1/projects/default/clusters/dev", { phase: "RUNNING" });
  const short = await run("k8s", "kubeconfig", "dev", "--for", "1h30m");
  expect(short).toMatchObject({ code: 0, out: "kind: Config\ncurrent-context: dev-admin\n" });
  expect(short.err).toContain("the kubeconfig expires at in 5400 s");
  expect((await run("k8s", "kubeconfig", "dev", "--exec", "aws")).out).toContain('"command":"aws"');
  const { users } = JSON.parse((await run("k8s", "kubeconfig", "dev", "--exec", "cloud")).out) as { users: { user: object }[] };
  const args = ["k8s", "token", "--cluster-name", "dev-1", "--region", "eu-west-1"];
  expect(users[0]?.user).toMatchObject({ exec: { command: "cloud", args } });
  for (const wrong of [
    ["--for", "soon"],
    ["--exec", "kubelogin"],
    ["--exec", "aws", "--for", "1h"],
  ])
    expect(await run("k8s", "kubeconfig", "dev", ...wrong)).toMatchObject({ code: 2, out: "" });
});

test("M003 whoami, can-i, token and audit print their results", async () => {
  const { run } = createFakeWorld();
  expect((await run("whoami", "-o", "name")).out).toBe("admin\n");
  expect(await run("can-i", "create", "cluster")).toMatchObject({ code: 0, out: "yes\n" });
  expect(await run("can-i", "create", "user")).toMatchObject({ code: 1, out: "no\n", err: "" });
  expect((await run("can-i", "creat", "cluster")).err).toContain("did you mean create?");
  expect((await run("token", "create", "--audience", "cloudwright")).out).toBe("signed\n");
  expect((await run("audit")).code).toBe(0);
  expect((await run("events")).code).toBe(0);
});
