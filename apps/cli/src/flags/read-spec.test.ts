import { kinds, type Kind } from "@cloudwright/contract/kinds";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasVerb } from "../kinds/registry.ts";
import { createFakeWorld } from "../testing/fake-world.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { readSpec } from "./read-spec.ts";
import { listSpecFlags } from "./spec-flags.ts";

/** Runs a create command with the given flags and returns the spec it sent. */
async function sent(line: string, options: Parameters<typeof createFakeWorld>[0] = {}): Promise<unknown> {
  const { run, server } = createFakeWorld(options);
  const outcome = await run(...line.split(" "));
  if (outcome.code !== 0) throw new Error(outcome.err);
  return (server.requests.at(-1) as { body: { spec: unknown } }).body.spec;
}

function file(text: string): string {
  const path = join(createTemporaryFolder(), "file");
  writeFileSync(path, text);
  return path;
}

test("M004 the flags of the first design create a cluster", async () => {
  const { run, server } = createFakeWorld();
  expect((await run(..."k8s create --name dev-cluster --vpc main --workers 2 --version v1.29.0".split(" "))).out).toBe(
    "cluster/dev-cluster created\n",
  );
  expect(server.find("/v1/projects/default/clusters/dev-cluster")?.spec).toEqual({
    network: "main",
    workers: 2,
    version: "v1.29.0",
  });
});

test("M004 M017 --vpc accepts the cloud id of a known network and no other", async () => {
  const { run, server } = createFakeWorld();
  server.put("/v1/projects/default/networks/main", { metadata: { name: "main" } });
  server.setStatus("/v1/projects/default/networks/main", { networkId: "vpc-0abc" });
  server.put("/v1/projects/default/networks/vpc-0def", { metadata: { name: "vpc-0def" } });
  expect((await run("k8s", "create", "--name", "one", "--vpc", "vpc-0abc")).code).toBe(0);
  expect((await run("k8s", "create", "--name", "two", "--vpc", "vpc-0def")).code).toBe(0);
  const networks = ["one", "two"].map((name) => server.find(`/v1/projects/default/clusters/${name}`)?.spec);
  expect(networks).toEqual([{ network: "main" }, { network: "vpc-0def" }]);
  const { code, err } = await run("k8s", "create", "--name", "three", "--vpc", "vpc-0123");
  expect(code).toBe(3);
  expect(err).toContain("cli.unknown_vpc");
});

test("M003 numbers, switches, lists, maps and records have the contract's types", async () => {
  expect(await sent("network create n --account a --zones x,y --zones z --aws-flow-logs --subnets-public 10.0.1.0/24")).toEqual({
    account: "a",
    zones: ["x", "y", "z"],
    aws: { flowLogs: true },
    subnets: { public: ["10.0.1.0/24"] },
  });
  expect(
    await sent("nodepool create np --cluster c --max 3 --node-labels a=b --node-labels c=d=e --taints key=k,effect=NoSchedule"),
  ).toEqual({
    max: 3,
    nodeLabels: { a: "b", c: "d=e" },
    taints: [{ key: "k", effect: "NoSchedule" }],
  });
});

test("M003 a switch can be turned off", async () => {
  const { run, server } = createFakeWorld();
  await run("storage", "create", "s", "--cluster", "c", "--bucket-versioning");
  expect((await run("storage", "update", "s", "--no-bucket-versioning", "--bucket-force-destroy")).code).toBe(0);
  expect(server.requests.at(-1)).toMatchObject({ body: { spec: { bucket: { versioning: false, forceDestroy: true } } } });
  expect(await sent("cluster create c --network n --no-endpoint-public")).toEqual({ network: "n", endpoint: { public: false } });
});

