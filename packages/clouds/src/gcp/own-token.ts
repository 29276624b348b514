import { Fault, Secret, systemClock } from "@cloudwright/platform";
import type { ClusterToken } from "../cloud-provider.ts";
import { cloudsFaults } from "../faults.ts";
import { findAgentCredentials } from "./agent-credentials.ts";
import { toCloudFault } from "./refusals.ts";

const lifeMs = 3600_000;

/**
 * Uses the local user's credentials to create a token for GKE clusters, as `gke-gcloud-auth-plugin` does. The token is valid for all
 * clusters.
 */
export async function createOwnToken(): Promise<ClusterToken> {
  const { client } = await findAgentCredentials({});
  try {
    const { token } = await client.getAccessToken();
    if (typeof token !== "string") throw new Fault(cloudsFaults.failed, "Google Cloud returned no access token");
    return { token: new Secret(token), expiresAt: new Date(client.credentials.expiry_date ?? systemClock.now() + lifeMs) };
  } catch (error) {
    throw toCloudFault(error, "issue an access token");
  }
}
