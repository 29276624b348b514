import type { AddOn } from "../add-on.ts";
import { storageClass } from "./storage-class.ts";

/** Add-ons that AKS installs on request, each with the workload whose status shows whether the add-on is running. */
const managed: readonly (readonly [name: string, kind: string, workload: string, namespace?: string])[] = [
  ["app-routing", "Deployment", "nginx", "app-routing-system"],
  ["azure-policy", "Deployment", "azure-policy"],
  ["blob-csi-driver", "DaemonSet", "csi-blob-node"],
  ["keda", "Deployment", "keda-operator"],
  ["key-vault-secrets-provider", "DaemonSet", "aks-secrets-store-csi-driver"],
  ["vertical-pod-autoscaler", "Deployment", "vpa-recommender"],
];

/** The add-ons for AKS. AKS itself installs the network plug-in, the storage drivers, DNS and the metrics server. */
export const azureCatalogue: readonly AddOn[] = [storageClass, ...managed.map((each) => managedByAks(...each))];

function managedByAks(name: string, kind: string, workload: string, namespace = "kube-system"): AddOn {
  const install = { by: "cloud", managed: name, workload: { apiVersion: "apps/v1", kind, namespace, name: workload } } as const;
  return { name, order: 60, version: "", wanted: "asked", clouds: ["azure"], provisioners: ["terraform"], install };
}
