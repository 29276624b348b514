import { expect, test } from "vitest";
import type { KubeObject } from "../cluster/kube-object.ts";
import { builtInKinds, type Kind } from "../kinds/kinds.ts";
import { matchesSelector, parseFieldSelector, parseLabelSelector } from "./selectors.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "n", labels: { app: "web", tier: "a" } },
  spec: { nodeName: "n1" },
  status: { phase: "Running" },
} as unknown as KubeObject;
const kindOf = (resource: string): Kind => builtInKinds.find((kind) => kind.resource === resource) as Kind;

test("M130 label selectors match in every notation that kubectl uses", () => {
  const does = (text: string): boolean => parseLabelSelector(text)(pod);
  for (const text of ["app=web", "app==web,tier!=b", "tier in (a, b),app", "!canary", "tier notin (b)", "app!=other"])
    expect([text, does(text)]).toEqual([text, true]);
  for (const text of ["app=x", "canary", "tier in (b)", "!app", "tier notin (a,b)"])
    expect([text, does(text)]).toEqual([text, false]);
  expect(() => parseLabelSelector("a b c")).toThrow(expect.objectContaining({ code: 400 }));
  expect(
    matchesSelector(
      { matchLabels: { app: "web" }, matchExpressions: [{ key: "tier", operator: "In", values: ["a"] }] },
      pod.metadata.labels,
    ),
  ).toBe(true);
  expect(matchesSelector(undefined, pod.metadata.labels)).toBe(false);
});

test("M130 field selectors accept only the selectable fields of the kind", () => {
  const does = (text: string): boolean => parseFieldSelector(kindOf("pods"), [], text)(pod);
  expect(does("spec.nodeName=n1,status.phase!=Failed,metadata.namespace=n")).toBe(true);
  expect(does("metadata.name==q")).toBe(false);
  expect(() => parseFieldSelector(kindOf("configmaps"), [], "spec.nodeName=n1")).toThrow(expect.objectContaining({ code: 400 }));
  expect(() => parseFieldSelector(kindOf("pods"), [], "nonsense")).toThrow(expect.objectContaining({ code: 400 }));
});
