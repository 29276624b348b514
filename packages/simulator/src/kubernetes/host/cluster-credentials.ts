import { Secret } from "@cloudwright/platform";
import type { ClusterRecord } from "../objects/kubernetes-objects.ts";
import { createClusterAccess, renderKubeconfig, type ClusterAccess, type ClusterRole } from "./cluster-access.ts";
import { createAuthority, type Identity } from "./identity.ts";

/** The address and certificate authorities of a cluster, for clients that build their own kubeconfig. */
export interface ClusterEndpoint {
  readonly server: string;
  /**
   * The cluster's certificate authority, followed by the host's. Clients that send no server name need the host's certificate authority.
   */
  readonly certificateAuthorityPem: string;
  readonly tlsServerName: string;
}

/** The credentials with which clients access a cluster. */
export interface ClusterCredentials {
  readonly endpoint: ClusterEndpoint;
  /** Returns a token for the role. The token is valid until `expiresAt`, or indefinitely if `expiresAt` is omitted. */
  tokenFor(role: ClusterRole, expiresAt?: Date): Secret;
  /**
   * Returns a kubeconfig with a token for the role. The token is valid until `expiresAt`, or indefinitely if `expiresAt` is omitted.
   * `source` identifies the credential that was used to request the kubeconfig.
   */
  kubeconfigFor(role: ClusterRole, expiresAt?: Date, source?: string): Secret;
}

/** A fixed date, so that the host's certificate authority remains the same across restarts. */
export const foundedMs: number = Date.UTC(2026, 0, 1);

/** Creates the certificate authority of the host. */
export function createHostAuthority(secret: string): Identity {
  return createAuthority(secret, "simulated-clusters", foundedMs);
}

/** Derives a cluster's credentials from the secret and the cluster's address. The cluster need not be running. */
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
    tokenFor: (role, expiresAt) => new Secret(access.tokenFor(role, expiresAt)),
    kubeconfigFor(role, expiresAt, source) {
      const { server, tlsServerName, certificateAuthorityPem } = endpoint;
      return new Secret(
        renderKubeconfig(id, server, tlsServerName, certificateAuthorityPem, access.tokenFor(role, expiresAt, source), role),
      );
    },
  };
}
