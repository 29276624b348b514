import { timingSafeEqual } from "node:crypto";
import { stringify } from "yaml";
import type { ClusterRecord } from "../objects/kubernetes-objects.ts";
import { mastersGroup, viewersGroup, type User } from "../rbac/user.ts";
import { createAuthority, createServerIdentity, derive, type Identity } from "./identity.ts";

/** The role of the user in a kubeconfig. */
export type ClusterRole = "admin" | "viewer";

/** The identities and tokens of a cluster and its clients. All of them are derived from a secret; none is stored. */
export interface ClusterAccess {
  readonly authority: Identity;
  readonly server: Identity;
  readonly serverName: string;
  readonly tokenKey: Buffer;
  /** Returns a token that is valid until `expiresAt`, or as long as the cluster exists. */
  tokenFor(role: ClusterRole, expiresAt?: Date): string;
  findUser(token: string, nowMs: number): User | undefined;
}

const users: Record<ClusterRole, User> = {
  admin: { name: "cloudwright:admin", groups: [mastersGroup, "system:authenticated"] },
  viewer: { name: "cloudwright:viewer", groups: [viewersGroup, "system:authenticated"] },
};

/** Derives a cluster's access from the installation's secret. */
export function createClusterAccess(secret: string, record: ClusterRecord): ClusterAccess {
  const { id, createdAtMs } = record;
  const authority = createAuthority(secret, `simulated-${id}`, createdAtMs);
  const serverName = serverNameOf(id);
  const server = createServerIdentity(
    secret,
    authority,
    [serverName, "kubernetes", "kubernetes.default.svc", "localhost"],
    ["127.0.0.1"],
    createdAtMs,
  );
  // The creation time ensures that a new cluster with the same id does not accept old tokens.
  const prove = (claim: string): string => derive(secret, `token ${id} ${createdAtMs} ${claim}`).toString("base64url");
  const tokenFor = (role: ClusterRole, expiresAt?: Date): string => {
    if (expiresAt === undefined) return prove(role);
    const claim = `${role}.${Math.floor(expiresAt.getTime() / 1000)}`;
    return `${claim}.${prove(claim)}`;
  };
  return {
    authority,
    server,
    serverName,
    tokenKey: derive(secret, `service accounts ${id} ${createdAtMs}`),
    tokenFor,
    findUser(token, nowMs) {
      const [, until] = /^\w+\.(\d{1,12})\./.exec(token) ?? [];
      if (until !== undefined && Number(until) * 1000 <= nowMs) return undefined;
      const expiresAt = until === undefined ? undefined : new Date(Number(until) * 1000);
      const given = Buffer.from(token);
      return (["admin", "viewer"] as const)
        .filter((role) => {
          const expected = Buffer.from(tokenFor(role, expiresAt));
          return expected.length === given.length && timingSafeEqual(expected, given);
        })
        .map((role) => users[role])[0];
    },
  };
}

const suffix = ".clusters.simulated";

/** Returns the TLS server name with which a client selects the cluster. */
function serverNameOf(id: string): string {
  return `${id}${suffix}`;
}

/** Extracts the cluster id from a TLS server name. */
export function clusterOfServerName(name: string): string | undefined {
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
}

/** Renders a kubeconfig with one cluster, one user and one context. */
export function printKubeconfig(
  id: string,
  server: string,
  serverName: string,
  authorityPem: string,
  token: string,
  role: ClusterRole,
): string {
  const name = role === "admin" ? id : `${id}-${role}`;
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [
      {
        name: id,
        cluster: {
          server,
          "tls-server-name": serverName,
          "certificate-authority-data": Buffer.from(authorityPem).toString("base64"),
        },
      },
    ],
    contexts: [{ name, context: { cluster: id, user: name } }],
    users: [{ name, user: { token } }],
  });
}
