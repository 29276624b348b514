import type { KubeObject } from "@cloudwright/kube";
import type { Sweeper } from "./sweeper.ts";

/** Lists objects that may have a load balancer: Services of type LoadBalancer, Ingresses and Gateways. */
export async function listEntrances(sweeper: Pick<Sweeper, "list">): Promise<readonly KubeObject[]> {
  const services = (await sweeper.list({ apiVersion: "v1", kind: "Service" })).filter(
    ({ spec }) => spec?.type === "LoadBalancer",
  );
  const found = services.map((object) => ({ ...object, kind: "Service" }));
  for (const kind of ["Ingress", "Gateway"]) {
    const group = kind === "Ingress" ? "networking.k8s.io" : "gateway.networking.k8s.io";
    const entrances = await sweeper.list({ apiVersion: `${group}/v1`, kind });
    found.push(...entrances.map((object) => ({ ...object, kind })));
  }
  return found;
}

/** Deletes the objects that may have a load balancer. */
export async function removeEntrances(sweeper: Sweeper): Promise<void> {
  for (const entrance of await listEntrances(sweeper)) await sweeper.remove(entrance);
}
