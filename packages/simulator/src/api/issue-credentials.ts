import { Fault, type Clock, type Secret } from "@cloudwright/platform";
import { listSimulatedApis } from "../clouds.ts";
import { simulatorFaults } from "../faults.ts";
import type { Inventory } from "../inventory/inventory.ts";
import { createHostAuthority } from "../kubernetes/host/cluster-credentials.ts";
import type { CredentialOrigin, IssuedCredentials } from "./api-service.ts";
import { createApiIdentity } from "./identity.ts";

/** A request for credentials for a cloud's simulated API. */
export interface CredentialsRequest {
  readonly tenant: string;
  readonly cloud: string;
  /** Whether to invalidate all earlier credentials of the tenant. */
  readonly rotate: boolean;
  readonly region: string | undefined;
  /** The cloud's own id for the account, if the platform knows it. */
  readonly cloudAccount?: string | undefined;
  readonly origin: CredentialOrigin;
  /** The host's HTTPS address. */
  readonly secureAddress: string;
}

/** Issues credentials for a host in another process that shares this one's secret and inventory. */
export async function issueApiCredentials(
  deps: { readonly secret: Secret; readonly inventory: Inventory; readonly clock: Clock },
  { tenant, cloud, rotate, region, cloudAccount, origin, secureAddress }: CredentialsRequest,
): Promise<IssuedCredentials & { readonly caPem: string; readonly address: string }> {
  const { secret, inventory, clock } = deps;
  const api = listSimulatedApis().find((each) => each.cloud === cloud);
  if (api === undefined) throw new Fault(simulatorFaults.api_not_simulated, `the API of the cloud "${cloud}" is not simulated`);
  const identity = createApiIdentity(deps);
  if (rotate) await identity.rotate(tenant);
  const caPem = createHostAuthority(secret.reveal()).certificatePem;
  const address = secureAddress.replace(/^https:/, "http:");
  const checks = { isTenant: () => true, isSourceValid: async () => true, lastingKeys: false };
  const service = { inventory, keys: inventory, identity, clock, ...checks, nowFor: async () => clock.now() };
  const place = { address, secureAddress, caPem, region, cloudAccount, origin };
  const issued = await api.service.issueCredentials(tenant, service, place);
  return { ...issued, caPem, address: secureAddress };
}
