import { Fault } from "@cloudwright/platform";
import { revealed, type CredentialSource } from "./credentials.ts";
import { endpointFor, suffixOf, type AwsEndpoints } from "./endpoints.ts";
import { toCloudFault } from "./refusals.ts";
import { Sha256 } from "./sha256.ts";

const attemptMs = 10_000;

/**
 * A call to an AWS service with a JSON protocol. Used instead of an SDK client for services of which the platform uses only one
 * operation.
 */
export interface JsonCall {
  readonly region: string;
  readonly endpoints: AwsEndpoints;
  /** The service's name in host names and signatures, for example `cloudtrail`. */
  readonly service: string;
  /** Value of the `x-amz-target` header. */
  readonly target: string;
  /** Completes the message "AWS could not ...". */
  readonly doing: string;
  readonly body: object;
}

/** Signs and sends one call. Throws a fault if AWS rejects it. */
export async function callJson(
  source: CredentialSource,
  { region, endpoints, service, target, doing, body }: JsonCall,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { SignatureV4 } = await import("@smithy/signature-v4");
    const url = new URL(endpointFor(endpoints, service) ?? `https://${service}.${region}.${suffixOf(region)}`);
    const text = JSON.stringify(body);
    const signer = new SignatureV4({ service, region, sha256: Sha256, credentials: revealed(await source.get()) });
    const signed = await signer.sign({
      method: "POST",
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port === "" ? {} : { port: Number(url.port) }),
      path: "/",
      headers: { host: url.host, "content-type": "application/x-amz-json-1.1", "x-amz-target": target },
      body: text,
    });
    const { host: _host, ...headers } = signed.headers;
    const response = await fetch(new URL("/", url), {
      method: "POST",
      headers,
      body: text,
      signal: AbortSignal.timeout(attemptMs),
    });
    const answer = (await response.json()) as Readonly<Record<string, unknown>>;
    if (response.ok) return answer;
    const { __type: type, message } = answer;
    const name = typeof type === "string" ? (type.split("#").at(-1) ?? "") : "";
    throw Object.assign(new Error(typeof message === "string" ? message : `status ${response.status}`), { name });
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw toCloudFault(error, doing);
  }
}
