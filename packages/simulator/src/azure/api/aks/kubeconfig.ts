import { textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { blockOf } from "../../../values/read-value.ts";
import { isList } from "../../../values/value.ts";
import { idsOf } from "../credentials.ts";
import { refuse } from "../errors.ts";
import { clusterKind, getCluster } from "./clusters.ts";

const path = `/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/${clusterKind.path}`;
const touches = { type: clusterKind.mapping.type, operation: "read" } as const;

/** The Entra ID application of AKS API servers. */
const serverId = "6dae42f8-4368-4678-94ff-3960e28e3630";

/** Operations that return the kubeconfig of a cluster. */
export const kubeconfigOperations: readonly ApiOperation[] = [
  {
    name: "ManagedClusters_ListClusterUserCredentials",
    match: { method: "POST", path: `${path}/listClusterUserCredential` },
    touches,
    async run(call) {
      const cluster = await getCluster(call);
      const isEntra = isList(cluster.attributes["azure_active_directory_role_based_access_control"])
        ? cluster.attributes["azure_active_directory_role_based_access_control"].length > 0
        : false;
      return { content: renderCredential("clusterUser", renderKubeconfig(call, cluster, isEntra)) };
    },
  },
  {
    name: "ManagedClusters_ListClusterAdminCredentials",
    match: { method: "POST", path: `${path}/listClusterAdminCredential` },
    touches,
    async run(call) {
      const cluster = await getCluster(call);
      if (cluster.attributes["local_account_disabled"] === true) {
        refuse(
          "BadRequest",
          "Getting static credential is not allowed because this cluster is set to disable local accounts.",
          400,
        );
      }
      return { content: renderCredential("clusterAdmin", renderKubeconfig(call, cluster, false)) };
    },
  },
];

function renderCredential(name: string, text: string): Record<string, unknown> {
  return { kubeconfigs: [{ name, value: Buffer.from(text).toString("base64") }] };
}

function renderKubeconfig(call: ApiCall, { id, attributes }: CloudRecord, isEntra: boolean): string {
  const access = blockOf(attributes, "kube_config");
  const name = textOf(attributes["name"]);
  const user = `clusterUser_${textOf(attributes["resource_group_name"])}_${name}`;
  const { tenantId } = idsOf(call.caller.tenant);
  const args = ["get-token", "--server-id", serverId, "--client-id", serverId, "--tenant-id", tenantId, "--login", "spn"];
  const exec = { apiVersion: "client.authentication.k8s.io/v1beta1", command: "kubelogin", args, env: null };
  const token = call.identity.deriveKey("azure cluster user", call.caller.tenant, id).toString("hex");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name,
        cluster: {
          "certificate-authority-data": textOf(access["cluster_ca_certificate"]),
          server: textOf(access["host"]),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user } }],
    "current-context": name,
    preferences: {},
    users: [{ name: user, user: isEntra ? { exec } : { token } }],
  };
  return renderYaml(config);
}

// JSON is valid YAML, but clients of AKS may read the text line by line, as `az` writes it.
function renderYaml(value: unknown, indent = ""): string {
  if (Array.isArray(value)) {
    return value.map((each) => `${indent}- ${renderYaml(each, `${indent}  `).trimStart()}`).join("");
  }
  if (typeof value !== "object" || value === null) return `${indent}${JSON.stringify(value)}\n`;
  const lines = Object.entries(value).map(([key, each]) => {
    const isScalar = typeof each !== "object" || each === null || Object.keys(each as object).length === 0;
    return `${indent}${key}: ${isScalar ? `${JSON.stringify(each)}\n` : `\n${renderYaml(each, `${indent}  `)}`}`;
  });
  return lines.join("");
}
