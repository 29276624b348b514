import { Fault } from "@cloudwright/platform";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { reachesPlatform, requireCaller, type Call } from "../calls/authorise.ts";
import { apiFaults } from "../faults.ts";

export interface Metrics {
  observeRequest(labels: { method: string; route: string; status: number }, seconds: number): void;
  render(): Promise<{ contentType: string; text: string }>;
}

export function createMetrics(sources: { watchers: () => number; connections: () => number; bodyBytes: () => number }): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "cloudwright_request_duration_seconds",
    help: "Response time by method, route and status",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const watchers: Gauge = new Gauge({
    name: "cloudwright_watchers",
    help: "Open watch streams",
    registers: [registry],
    collect: (): void => watchers.set(sources.watchers()),
  });
  const connections: Gauge = new Gauge({
    name: "cloudwright_connections",
    help: "Open connections to the API port",
    registers: [registry],
    collect: (): void => connections.set(sources.connections()),
  });
  const bodyBytes: Gauge = new Gauge({
    name: "cloudwright_request_body_bytes",
    help: "Memory for the bodies of requests in progress",
    registers: [registry],
    collect: (): void => bodyBytes.set(sources.bodyBytes()),
  });
  return {
    observeRequest: ({ method, route, status }, seconds) => requests.observe({ method, route, status: String(status) }, seconds),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

/** Throws unless the caller may read metrics. Metrics cover all projects, so a role in a single project is not enough. */
export function requireScraper(call: Call): void {
  if (!reachesPlatform(requireCaller(call), "viewer"))
    throw new Fault(apiFaults.denied, "reading metrics requires the viewer role on the whole platform");
}
