import type { ClusterName } from "@cloudwright/contract/clouds";
import { systemClock } from "@cloudwright/platform";
import type { ClusterToken } from "../cloud-provider.ts";
import { createClusterToken, tokenLifeMs } from "./cluster-token.ts";
import { createCredentialSource } from "./credentials.ts";

/** Creates a token for an EKS cluster with the local user's AWS credentials, as `aws eks get-token` does. */
export async function createOwnToken(request: ClusterName): Promise<ClusterToken> {
  const openAccess = async () => ({ first: { by: "agent" } as const });
  const options = { endpoints: {}, region: request.region, sessionName: "cloudwright" };
  const signedAt = new Date(systemClock.now());
  const token = await createClusterToken(createCredentialSource({ clock: systemClock, openAccess }, options), {
    ...request,
    signedAt,
  });
  return { token, expiresAt: new Date(signedAt.getTime() + tokenLifeMs) };
}
