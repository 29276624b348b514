/** Returns a typical request to create a cluster, with labels, a version, an endpoint, address ranges and an add-on. */
export function clusterInput(
  name: string,
  network: string,
  labels: Readonly<Record<string, string>> = { tier: "prod", team: "shop" },
): object {
  return {
    metadata: { name, labels, annotations: { "example.com/owner": "shop@example.com" } },
    spec: {
      network,
      version: "v1.34",
      workers: 3,
      instanceType: "m7g.large",
      endpoint: { public: true, publicCidrs: ["192.0.2.0/24"] },
      networking: { podCidr: "172.16.0.0/16", serviceCidr: "172.20.0.0/16" },
      addOns: [{ name: "metrics-server", version: "3.12" }],
    },
  };
}