test("M003 fields of records are typed and may contain JSON with commas", async () => {
  const addOns = '--add-ons name=coredns,configuration={"replicaCount":3,"a":"},"} --add-ons name=metrics-server,disabled=true';
  expect(await sent(`cluster create c --network n ${addOns}`)).toMatchObject({
    addOns: [
      { name: "coredns", configuration: '{"replicaCount":3,"a":"},"}' },
      { name: "metrics-server", disabled: true },
    ],
  });
  const moves = '[{"afterDays":30,"storageClass":"GLACIER"}]';
  expect(
    await sent(`storage create s --cluster c --bucket-lifecycle-rules id=a,transitions=${moves},expireAfterDays=90`),
  ).toMatchObject({ bucket: { lifecycleRules: [{ id: "a", transitions: JSON.parse(moves), expireAfterDays: "90" }] } });
  const entry = "principalArn=arn,policy=view";
  expect(await sent(`cluster create c --network n --aws-access-entries ${entry},namespaces=a`)).toMatchObject({
    aws: { accessEntries: [{ policy: "view", namespaces: ["a"] }] },
  });
  expect(await sent(`cluster create c --network n --aws-access-entries ${entry},namespaces=["a","b"]`)).toMatchObject({
    aws: { accessEntries: [{ policy: "view", namespaces: ["a", "b"] }] },
  });
});

test("M003 a oneof is selected by its own flag or by any flag of its member", async () => {
  expect(await sent("account create a --cloud aws --simulated")).toEqual({ aws: {}, simulated: true });
  expect(await sent("storage create s --cluster c --volume-size-gib 20")).toEqual({ cluster: "c", volume: { sizeGib: 20 } });
  expect((await createFakeWorld().run("account", "create", "a", "--cloud", "aws", "--gcp-project-id", "p")).code).toBe(2);
});

test("M003 a time is a date or a duration from now", async () => {
  expect(await sent("apikey create k --expires-at 30d")).toEqual({ expiresAt: "2026-01-31T00:00:00.000Z" });
  expect(await sent("apikey create k --expires-at 2027-01-31")).toEqual({ expiresAt: "2027-01-31T00:00:00.000Z" });
});

test("M020 a secret comes from standard input, a file or an environment file", async () => {
  const aws = { accessKeyId: "AKIA", secretAccessKey: "s3cret" };
  expect(await sent("account create a --aws-access-key-id AKIA --aws-secret-access-key-stdin", { stdin: "s3cret\n" })).toEqual({
    aws,
  });
  expect(await sent(`account create a --aws-access-key-id AKIA --aws-secret-access-key-file ${file("s3cret\n")}`)).toEqual({
    aws,
  });
  const env = file('# mine\nAWS_ACCESS_KEY_ID=AKIA\nexport AWS_SECRET_ACCESS_KEY="s3cret"\nAWS_REGION=eu-west-1\n');
  expect(await sent(`account create a --env-file ${env}`)).toEqual({ aws });
  const spaced = file("  export  AWS_ACCESS_KEY_ID = AKIA \nAWS_SECRET_ACCESS_KEY\t=\t's3cret'  \r\n");
  expect(await sent(`account create a --env-file ${spaced}`)).toEqual({ aws });
});

test("M020 the error for an invalid line of an environment file has its number but not its content", async () => {
  const { code, err } = await createFakeWorld().run("account", "create", "a", "--env-file", file("A=b\ns3cret\n"));
  expect(code).toBe(2);
  expect(err).toContain(":2 ");
  expect(err).not.toContain("s3cret");
});

test.each([
  "cluster create c --network n --workers many",
  "network create n --account a --nat sometimes",
  "cluster create c --network n --vpc m",
  "cluster create",
  "cluster create c --name d --network n",
  "account create a --label nonsense",
  "apikey create k --expires-at soon",
  "cluster create c --network n --add-ons name=a,disabled=maybe",
  'cluster create c --network n --add-ons name=a,configuration={"b":1',
  "storage create s --cluster c --bucket-lifecycle-rules id=a,transitions=[30]]",
  "storage create s --cluster c --bucket-lifecycle-rules id=a,transitions=soon",
])("M003 `cloud %s` is rejected before anything is sent", async (line) => {
  const { run, server } = createFakeWorld();
  expect((await run(...line.split(" "))).code).toBe(2);
  expect(server.requests).toEqual([]);
});

test("M003 an update sends only the given fields and removes labels", async () => {
  const { run, server } = createFakeWorld();
  await run("cluster", "create", "c", "--network", "n");
  expect((await run("cluster", "update", "c", "--workers", "3", "--label", "a=b", "--label", "old-")).out).toBe(
    "cluster/c changed\n",
  );
  expect(server.requests.at(-1)).toMatchObject({
    method: "PATCH",
    body: { metadata: { labels: { a: "b", old: null } }, spec: { workers: 3 } },
  });
  expect((await run("cluster", "update", "c")).code).toBe(2);
  expect((await run("cluster", "update", "c", "--network", "m")).code).toBe(2);
});

