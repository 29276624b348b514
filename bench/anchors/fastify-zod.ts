/**
 * Baseline for benchmark P4: a hand-written server for clusters, built on Fastify and Zod. It runs the same SQL statements as the product,
 * each as a separate query. It checks the key, role, environment and default policies, and produces the same log line, metrics and
 * responses. It has no other endpoints, kinds, watches or limits.
 */
import { createLogger, createUid, Fault, processEnvironment } from "@cloudwright/platform";
import { createPool, createVersions, findEntity, findLineage, findReferences, insertEntity } from "@cloudwright/store";
import { fastify } from "fastify";
import type { AddressInfo } from "node:net";
import { collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { z } from "zod";
import { authenticate, authorise, Refusal } from "./caller.ts";
import { buildCluster } from "./cluster-entity.ts";
import { clusterSchema, placeSchema, refSchema } from "./cluster-schema.ts";

const log = createLogger({ level: "info", name: "fastify-zod" });
const pool = createPool({ url: processEnvironment["DATABASE_URL"] ?? "" });
const versions = createVersions(pool);
const registry = new Registry();
collectDefaultMetrics({ register: registry });
const requests = new Histogram({
  name: "request_duration_seconds",
  help: "Response time by method, route and status",
  labelNames: ["method", "route", "status"],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  registers: [registry],
});

const app = fastify({ logger: false, genReqId: () => createUid(Date.now()), bodyLimit: 1024 * 1024, keepAliveTimeout: 72_000 });

app.addHook("onRequest", (request, reply, next) => {
  reply.header("x-request-id", request.id);
  reply.header("x-content-type-options", "nosniff");
  reply.header("cache-control", "no-store");
  next();
});
app.addHook("onResponse", (request, reply, next) => {
  const { method } = request;
  const route = request.routeOptions.url ?? "none";
  const status = reply.statusCode;
  requests.observe({ method, route, status: String(status) }, reply.elapsedTime / 1000);
  log.info({ requestId: request.id, method, route, status, ms: Math.round(reply.elapsedTime) }, "request");
  next();
});
app.setErrorHandler((error, _request, reply) => {
  const status =
    error instanceof z.ZodError
      ? 400
      : error instanceof Fault
        ? error.httpStatus
        : ((error as Partial<Refusal>).statusCode ?? 500);
  return reply.code(status).send({ status, detail: error instanceof Error ? error.message : "failed" });
});

app.post("/v1/projects/:project/clusters", async (request, reply) => {
  const caller = await authenticate(pool, request.headers.authorization);
  const { project } = placeSchema.parse(request.params);
  const reaches = authorise(caller, project, "editor");
  const input = clusterSchema.parse(request.body);
  const { environment } = input.metadata;
  const [network, group] = await findReferences(pool, [
    { kind: "Network", project, ref: input.spec.network },
    ...(environment === "" ? [] : [{ kind: "Environment", project, ref: environment }]),
  ]);
  if (network === undefined || !reaches(network.environment)) throw new Refusal(400, `no network "${input.spec.network}"`);
  if (environment !== "" && group === undefined) throw new Refusal(400, `no environment "${environment}"`);
  if (!reaches(group?.name ?? network.environment)) throw new Refusal(403, "not in this environment");
  const { infra } = input.spec;
  if (infra !== undefined && (infra.approval !== "" || infra.overrides !== undefined || infra.backend !== undefined))
    authorise(caller, project, "admin");
  const above = await findLineage(pool, network.uid);
  const call = { caller, project, source: request.ip, requestId: request.id };
  const numbers = [await versions.next(), await versions.next(), await versions.next()] as const;
  const { insert, trace, operation } = buildCluster(call, input, network, above, group, numbers);
  await insertEntity(pool, insert, trace, { operations: [operation], wakes: [insert.uid] });
  reply.header("etag", `"${insert.resourceVersion}"`).header("location", `${request.url}/${insert.name}`);
  reply.header("operation-location", `/v1/projects/${project}/operations/${operation.name}`);
  return reply.code(202).type("application/json; charset=utf-8").send(insert.object);
});

app.get("/v1/projects/:project/clusters/:name", async (request, reply) => {
  const caller = await authenticate(pool, request.headers.authorization);
  const { project, name } = refSchema.parse(request.params);
  const reaches = authorise(caller, project, "viewer");
  const row = await findEntity(pool, { kind: "Cluster", project, namingScope: "", ref: name });
  if (row === undefined || !reaches(row.environment)) throw new Refusal(404, `no cluster "${name}"`);
  return reply.header("etag", `"${row.resource_version}"`).type("application/json; charset=utf-8").send(row.object);
});

await app.listen({ host: "127.0.0.1", port: 0 });
process.stdout.write(`serves http://127.0.0.1:${(app.server.address() as AddressInfo).port}\n`);
process.on(
  "SIGTERM",
  () =>
    void app
      .close()
      .then(() => pool.close())
      .then(() => process.exit(0)),
);
