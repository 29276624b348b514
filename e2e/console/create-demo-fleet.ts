import type { Json } from "@cloudwright/contract";
import type { AdminCalls } from "../admin-calls.ts";
import { fillCluster } from "../cluster-contents.ts";
import { waitUntil } from "../wait-until.ts";
import {
  accounts,
  clusters,
  environments,
  instances,
  lateClusters,
  networks,
  pools,
  sshKeys,
  storages,
  type Made,
} from "./demo-fleet.ts";
import type { NamedPage } from "./pages.ts";

const project = "/v1/projects/default";
const patienceMs = 600_000;

/**
 * Fills a project for screenshots: a running fleet, an upgrade in progress, a plan that waits for approval, a failed cluster and drift.
 * Returns the pages to capture.
 */
export async function createDemoFleet(calls: AdminCalls): Promise<NamedPage[]> {
  const make = ({ name, spec, ...metadata }: Made, collection: string): Promise<unknown> =>
    calls.create(`${project}/${collection}`, { metadata: { name, ...metadata } as Json, spec });
  const makeAll = async (collection: string, all: readonly Made[]): Promise<void> => {
    for (const each of all) await make(each, collection);
  };
  const awaitPhases = async (collection: string, all: readonly Made[], phase: string): Promise<void> => {
    for (const { name } of all) {
      const phaseOf = async (): Promise<unknown> => (await calls.get(`${project}/${collection}/${name}`)).status["phase"];
      await waitUntil(`${name} is ${phase}`, async () => (await phaseOf()) === phase, patienceMs);
    }
  };
  const send = async (method: string, path: string, body: Json): Promise<void> => {
    const response = await calls.send(method, `${project}/${path}`, body);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
  const list = async (path: string): Promise<Record<string, string>[]> =>
    ((await (await calls.send("GET", `${project}/${path}`)).json()) as { items: Record<string, string>[] }).items;

  await makeAll("environments", environments);
  await makeAll("accounts", accounts);
  await awaitPhases("accounts", accounts, "RUNNING");
  await makeAll("networks", networks);
  const failing = clusters.filter(({ name }) => name === "loadtest");
  await send("POST", "accounts/acme-development/simulation/fail", {
    kind: "error",
    operation: "create",
    type: "aws_eks_node_group",
    message: "UnauthorizedOperation: You are not authorized to perform: eks:CreateNodegroup.",
  });
  await makeAll("clusters", clusters);
  await makeAll("clusters/shop/nodepools", pools);
  await makeAll("storages", storages);
  await makeAll("sshkeys", sshKeys);
  await makeAll("instances", instances);
  await invite(calls);
  await awaitPhases("networks", networks, "RUNNING");
  await send("PATCH", "networks/staging", { spec: { zones: ["a", "b", "c"] } });
  await awaitPhases("clusters", failing, "FAILED");
  await makeAll("clusters", lateClusters);
  const running = clusters.filter((each) => !failing.includes(each));
  await awaitPhases("clusters", [...running, ...lateClusters], "RUNNING");
  await awaitPhases("storages", storages, "RUNNING");
  await awaitPhases("instances", instances, "RUNNING");
  await fillCluster(calls, "shop", "acme-production");

  await make(
    {
      name: "sydney",
      environment: "production",
      spec: {
        account: "acme-production",
        region: "ap-southeast-2",
        cidr: "10.3.0.0/16",
        zones: ["a", "b"],
        infra: { approval: "always" },
      },
    },
    "networks",
  );
  await changeBehindTheBack(calls, "virginia");
  await waitUntil("a plan waits for an approval", async () => (await list("runs?state=NEEDS_APPROVAL")).length > 0, patienceMs);
  await waitUntil("the drift is reported", async () => (await list("drifts")).length > 0, patienceMs);
  // Keeps the upgrade in progress while screenshots are taken.
  await send("POST", "accounts/acme-production/simulation/fail", {
    kind: "slow",
    operation: "update",
    type: "aws_eks_cluster",
    delayMs: 3_600_000,
  });
  await send("PATCH", "clusters/search", { spec: { version: "1.34" } });
  await awaitPhases("clusters", [{ name: "search", spec: {} }], "UPGRADING");

  const [waiting] = await list("runs?state=NEEDS_APPROVAL");
  const operationOf = async (path: string): Promise<string> => (await calls.get(`${project}/${path}`)).metadata.operation ?? "";
  const staging = await calls.get(`${project}/networks/staging`);
  return [
    ["run", `/p/default/runs/${waiting?.["uid"] ?? ""}`],
    ["operation", `/p/default/operations/${await operationOf("networks/frankfurt")}`],
    ["operation-running", `/p/default/operations/${await operationOf("clusters/search")}`],
    ["operation-failed", `/p/default/operations/${await operationOf("clusters/loadtest")}`],
    ["state", `/p/default/states/${staging.metadata.uid ?? ""}`],
    ["cluster", "/p/default/k/clusters/shop"],
    ["cluster-failed", "/p/default/k/clusters/loadtest"],
    ["nodepool", "/p/default/c/shop/spot"],
    ["storage-detail", "/p/default/k/storages/product-images"],
    ["environment", "/p/default/k/environments/production"],
    ["instance", "/p/default/k/instances/bastion"],
    ["ssh-key", "/p/default/k/sshkeys/operations"],
  ];
}

/** Creates users with roles, an API key for a program, a denied request for the audit log, a backend, and grants for the embedded agent. */
async function invite(calls: AdminCalls): Promise<void> {
  const { key } = await calls.createUser("vera", "viewer", "default");
  await calls.createUser("ben", "admin", "default");
  await calls.create("/v1/users", { metadata: { name: "olga" } });
  await calls.create(`${project}/rolebindings`, {
    metadata: { name: "olga-staging", environment: "staging" },
    spec: { user: "olga", role: "editor" },
  });
  await calls.create("/v1/apikeys", {
    metadata: { name: "ci" },
    spec: { description: "the pipeline that deploys the shop", user: "ben", project: "default", role: "editor" },
  });
  await calls.send("DELETE", `${project}/clusters/shop`, undefined, { authorization: `Bearer ${key}` });
  await calls.create("/v1/backends", {
    metadata: { name: "company-states" },
    spec: {
      type: "s3",
      settings: { bucket: "acme-terraform", region: "eu-central-1" },
      prefix: "platform",
      projects: ["default", "analytics"],
      accessKeyId: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "example",
    },
  });
  const { uid = "" } = (await calls.get(`${project}/accounts/acme-production`)).metadata;
  await calls.send("PATCH", "/v1/projects/system/agents/embedded", {
    spec: { identityProjects: ["analytics"], identityAccounts: [uid] },
  });
}

/** Changes a network in the simulated cloud, as if someone had used the cloud's console. */
async function changeBehindTheBack(calls: AdminCalls, network: string): Promise<void> {
  const records = `${project}/accounts/acme-production/simulation/records?pageSize=1000&type=`;
  for (const [type, attributes] of [
    ["aws_vpc", { enable_dns_hostnames: false }],
    ["aws_route_table", { tags: { Name: "changed by hand" } }],
  ] as const) {
    const { items } = (await (await calls.send("GET", records + type)).json()) as {
      items: { id: string; attributes: { tags?: { Name?: string } } }[];
    };
    const found = items.find((record) => record.attributes.tags?.Name?.startsWith(network) === true);
    if (found === undefined) throw new Error(`the cloud has no ${type} of ${network}`);
    await calls.send("POST", `${project}/accounts/acme-production/simulation/drift`, { type, id: found.id, attributes });
  }
}
