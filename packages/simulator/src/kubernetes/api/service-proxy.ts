import type { Answer, ResourceCall } from "./call.ts";
import { StatusError } from "./status-error.ts";
import { getObject } from "./update.ts";

/** Annotations of a Service that set the status and the body of its simulated responses. */
const simulatedResponse = {
  status: "cloudwright.dev/simulated-status",
  body: "cloudwright.dev/simulated-body",
} as const;

/**
 * Answers a request that the API server would pass on to a service, such as `services/web:80/proxy/healthz`. No process runs in a simulated
 * cluster, so the Service's annotations define the response. Without annotations, the response is 200 if the Service has ready pods.
 */
export function answerServiceProxy(call: ResourceCall): Answer {
  const [first = "", second, third] = call.name.split(":");
  const [name, port = ""] = third === undefined ? [first, second] : [second ?? "", third];
  const { metadata, spec } = getObject({ ...call, name, subresource: "" });
  const hasPort = (spec?.ports ?? []).some((each: any) => String(each.port) === port || each.name === port);
  const status = metadata.annotations?.[simulatedResponse.status];
  const isServed = status !== undefined || hasReadyPods(call, name);
  if (!hasPort || !isServed) throw new StatusError(503, "ServiceUnavailable", `no endpoints available for service "${name}"`, {});
  const body = metadata.annotations?.[simulatedResponse.body] ?? `simulated: service ${call.namespace}/${name} responds`;
  return { code: Number(status ?? 200), body, contentType: "text/plain" };
}

function hasReadyPods({ cluster, namespace }: ResourceCall, name: string): boolean {
  const endpoints = cluster.state.find("endpoints", namespace, name);
  return (endpoints?.["subsets"] ?? []).some((subset: any) => (subset.addresses ?? []).length > 0);
}
