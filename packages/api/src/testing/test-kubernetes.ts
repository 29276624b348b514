import { Secret } from "@cloudwright/platform";
import type { SimulatedKubernetes } from "../simulator/simulated-kubernetes.ts";

/**
 * Creates a stand-in for the simulated clusters that does not start a server. Each credential that it returns contains the id of its
 * cluster.
 */
export function createTestKubernetes(notified: () => void = () => undefined): SimulatedKubernetes {
  return {
    notify: notified,
    open: async ({ id, createdAtMs }) => ({
      endpoint: `https://clusters/${id}`,
      caPem: `authority of ${id} ${createdAtMs}`,
      tokenFor: (role, expiresAt) => new Secret(`${role} of ${id} until ${expiresAt.toISOString()}`),
      kubeconfigFor: (role, expiresAt, source) =>
        new Secret(`kubeconfig: ${role} of ${id} until ${expiresAt.toISOString()} for ${source ?? "nobody"}\n`),
    }),
    issueCredentials: async ({ uid, cloud }, { rotate, region, source, expiresAtMs }) => ({
      environment: { KEY: `${uid} ${cloud} ${region} ${rotate}`, SOURCE: source, EXPIRES_AT: String(expiresAtMs) },
      address: "https://127.0.0.1:8483",
      caPem: "pem",
    }),
  };
}
