import { Fault, type Secret } from "@cloudwright/platform";
import type { SimulatedClusterRow } from "@cloudwright/store";
import { requireCaller, type Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import type { TokenRequest } from "./render-token-task.ts";

/** A kubeconfig with its expiry. `expiresAt` is undefined if the kubeconfig contains no credentials. */
export interface Access {
  readonly kubeconfig: Secret;
  readonly expiresAt?: Date;
}

const usualTtlSeconds = 3600;
/** The shortest token lifetime that clusters accept. */
const leastTtlSeconds = 600;

/**
 * Chooses the lifetime of a kubeconfig. The lifetime is rounded down to whole minutes to limit the number of cached tokens. The
 * kubeconfig never outlives the caller's API key.
 */
export function chooseTtl({ clock }: Pick<ApiDeps, "clock">, call: Call, asked: number): number {
  if (asked !== 0 && asked < leastTtlSeconds)
    throw invalid("the request", [{ field: "ttlSeconds", message: `must be 0 or at least ${leastTtlSeconds}` }]);
  const { keyExpiresAtMs = Number.POSITIVE_INFINITY } = requireCaller(call);
  const seconds = Math.min(asked || usualTtlSeconds, (keyExpiresAtMs - clock.now()) / 1000);
  if (seconds >= leastTtlSeconds) return Math.floor(seconds / 60) * 60;
  throw new Fault(apiFaults.denied, "a kubeconfig must be valid for at least ten minutes, but your API key expires sooner");
}

/** Creates a kubeconfig for a simulated cluster. Its token is derived on demand and not stored. */
export async function openSimulated(
  deps: ApiDeps,
  call: Call,
  cluster: SimulatedClusterRow,
  { role, ttlSeconds, entityUid }: TokenRequest & { readonly entityUid: string },
): Promise<Access> {
  if (deps.simulatedKubernetes === undefined)
    throw new Fault(apiFaults.clusters_not_served, "no replica serves simulated clusters");
  const expiresAt = new Date((Math.floor(deps.clock.now() / 1000) + ttlSeconds) * 1000);
  const { kubeconfigFor } = await deps.simulatedKubernetes.open(cluster);
  return { kubeconfig: kubeconfigFor(role, expiresAt, renderSource(call, entityUid)), expiresAt };
}

/**
 * Returns a string that links a kubeconfig to the caller's API key and an entity. The kubeconfig becomes invalid when the key is revoked
 * or rotated, or when the caller loses the role in the entity's project or environment. The entity is the cluster, or the account if no
 * entity represents the cluster.
 */
function renderSource(call: Call, entityUid: string): string | undefined {
  const { key } = requireCaller(call);
  return key && `${key.uid}~${key.prefix}~${entityUid}`;
}
