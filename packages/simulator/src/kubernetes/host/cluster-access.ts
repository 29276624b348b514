import { timingSafeEqual } from "node:crypto";
import { stringify } from "yaml";
import type { ClusterRecord } from "../objects/kubernetes-objects.ts";
import { mastersGroup, viewersGroup, type User } from "../rbac/user.ts";
import { createAuthority, createServerIdentity, derive, type Identity } from "./identity.ts";

/** The role of the user in a kubeconfig. */
export type ClusterRole = "admin" | "viewer";

/** The credential that was used to request a token, and the requested role. */
export interface TokenOrigin {
  readonly source: string;
  readonly role: ClusterRole;
}

/** The properties of a token other than its user. */
export interface Credential {
  /** The credential that was used to request the token. Undefined if the token names no credential. */
  readonly origin?: TokenOrigin;
  /** Undefined if the token never expires, or if only its issuer knows when it expires. */
  readonly expiresAtMs?: number;
}

/** The identities and tokens of a cluster and its clients. All of them are derived from a secret and never stored. */
export interface ClusterAccess {
  readonly authority: Identity;
  readonly server: Identity;
  readonly serverName: string;
  readonly tokenKey: Buffer;
  /**
   * Returns a token that is valid until `expiresAt`. If `expiresAt` is omitted, the token is valid as long as the cluster exists.
   * `source` identifies the credential that was used to request the token, and consists of letters, digits, `_`, `-` and `~`.
   */
  tokenFor(role: ClusterRole, expiresAt?: Date, source?: string): string;
  /** Returns the user and the origin of a token that `tokenFor` returned. Returns undefined if the token is not valid. */
  findHolder(token: string, nowMs: number): (Credential & { readonly user: User }) | undefined;
}

const users: Record<ClusterRole, User> = {
  admin: { name: "cloudwright:admin", groups: [mastersGroup, "system:authenticated"] },
  viewer: { name: "cloudwright:viewer", groups: [viewersGroup, "system:authenticated"] },
};

/** Matches a token that expires: role, expiry in seconds, optionally its source, and the authentication code. */
const expiring = /^(?<role>admin|viewer)\.(?<until>\d{1,12})(?:\.(?<source>[\w~-]{1,128}))?\.[\w-]{43}$/;

/** Derives a cluster's access from the installation's secret. If `lasting` is false, tokens that never expire are rejected. */
export function createClusterAccess(
  secret: string,
  record: ClusterRecord,
  { lasting = true }: { readonly lasting?: boolean | undefined } = {},
): ClusterAccess {
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
  const tokenFor = (role: ClusterRole, expiresAt?: Date, source?: string): string => {
    if (expiresAt === undefined) return prove(role);
    const claim = [role, Math.floor(expiresAt.getTime() / 1000), ...(source === undefined ? [] : [source])].join(".");
    return `${claim}.${prove(claim)}`;
  };
  const findHolder = (token: string, nowMs: number): (Credential & { readonly user: User }) | undefined => {
    const { until, source } = expiring.exec(token)?.groups ?? {};
    if (until === undefined ? !lasting : Number(until) * 1000 <= nowMs) return undefined;
    const expiresAt = until === undefined ? undefined : new Date(Number(until) * 1000);
    const given = Buffer.from(token);
    const role = (["admin", "viewer"] as const).find((candidate) => {
      const expected = Buffer.from(tokenFor(candidate, expiresAt, source));
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
    return (
      role && {
        user: users[role],
        ...(source !== undefined && { origin: { source, role } }),
        ...(expiresAt !== undefined && { expiresAtMs: expiresAt.getTime() }),
      }
    );
  };
  return {
    authority,
    server,
    serverName,
    tokenKey: derive(secret, `service accounts ${id} ${createdAtMs}`),
    tokenFor,
    findHolder,
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
export function renderKubeconfig(
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
