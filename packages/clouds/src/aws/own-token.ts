import { systemClock, type Secret } from "@cloudwright/platform";
import { createClusterToken, tokenLifeMs } from "./cluster-token.ts";
import { createCredentialSource } from "./credentials.ts";

/** A token for a cluster of EKS, with the credentials that this machine's user has: as the `aws` command would make it. */
export async function createOwnToken(request: {
  readonly cluster: string;
  readonly region: string;
}): Promise<{ readonly token: Secret; readonly expiresAt: Date }> {
  const openAccess = async () => ({ first: { by: "agent" } as const });
  const options = { endpoints: {}, region: request.region, sessionName: "cloudwright" };
  const signedAt = new Date(systemClock.now());
  const token = await createClusterToken(createCredentialSource({ clock: systemClock, openAccess }, options), {
    ...request,
    signedAt,
  });
  return { token, expiresAt: new Date(signedAt.getTime() + tokenLifeMs) };
}
