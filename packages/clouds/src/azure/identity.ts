import { Fault } from "@cloudwright/platform";
import type { AccountIdentity } from "../account-view.ts";
import { cloudsFaults } from "../faults.ts";
import type { AzureAccess } from "./account-access.ts";
import type { AzureApi } from "./api.ts";
import { readClaims } from "./azure-token.ts";
import type { CredentialSource } from "./credentials.ts";
import { managementScope } from "./endpoints.ts";
import type { Subscription } from "./models.ts";
import { operations } from "./operations.ts";

/**
 * Returns the subscription and the identity behind the credentials. Throws if they differ from the ones that the account's spec names.
 */
export async function verifyAzureAccount(
  api: AzureApi,
  source: CredentialSource,
  name: string,
  { tenantId }: Pick<AzureAccess, "tenantId">,
): Promise<AccountIdentity> {
  const claims = readClaims(await source.get(managementScope(api.endpoints)));
  const identity = claims.userName || `application ${claims.clientId || claims.objectId} in tenant ${claims.tenantId}`;
  if (tenantId !== undefined && claims.tenantId !== "" && claims.tenantId.toLowerCase() !== tenantId.toLowerCase()) {
    const message = `account "${name}" expects the tenant ${tenantId}, but its credentials belong to ${claims.tenantId} (${identity})`;
    throw new Fault(cloudsFaults.wrong_account, message);
  }
  const accountId = await api.getSubscription();
  const found = await api.find<Subscription>("read the subscription", operations.getSubscription);
  if (found === undefined) {
    const others = await listSubscriptions(api);
    const seen = others.length === 0 ? "no subscription" : others.map(({ subscriptionId }) => subscriptionId).join(", ");
    const message = `account "${name}" expects the subscription ${accountId}, but its credentials have access to ${seen} (${identity})`;
    throw new Fault(cloudsFaults.wrong_account, message);
  }
  if (found.state === "Disabled" || found.state === "Deleted") {
    const message = `the subscription ${accountId} of account "${name}" is ${found.state.toLowerCase()}`;
    throw new Fault(cloudsFaults.not_allowed, message);
  }
  return { accountId, identity };
}

/** Returns the only subscription that the credentials have access to. Throws if they have access to no subscription or to several. */
export async function findOnlySubscription(api: AzureApi, name: string): Promise<string> {
  const found = (await listSubscriptions(api)).flatMap(({ subscriptionId }) => subscriptionId ?? []);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const seen = found.length === 0 ? "no subscription" : `${found.length} subscriptions: ${found.slice(0, 5).join(", ")}`;
  const message = `account "${name}" names no subscription, and its credentials have access to ${seen}; set subscriptionId`;
  throw new Fault(cloudsFaults.wrong_account, message);
}

async function listSubscriptions(api: AzureApi): Promise<readonly Subscription[]> {
  return api.list<Subscription>("list the subscriptions", operations.listSubscriptions);
}
