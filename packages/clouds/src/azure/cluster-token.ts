import { Fault, Secret } from "@cloudwright/platform";
import { cloudsFaults } from "../faults.ts";
import type { AzureApi } from "./api.ts";
import { findManagedCluster } from "./clusters.ts";
import type { CredentialSource } from "./credentials.ts";
import type { CredentialResults } from "./models.ts";
import { operations } from "./operations.ts";
import { groupOf } from "./resource-ids.ts";

/** Application id of the AKS server, which is the same in every tenant. */
export const aksServerId = "6dae42f8-4368-4678-94ff-3960e28e3630";

interface Kubeconfig {
  readonly users?: readonly {
    readonly user?: { readonly token?: string; readonly exec?: { readonly args?: readonly string[] } };
  }[];
}

/**
 * Creates a token for an AKS cluster's Kubernetes API. If the cluster has local accounts, the kubeconfig that Azure returns contains a
 * static token. If the cluster uses Microsoft Entra ID, the kubeconfig contains a command instead, and the cluster accepts tokens for the
 * account's own identity.
 */
export async function createClusterToken(api: AzureApi, source: CredentialSource, name: string): Promise<Secret> {
  const cluster = await findManagedCluster(api, name);
  if (cluster?.id === undefined)
    throw new Fault(cloudsFaults.failed, `the subscription has no AKS cluster named ${name} in ${api.region}`);
  const path = { resourceGroupName: groupOf(cluster.id), resourceName: name };
  const doing = `read the credentials of the cluster ${name}`;
  const { kubeconfigs = [] } = await api.call<CredentialResults>(doing, operations.listUserCredentials, {
    path,
    query: { format: "exec" },
  });
  const { token, serverId } = await readKubeconfig(kubeconfigs[0]?.value ?? "");
  if (token !== undefined) return new Secret(token);
  return (await source.get(`${serverId}/.default`)).token;
}

/** Reads the token from a base64-encoded kubeconfig, or the application id for which the kubeconfig's command requests tokens. */
async function readKubeconfig(value: string): Promise<{ readonly token?: string; readonly serverId: string }> {
  const { parse } = await import("yaml");
  const { users = [] } = (parse(Buffer.from(value, "base64").toString()) ?? {}) as Kubeconfig;
  const { token, exec } = users[0]?.user ?? {};
  const args = exec?.args ?? [];
  const given = args[args.indexOf("--server-id") + 1] ?? "";
  const serverId = args.includes("--server-id") && /^[0-9a-f-]{36}$/i.test(given) ? given : aksServerId;
  return token === undefined || token === "" || exec !== undefined ? { serverId } : { token, serverId };
}
