import type { Json } from "@cloudwright/contract";
import type { AdminCalls } from "../admin-calls.ts";
import { waitUntil } from "../wait-until.ts";

const project = "/v1/projects/default";

/** Makes a project worth looking at: clusters that work, a plan that waits, a run that failed, drift. Gives pages that belong to it. */
export async function furnish(calls: AdminCalls): Promise<(readonly [name: string, path: string])[]> {
  const make = (collection: string, name: string, spec: Json, metadata: object = {}): Promise<unknown> =>
    calls.create(`${project}/${collection}`, { metadata: { name, ...metadata } as Json, spec });
  const phaseOf = async (path: string): Promise<unknown> => (await calls.get(`${project}/${path}`)).status["phase"];
  const awaitPhase = (path: string, ...phases: readonly string[]): Promise<void> =>
    waitUntil(`${path} is ${phases.join(" or ")}`, async () => phases.includes(String(await phaseOf(path))), 120_000);

  for (const [name, description] of [
    ["production", "What customers use"],
    ["staging", "As production, but nobody minds"],
  ] as const)
    await make("environments", name, { description });
  await make("accounts", "sim", { aws: {}, simulated: true });
  await make("accounts", "sandbox", { aws: {}, simulated: true });
  await awaitPhase("accounts/sim", "RUNNING");
  const network = (cidr: string, zones: string[]): Json => ({ account: "sim", region: "eu-west-1", cidr, zones });
  await make("networks", "main", network("10.0.0.0/16", ["a", "b", "c"]), {
    environment: "production",
    labels: { team: "platform" },
  });
  await make("networks", "staging", network("10.1.0.0/16", ["a", "b"]), { environment: "staging" });
  await make("networks", "edge", { account: "sim", region: "us-east-1", cidr: "10.2.0.0/16", zones: ["a"] });
  await awaitPhase("networks/main", "RUNNING");
  await awaitPhase("networks/staging", "RUNNING");
  await awaitPhase("networks/edge", "RUNNING");

  await make("clusters", "shop", { network: "main", version: "1.33", workers: 3 }, { labels: { tier: "prod" } });
  await make("clusters", "billing", { network: "main", version: "1.33", workers: 2 });
  await make("clusters", "preview", { network: "staging", workers: 1 });
  await calls.create(`${project}/clusters/shop/nodepools`, {
    metadata: { name: "spot" },
    spec: { min: 0, desired: 2, max: 6, capacity: "spot" },
  });

  await calls.send("POST", `${project}/accounts/sim/simulation/fail`, {
    kind: "error",
    operation: "create",
    type: "aws_internet_gateway",
    message: "UnauthorizedOperation: You are not authorized to perform this operation.",
  });
  await make("networks", "forbidden", network("10.3.0.0/16", ["a"]));
  await awaitPhase("networks/forbidden", "FAILED", "DEGRADED");
  await make(
    "networks",
    "careful",
    { account: "sim", region: "eu-west-1", cidr: "10.4.0.0/16", zones: ["a", "b"], infra: { approval: "always" } },
    { environment: "production" },
  );

  const records = (await (
    await calls.send("GET", `${project}/accounts/sim/simulation/records?type=aws_vpc&pageSize=100`)
  ).json()) as { items: { id: string; attributes: { tags: { Name: string } } }[] };
  const vpc = records.items.find(({ attributes }) => attributes.tags.Name === "edge");
  await calls.send("POST", `${project}/accounts/sim/simulation/drift`, {
    type: "aws_vpc",
    id: vpc?.id ?? "",
    attributes: { enable_dns_hostnames: false },
  });
  const list = async (path: string): Promise<Record<string, string>[]> =>
    ((await (await calls.send("GET", `${project}/${path}`)).json()) as { items: Record<string, string>[] }).items;
  await waitUntil("a plan waits", async () => (await list("runs?state=NEEDS_APPROVAL")).length > 0);
  await waitUntil("the drift is found", async () => (await list("drifts")).length > 0);
  await calls.createUser("vera", "viewer", "default");

  const [waiting] = await list("runs?state=NEEDS_APPROVAL");
  const operationOf = async (path: string): Promise<string> => (await calls.get(`${project}/${path}`)).metadata.operation ?? "";
  const main = await calls.get(`${project}/networks/main`);
  return [
    ["run", `/p/default/runs/${waiting?.["uid"] ?? ""}`],
    ["operation", `/p/default/operations/${await operationOf("networks/main")}`],
    ["operation-failed", `/p/default/operations/${await operationOf("networks/forbidden")}`],
    ["state", `/p/default/states/${main.metadata.uid ?? ""}`],
    ["cluster", "/p/default/k/clusters/shop"],
    ["nodepool", "/p/default/c/shop/spot"],
  ];
}
