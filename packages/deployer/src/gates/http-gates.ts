import { isPlainGatePath, type TaskSpec } from "@cloudwright/contract";
import type { KubeClient } from "@cloudwright/kube";
import { Fault, trimEnd } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";
import { fetchAllowed } from "./fetch-allowed.ts";
import { maxBodyBytes, renderExcerpt, type GateResult } from "./gate-result.ts";

export type Gate = NonNullable<TaskSpec<"Cluster">["upgrade"]>["gates"][number];
type Check<Case extends string> = Extract<Gate["check"], { case: Case }>["value"];

/** The Kubernetes client that gates use to reach services, and the external hosts that they may call. */
export interface GateReach {
  readonly client: KubeClient;
  readonly hosts: readonly string[];
}

/** Sends the request of an HTTP gate and checks the response. */
export async function tryHttp(reach: GateReach, gate: Check<"http">, signal: AbortSignal): Promise<GateResult> {
  const { status, text } = await get(reach, gate, { path: gate.path || "/", query: {} }, signal);
  const expected = gate.expectedStatus || 200;
  if (status !== expected) return fail(`the response has status ${status} instead of ${expected}`, text);
  if (!text.includes(gate.bodyContains)) return fail(`the response does not contain "${gate.bodyContains}"`, text);
  return { passed: true, message: `status ${status}` };
}

/** Runs the query of a metric gate and compares every value with the threshold. */
export async function tryMetric(reach: GateReach, gate: Check<"metric">, signal: AbortSignal): Promise<GateResult> {
  const { status, text } = await get(reach, gate, { path: "/api/v1/query", query: { query: gate.query } }, signal);
  if (status !== 200) return fail(`the query failed with status ${status}`, text);
  const values = readValues(text);
  if (values === undefined) return fail("the response is not a Prometheus query result", text);
  if (values.length === 0) return { passed: false, message: "the query returned no value" };
  const wrong = values.find((value) => !compare(value, gate.comparison, gate.threshold));
  const wanted = `${gate.comparison} ${gate.threshold}`;
  if (wrong !== undefined) return { passed: false, message: `the query returned ${wrong}, which is not ${wanted}` };
  return { passed: true, message: values.length === 1 ? `${values[0]} ${wanted}` : `${values.length} values, all ${wanted}` };
}

async function get(
  { client, hosts }: GateReach,
  { service, url }: Pick<Check<"http">, "service" | "url">,
  { path, query }: { readonly path: string; readonly query: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  if (service !== undefined) {
    // The request is sent with the agent's permissions in the cluster. A path with `..` segments or encoded characters could reach API
    // objects outside the service.
    if (!isPlainGatePath(path)) throw new Fault(deployerFaults.gate_refused, `the path ${path} is not allowed`);
    const { namespace, name, port, https } = service;
    return client.callService({ namespace, name, port, https, path, query, maxBytes: maxBodyBytes }, signal);
  }
  const target = new URL(url);
  if (Object.keys(query).length > 0) {
    target.pathname = `${trimEnd(target.pathname, "/")}${path}`;
    for (const [key, value] of Object.entries(query)) target.searchParams.set(key, value);
  }
  return fetchAllowed(target.href, { allowed: hosts, signal });
}

function fail(message: string, body: string): GateResult {
  const excerpt = renderExcerpt(body);
  return { passed: false, message: excerpt === "" ? message : `${message}: ${excerpt}` };
}

/** Reads the values of an instant query. Returns undefined if the text is not the result of an instant query. */
function readValues(text: string): number[] | undefined {
  try {
    const { status, data } = JSON.parse(text) as QueryResult;
    if (status !== "success" || data === undefined) return undefined;
    if (data.resultType === "scalar") return [Number((data.result as readonly [number, string])[1])];
    if (data.resultType !== "vector") return undefined;
    return (data.result as readonly { readonly value: readonly [number, string] }[]).map(({ value }) => Number(value[1]));
  } catch {
    return undefined;
  }
}

interface QueryResult {
  readonly status?: string;
  readonly data?: { readonly resultType?: string; readonly result?: unknown };
}

function compare(value: number, comparison: string, threshold: number): boolean {
  const holds: Readonly<Record<string, boolean>> = {
    "<": value < threshold,
    "<=": value <= threshold,
    ">": value > threshold,
    ">=": value >= threshold,
    "==": value === threshold,
    "!=": value !== threshold && !Number.isNaN(value),
  };
  return holds[comparison] === true;
}
