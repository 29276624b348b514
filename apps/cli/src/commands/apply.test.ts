import { problem } from "@cloudwright/api-client/testing";
import { createFakeServer } from "@cloudwright/api-client/testing";
import { expect, test } from "vitest";
import { createFakeWorld } from "../testing/fake-world.ts";

const file = `
kind: Cluster
metadata: {name: dev}
spec: {network: main, workers: 1}
---
kind: NodePool
cluster: dev
metadata: {name: spot}
spec: {max: 3}
---
kind: Network
metadata: {name: main, labels: {tier: dev}}
spec: {account: sandbox}
---
kind: Account
metadata: {name: sandbox}
spec: {simulated: true, aws: {}}
`;

async function apply(server = createFakeServer(), text = file, ...flags: string[]) {
  return { server, ...(await createFakeWorld({ server, stdin: text }).run("apply", "-f", "-", ...flags)) };
}

test("M003 apply creates parents first, and a second apply changes nothing", async () => {
  const first = await apply();
  expect(first.out.split("\n").slice(0, -1)).toEqual([
    "account/sandbox created",
    "network/main created",
    "cluster/dev created",
    "nodepool/dev/spot created",
  ]);
  const second = await apply(first.server);
  expect(second.out).toBe(first.out.replaceAll("created", "unchanged"));
});

test("M003 apply changes what differs, even if the file was exported long ago", async () => {
  const { server } = await apply();
  const changed = file
    .replace("workers: 1", "workers: 2, version: 1.34")
    .replace("metadata: {name: dev}", "metadata: {name: dev, resourceVersion: '1', uid: old}");
  const { out, code } = await apply(server, changed);
  expect(code).toBe(0);
  expect(out.split("\n")).toEqual(expect.arrayContaining(["account/sandbox unchanged", "cluster/dev changed"]));
  expect(server.find("/v1/projects/default/clusters/dev")?.spec).toEqual({ network: "main", workers: 2, version: "1.34" });
});

test("M003 M063 a cluster in the format of the first design gets the network with the VPC it names", async () => {
  const { server } = await apply();
  server.setStatus("/v1/projects/default/networks/main", { networkId: "vpc-0abc" });
  const spec = "{cloudType: CLOUD_TYPE_AWS, awsKubernetesSpec: {kubernetesVersion: 1.34, vpcId: vpc-0abc}}";
  const { code } = await apply(server, `kind: Kubernetes\nmetadata: {name: old}\nspec: ${spec}\n`);
  expect(code).toBe(0);
  const built = server.find("/v1/projects/default/clusters/old");
  expect(built?.spec).toEqual({ network: "main", version: "1.34", aws: {} });
});

test("M003 a dry run stores nothing and expects the parents it would create", async () => {
  const server = createFakeServer();
  const fields = [{ field: "spec.account", message: "not found" }];
  server.answerOnce("POST", /networks$/, () => problem(400, "api.invalid", "not valid", { fields }));
  const { out, code } = await apply(server, file, "--dry-run");
  expect(code).toBe(0);
  expect(out).toContain("account/sandbox would be created (dry run)\n");
  expect(out).toContain("network/main would be created (dry run; not validated");
  expect(server.find("/v1/projects/default/accounts/sandbox")).toBeUndefined();
});

test("M003 a failed document does not stop the others, and the exit code reports it", async () => {
  const server = createFakeServer();
  server.answerOnce("POST", /networks$/, () => problem(400, "api.invalid", "not valid"));
  const { out, err, code } = await apply(server);
  expect(code).toBe(1);
  expect(out).toContain("network/main failed\n");
  expect(out).toContain("cluster/dev created\n");
  expect(err).toContain("api.invalid");
  expect(err).toContain("cli.apply_failed");
});

test("M003 an invalid document stops the command before anything is sent", async () => {
  const { code, server } = await apply(createFakeServer(), `${file}\n---\nkind: Nonsense\nmetadata: {name: x}`);
  expect(code).toBe(2);
  expect(server.requests).toEqual([]);
});

test("M003 kinds that only the platform writes cannot be applied", async () => {
  const { err, code } = await apply(createFakeServer(), "kind: Task\nmetadata: {name: x}");
  expect(code).toBe(2);
  expect(err).toContain("cli.unsupported_verb");
});

test("M003 a document is applied to the project it names, unless --project contradicts", async () => {
  const text = "kind: Environment\nmetadata: {name: e, project: other}";
  const { server } = await apply(createFakeServer(), text);
  expect(server.find("/v1/projects/other/environments/e")).toBeDefined();
  expect((await apply(createFakeServer(), text, "-p", "third")).code).toBe(2);
});

test("M003 create -f creates every document and rejects existing entities", async () => {
  const server = createFakeServer();
  const create = () => createFakeWorld({ server, stdin: file }).run("create", "-f", "-");
  expect((await create()).out).toContain("nodepool/dev/spot created");
  expect((await create()).code).toBe(4);
});

test("M222 policy warnings of the server are printed once on standard error, by create, upgrade and apply", async () => {
  const text = "kind: Cluster\nmetadata: {name: dev}\nspec: {network: main, version: '1.33'}";
  const { run, server } = createFakeWorld({ stdin: text });
  const warning = "spec.version: 1.33 läuft aus (supported-kubernetes)";
  server.warn = [warning, warning];
  const expected = `warning: ${warning}\n`;
  for (const command of [
    "apply -f -",
    "apply -f - --dry-run",
    "cluster create other --network main",
    "cluster upgrade dev --version 1.34",
  ]) {
    const { code, err, out } = await run(...command.split(" "));
    expect([command, code, err.split(expected).length - 1]).toEqual([command, 0, 1]);
    expect(out).not.toContain("warning");
  }
  expect((await run("cluster", "create", "third", "--network", "main", "--quiet")).err).toBe("");
});
