import { createHash } from "node:crypto";
import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import { timeText, type KubeObject } from "../cluster/kube-object.ts";
import { makeObject } from "../cluster/make-object.ts";

interface Happening {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly source: string;
}

// Real clusters delete events after an hour. The simulator limits their number instead.
const kept = 500;

/** Records an event for `kubectl describe` and `kubectl events`. A repeated event only increases its count. */
export function recordEvent(cluster: AwakeCluster, about: KubeObject, { type, reason, message, source }: Happening): void {
  const { state, clock } = cluster;
  const namespace = about.metadata.namespace ?? "default";
  const digest = createHash("sha256").update(`${about.metadata.uid} ${type} ${reason} ${message} ${source}`).digest("hex");
  const name = `${about.metadata.name.slice(0, 200)}.${digest.slice(0, 16)}`;
  const now = timeText(clock.now());
  const existing = state.find("events", namespace, name);
  if (existing !== undefined) {
    state.put("events", { ...existing, count: (existing["count"] ?? 1) + 1, lastTimestamp: now });
    return;
  }
  if (state.find("namespaces", "", namespace)?.metadata.deletionTimestamp !== undefined) return;
  const { apiVersion, kind, metadata } = about;
  const involvedObject = { apiVersion, kind, name: metadata.name, uid: metadata.uid, resourceVersion: metadata.resourceVersion };
  makeObject(cluster, "events", {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace },
    involvedObject: { ...involvedObject, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) },
    type,
    reason,
    message,
    source: { component: source },
    reportingComponent: source,
    reportingInstance: "",
    firstTimestamp: now,
    lastTimestamp: now,
    eventTime: null,
    count: 1,
  });
  forgetOldest(cluster);
}

function forgetOldest({ state }: AwakeCluster): void {
  const events = state.listKept("events");
  if (events.length <= kept * 1.2) return;
  const byAge = events.toSorted((left, right) =>
    String(left.object["lastTimestamp"]).localeCompare(String(right.object["lastTimestamp"])),
  );
  for (const { key } of byAge.slice(0, events.length - kept)) state.remove("events", key.namespace, key.name);
}
