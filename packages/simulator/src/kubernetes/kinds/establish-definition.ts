import { timeText, type KubeObject } from "../cluster/kube-object.ts";

/** The finalizer that delays the deletion of a definition until all its objects have been deleted. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** Marks a CustomResourceDefinition as established. Its kinds are served from the next request on. Modifies the object. */
export function establishDefinition(definition: KubeObject, nowMs: number): void {
  const { names, versions = [] } = definition.spec;
  names.singular ??= String(names.kind).toLowerCase();
  names.listKind ??= `${names.kind}List`;
  definition.spec.conversion ??= { strategy: "None" };
  const { metadata } = definition;
  if (metadata.deletionTimestamp === undefined)
    metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), cleanupFinalizer])];
  const lastTransitionTime = timeText(nowMs);
  const storage = versions.find((version: any) => version.storage)?.name;
  const kept = (definition.status?.conditions ?? []) as any[];
  const conditions = [
    { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
    { type: "Established", status: "True", reason: "InitialNamesAccepted", message: "the initial names have been accepted" },
  ].map((condition) => kept.find((one) => one.type === condition.type) ?? { lastTransitionTime, ...condition });
  const stored = (definition.status?.storedVersions ?? []) as string[];
  definition.status = {
    conditions,
    acceptedNames: names,
    storedVersions: stored.includes(storage) ? stored : [...stored, storage],
  };
}
