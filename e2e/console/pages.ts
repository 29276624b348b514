import type { AdminCalls } from "../admin-calls.ts";

/** The name of a page's screenshot, and the page's path. */
export type NamedPage = readonly [name: string, path: string];

/** Returns the pages with fixed paths, plus those of the given account and network. */
export const pagesOf = (account: string, network: string): readonly NamedPage[] => [
  ["overview", "/p/default"],
  ["tree", "/p/default/tree"],
  ["accounts", "/p/default/k/accounts"],
  ["account", `/p/default/k/accounts/${account}`],
  ["networks", "/p/default/k/networks"],
  ["network", `/p/default/k/networks/${network}`],
  ["clusters", "/p/default/k/clusters"],
  ["storage", "/p/default/k/storages"],
  ["instances", "/p/default/k/instances"],
  ["ssh-keys", "/p/default/k/sshkeys"],
  ["security-groups", "/p/default/k/securitygroups"],
  ["volumes", "/p/default/k/volumes"],
  ["environments", "/p/default/k/environments"],
  ["operations", "/p/default/operations"],
  ["runs", "/p/default/runs"],
  ["drift", "/p/default/drift"],
  ["states", "/p/default/states"],
  ["agents", "/p/default/agents"],
  ["grants", "/p/default/grants"],
  ["backends", "/p/default/backends"],
  ["access", "/p/default/access"],
  ["audit", "/p/default/audit"],
  ["simulator", "/p/default/simulator"],
  ["create-account", "/p/default/new/account"],
  ["create-network", "/p/default/new/network"],
  ["create-cluster", "/p/default/new/cluster"],
  ["create-nodepool", "/p/default/new/nodepool"],
  ["create-storage", "/p/default/new/storage"],
  ["create-instance", "/p/default/new/instance"],
  ["create-ssh-key", "/p/default/new/sshkey"],
  ["create-security-group", "/p/default/new/securitygroup"],
  ["create-volume", "/p/default/new/volume"],
  ["create-environment", "/p/default/new/environment"],
];

/** Returns the pages of existing entities: a run, its operation, a state, and one entity of each kind that has a page. */
export async function findPagesOf(calls: AdminCalls): Promise<NamedPage[]> {
  const list = async (path: string): Promise<Record<string, string>[]> =>
    ((await (await calls.send("GET", `/v1/projects/default/${path}`)).json()) as { items: Record<string, string>[] }).items;
  const [run] = await list("runs");
  const [state] = await list("states");
  return [
    ["run", `/p/default/runs/${run?.["uid"] ?? ""}`],
    ["operation", `/p/default/operations/${run?.["operation"] ?? ""}`],
    ["state", `/p/default/states/${state?.["entityUid"] ?? ""}`],
    ["cluster", "/p/default/k/clusters/dev"],
    ["nodepool", "/p/default/c/dev/spot"],
    ["storage-detail", "/p/default/k/storages/files"],
    ["environment", "/p/default/k/environments/prod"],
  ];
}
