import type { Sweeper } from "./sweeper.ts";

/** Deletes objects that may have a load balancer: Services of type LoadBalancer, Ingresses and Gateways. */
export async function removeEntrances(sweeper: Sweeper): Promise<void> {
  const services = await sweeper.list({ apiVersion: "v1", kind: "Service" });
  for (const service of services) if (service.spec?.type === "LoadBalancer") await sweeper.remove(service);
  for (const kind of ["Ingress", "Gateway"]) {
    const group = kind === "Ingress" ? "networking.k8s.io" : "gateway.networking.k8s.io";
    for (const entrance of await sweeper.list({ apiVersion: `${group}/v1`, kind })) await sweeper.remove(entrance);
  }
}