test("X033 M077 infrastructure settings have flags, and overrides come from a file", async () => {
  const overrides = file("resource:\n  aws_vpc:\n    main: {tags: {team: a}}\n");
  const rules = '--infra-ignore address=aws_eks_node_group.*,path=tags["team"],owner=autoscaler';
  expect(
    await sent(`network create n --account a --infra-version v1.0.0 --infra-approval always --infra-drift correct ${rules}`),
  ).toEqual({
    account: "a",
    infra: {
      version: "v1.0.0",
      approval: "always",
      drift: "correct",
      ignore: [{ address: "aws_eks_node_group.*", path: 'tags["team"]', owner: "autoscaler" }],
    },
  });
  expect(
    await sent(
      `network create n --account a --infra-overrides-file ${overrides} --infra-backend-type s3 --infra-backend-settings bucket=b`,
    ),
  ).toEqual({
    account: "a",
    infra: {
      overrides: { resource: { aws_vpc: { main: { tags: { team: "a" } } } } },
      backend: { type: "s3", settings: { bucket: "b" } },
    },
  });
});

test.each([
  ["network create n --account a --infra-overrides {}", "--infra-overrides-file"],
  [`network create n --account a --infra-overrides-file none.yaml`, "cli.bad_file"],
  ["network create n --account a --infra-approval sometimes", "cli.usage"],
  ["network update n --infra-backend-type s3", "cli.usage"],
])("X033 M077 %s is rejected before anything is sent", async (line, words) => {
  const { run, server } = createFakeWorld();
  const { code, err } = await run(...line.split(" "));
  expect([code, server.requests]).toEqual([2, []]);
  expect(err).toContain(words);
});

test("X033 a file of overrides without a map is rejected", async () => {
  const { run } = createFakeWorld();
  for (const text of ["- a\n", "a: 1\n---\nb: 2\n", "just text"])
    expect((await run("network", "update", "n", "--infra-overrides-file", file(text))).err).toContain("cli.bad_file");
});

const clearable = kinds
  .filter(({ kind }) => hasVerb(kind, "update"))
  .flatMap((kind) =>
    listSpecFlags(kind.kind)
      .filter(({ type, isImmutable, isSecret }) => ["list", "map", "records"].includes(type) && !isImmutable && !isSecret)
      .map((flag) => ({ kind: kind as Kind, flag })),
  );

test("M003 every list flag of an update is cleared with an empty string, and its help says so", async () => {
  expect(clearable.length).toBeGreaterThan(20);
  expect(new Set(clearable.map(({ flag }) => flag.type))).toEqual(new Set(["list", "map", "records"]));
  for (const { kind, flag } of clearable) {
    const values = { [camel(flag.name)]: [""] };
    const sentSpec = await readSpec(createFakeWorld().world, [flag], values);
    const cleared = flag.path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], sentSpec);
    expect([kind.kind, flag.name, cleared]).toEqual([kind.kind, flag.name, flag.type === "map" ? null : []]);
  }
  for (const kind of new Set(clearable.map((each) => each.kind))) {
    const { out } = await createFakeWorld().run(kind.words[0] as string, "update", "--help");
    const text = out.replace(/\s+/g, " ");
    const own = clearable.filter((each) => each.kind === kind);
    expect(own.filter(({ flag }) => !text.includes(`To clear: --${flag.name} ''.`)).map(({ flag }) => flag.name)).toEqual([]);
  }
});

test("M003 an update clears lists, records and maps in one request", async () => {
  const { run, server } = createFakeWorld();
  await run("cluster", "create", "c", "--network", "n");
  const taint = ["--taints", "key=k,effect=NoSchedule"];
  expect((await run("nodepool", "create", "np", "--cluster", "c", "--node-labels", "a=b", ...taint)).code).toBe(0);
  expect((await run("nodepool", "update", "c/np", "--node-labels", "", "--taints=", "--instance-types", "")).code).toBe(0);
  const patch = server.requests.findLast(({ method }) => method === "PATCH");
  expect(patch?.body).toEqual({ spec: { nodeLabels: null, taints: [], instanceTypes: [] } });
  expect((await run("nodepool", "update", "c/np", "--taints", "", ...taint)).code).toBe(2);
});

function camel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
