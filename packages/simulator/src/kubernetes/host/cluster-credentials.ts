import { Secret } from "@cloudwright/platform";
import type { ClusterRecord } from "../objects/kubernetes-objects.ts";
import { createClusterAccess, printKubeconfig, type ClusterAccess, type ClusterRole } from "./cluster-access.ts";
import { createAuthority, type Identity } from "./identity.ts";

/** How a cluster is reached, for those who write their own kubeconfig. */
export interface ClusterEndpoint {
  readonly server: string;
  /** The cluster's own authority, then that of the host, for clients that send no name in the TLS handshake. */
  readonly certificateAuthorityPem: string;
  readonly tlsServerName: string;
}

/** What is handed out to clients of a cluster. */
export interface ClusterCredentials {
  readonly endpoint: ClusterEndpoint;
  tokenFor(role: ClusterRole): Secret;
  /** A kubeconfig with a token of the role in it; with a time, one that works until then. */
  kubeconfigFor(role: ClusterRole, expiresAt?: Date): Secret;
}

/** A fixed day, so that the host's authority is the same after each start. */
export const foundedMs: number = Date.UTC(2026, 0, 1);

/** The authority of the host itself. */
export function createHostAuthority(secret: string): Identity {
  return createAuthority(secret, "simulated-clusters", foundedMs);
}

/** Derives what clients of a cluster need. Nobody has to serve the cluster for that: it is enough to know the secret and where it is served. */
export function createClusterCredentials(
  host: { readonly secret: Secret; readonly address: string },
  record: ClusterRecord,
  access: ClusterAccess = createClusterAccess(host.secret.reveal(), record),
): ClusterCredentials {
  const { id } = record;
  const authority = createHostAuthority(host.secret.reveal());
  const endpoint = {
    server: `${host.address}/clusters/${id}`,
    certificateAuthorityPem: `${access.authority.certificatePem}${authority.certificatePem}`,
    tlsServerName: access.serverName,
  };
  return {
    endpoint,
    tokenFor: (role) => new Secret(access.tokenFor(role)),
    kubeconfigFor(role, expiresAt) {
      const { server, tlsServerName, certificateAuthorityPem } = endpoint;
      return new Secret(
        printKubeconfig(id, server, tlsServerName, certificateAuthorityPem, access.tokenFor(role, expiresAt), role),
      );
    },
  };
}
