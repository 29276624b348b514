import { StatusError } from "../api/status-error.ts";
import { findAccount, readAccountToken, type AccountClaims } from "../api/service-account-token.ts";
import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import { serviceAccountUser, type User } from "../rbac/user.ts";
import type { ClusterAccess, Credential } from "./cluster-access.ts";

/** A caller with a valid credential. The credential can be verified without loading the cluster. */
export interface Caller {
  readonly credential: Credential;
  /** Returns the user. Throws `Unauthorized` if the service account of the token was deleted. */
  userIn(cluster: Pick<AwakeCluster, "state">): User;
}

/**
 * Verifies a bearer token without loading the cluster. Returns undefined if the token is not valid. `findOther` authenticates tokens that
 * the host did not issue.
 */
export async function findCaller(
  access: ClusterAccess,
  token: string,
  nowMs: number,
  findOther: (token: string) => Promise<User | undefined>,
): Promise<Caller | undefined> {
  if (token === "") return undefined;
  const own = access.findHolder(token, nowMs);
  if (own !== undefined) return { credential: own, userIn: () => own.user };
  const account = readAccountToken(access.tokenKey, token, nowMs);
  if (account !== undefined) return { credential: account, userIn: ({ state }) => userOf(state, account) };
  const other = await findOther(token);
  return other && { credential: {}, userIn: () => other };
}

function userOf(state: AwakeCluster["state"], account: AccountClaims): User {
  if (findAccount(state, account) === undefined) throw new StatusError(401, "Unauthorized", "Unauthorized");
  return serviceAccountUser(account.namespace, account.name);
}
