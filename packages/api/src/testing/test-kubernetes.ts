import { Secret } from "@cloudwright/platform";
import type { SimulatedKubernetes } from "../simulator/simulated-kubernetes.ts";

/** Creates a stand-in for the simulated clusters that starts no server. The credentials it returns contain the id of their cluster. */
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
  };
}
