import { expect, test } from "vitest";
import type { KubeObject } from "./kube-object.ts";
import { isReady } from "./readiness.ts";

const workload = (kind: string, spec: KubeObject["spec"], status: KubeObject["status"]): KubeObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "w", namespace: "default", generation: 2 },
  spec,
  status: { observedGeneration: 2, ...status },
});

test.each([
  ["Deployment", { replicas: 2 }, { availableReplicas: 2 }, { updatedReplicas: 2 }],
  ["StatefulSet", { replicas: 2 }, { readyReplicas: 2 }, { updatedReplicas: 2 }],
  ["DaemonSet", {}, { desiredNumberScheduled: 2, numberAvailable: 2 }, { updatedNumberScheduled: 2 }],
])("M135 outdated pods do not make a %s ready", (kind, spec, available, renewed) => {
  expect(isReady(workload(kind, spec, available))).toContain("0 of 2 pods are up to date");
  expect(isReady(workload(kind, spec, { ...available, ...renewed }))).toBe(true);
  expect(isReady(workload(kind, spec, { ...available, ...renewed, observedGeneration: 1 }))).not.toBe(true);
});

test("M135 a set with manual or partial updates does not wait for new pods", () => {
  const available = { desiredNumberScheduled: 2, numberAvailable: 2 };
  expect(isReady(workload("DaemonSet", { updateStrategy: { type: "OnDelete" } }, available))).toBe(true);
  const partition = { replicas: 3, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } };
  expect(isReady(workload("StatefulSet", partition, { readyReplicas: 3, updatedReplicas: 1 }))).toBe(true);
});
