import type { KubeconfigOptions } from "../../library/clusters.ts";
import { createCloudFault } from "../../library/errors.ts";
import { aksServerId } from "../cluster-token.ts";
import { toLibraryFault } from "../errors.ts";
import type { CredentialResults } from "../models.ts";
import { operations } from "../operations.ts";
import type { AzureContext } from "./context.ts";
import { clusterPath } from "./read-aks.ts";
import type { AzurePlace } from "./references.ts";

interface KubeconfigUser {
  readonly name?: string;
  readonly user?: { readonly exec?: { readonly args?: readonly string[] } };
}

/**
 * Returns the kubeconfig that Azure issues for a cluster. If the cluster uses Microsoft Entra ID, the kubeconfig contains a command,
 * which is replaced by a token in `token` mode. If the cluster uses local accounts, the kubeconfig contains a credential in both modes.
 */
export async function readKubeconfig(
  context: AzureContext,
  place: AzurePlace,
  { mode = "exec", signal }: KubeconfigOptions,
): Promise<string> {
  const doing = `read the kubeconfig of the AKS cluster ${place.name}`;
  const { kubeconfigs = [] } = await context.api.call<CredentialResults>(doing, operations.listUserCredentials, {
    path: clusterPath(place),
    query: { format: "exec" },
    signal,
  });
  const text = Buffer.from(kubeconfigs[0]?.value ?? "", "base64").toString();
  if (text.trim() === "")
    throw createCloudFault(`the AKS cluster ${place.name} has no kubeconfig yet; wait until it is ready`, {
      cloud: "azure",
      category: "conflict",
    });
  if (mode === "exec") return text;
  const { parse, stringify } = await import("yaml");
  const config = (parse(text) ?? {}) as { readonly users?: readonly KubeconfigUser[] };
  const [first] = config.users ?? [];
  if (first?.user?.exec === undefined) return text;
  const scope = `${findServerId(first.user.exec.args ?? [])}/.default`;
  const { token } = await context.source.get(scope).catch((error: unknown) => {
    throw toLibraryFault(error, doing);
  });
  signal?.throwIfAborted();
  return stringify({ ...config, users: [{ name: first.name, user: { token: token.reveal() } }] });
}

function findServerId(args: readonly string[]): string {
  const given = args.includes("--server-id") ? (args[args.indexOf("--server-id") + 1] ?? "") : "";
  return /^[0-9a-f-]{36}$/i.test(given) ? given : aksServerId;
}
