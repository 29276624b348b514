import { systemClock } from "@cloudwright/platform";
import type { ClusterToken } from "../cloud-provider.ts";
import { aksServerId } from "./cluster-token.ts";
import { createCredentialSource } from "./credentials.ts";
import type { AzureEndpoints } from "./endpoints.ts";

/** Creates a token for AKS clusters that use Microsoft Entra ID. Uses the local user's Azure credentials, as `kubelogin get-token` does. */
export async function createOwnToken(endpoints: AzureEndpoints): Promise<ClusterToken> {
  const openAccess = async () => ({ login: { by: "agent" } as const });
  const source = createCredentialSource({ clock: systemClock, openAccess }, { endpoints });
  const { token, expiresAtMs } = await source.get(`${aksServerId}/.default`);
  return { token, expiresAt: new Date(expiresAtMs) };
}
