import type { AddOn } from "../add-on.ts";
import { storageClass } from "./storage-class.ts";

/** Components of GKE that users can list as add-ons, each with the workload whose status shows whether the component is running. */
const managed: readonly (readonly [name: string, kind: string, workload: string])[] = [
  ["kube-dns", "Deployment", "kube-dns"],
  ["node-local-dns", "DaemonSet", "node-local-dns"],
  ["persistent-disk-csi-driver", "DaemonSet", "pdcsi-node"],
];

/** GKE comes with a metrics server, DNS, ingress and gateway classes, so only the default storage class is added. */
export const gcpCatalogue: readonly AddOn[] = [storageClass, ...managed.map((each) => managedByGke(...each))];

/** Returns whether GKE itself installs this add-on. */
export function isManagedAddOn(name: string): boolean {
  return managed.some(([known]) => known === name);
}

function managedByGke(name: string, kind: string, workload: string): AddOn {
  const install = {
    by: "cloud",
    managed: name,
    workload: { apiVersion: "apps/v1", kind, namespace: "kube-system", name: workload },
  } as const;
  return { name, order: 60, version: "", wanted: "asked", clouds: ["gcp"], install };
}
