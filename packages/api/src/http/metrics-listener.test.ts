import { expect, onTestFinished, test } from "vitest";
import { openMetricsListener } from "./metrics-listener.ts";
import { createMetrics } from "./metrics.ts";

test("X063 the metrics listener serves metrics without a credential, and nothing else", async () => {
  const metrics = createMetrics({ watchers: () => 3, connections: () => 5, bodyBytes: () => 0 });
  const { address, close } = await openMetricsListener(metrics, { host: "127.0.0.1", port: 0 });
  onTestFinished(close);
  const read = (path: string, method = "GET"): Promise<Response> => fetch(`http://127.0.0.1:${address.port}${path}`, { method });
  const scraped = await read("/metrics");
  expect([scraped.status, scraped.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/plain")]);
  expect(await scraped.text()).toMatch(/^cloudwright_watchers 3$[^]*^cloudwright_connections 5$/m);
  expect((await read("/metrics?name=x", "HEAD")).status).toBe(200);
  for (const path of ["/", "/v1/projects", "/healthz", "/metrics/x", "/openapi.json"])
    expect([path, (await read(path)).status]).toEqual([path, 404]);
  for (const method of ["POST", "PUT", "DELETE", "PATCH"])
    expect([method, (await read("/metrics", method)).status]).toEqual([method, 404]);
});

test("X063 a metrics listener on an address in use reports it", async () => {
  const metrics = createMetrics({ watchers: () => 0, connections: () => 0, bodyBytes: () => 0 });
  const first = await openMetricsListener(metrics, { host: "127.0.0.1", port: 0 });
  onTestFinished(first.close);
  const second = openMetricsListener(metrics, { host: "127.0.0.1", port: first.address.port });
  await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
});
