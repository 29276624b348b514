import { Fault } from "@cloudwright/platform";
import { isOwnSession, type AuditedChange, type AuditedResource } from "../cloud-provider.ts";
import { revealed, type CredentialSource } from "./credentials.ts";
import { endpointFor, suffixOf, type AwsEndpoints } from "./endpoints.ts";
import { toCloudFault } from "./refusals.ts";
import { Sha256 } from "./sha256.ts";

/** CloudTrail allows two lookups per second and account, so only the first resources are looked up. */
const mostResources = 10;
const attemptMs = 10_000;

/**
 * Returns who changed each resource last, according to CloudTrail. CloudTrail covers the last 90 days, and events appear after a few
 * minutes.
 */
export async function findAwsAuthors(
  source: CredentialSource,
  { region, endpoints }: { readonly region: string; readonly endpoints: AwsEndpoints },
  resources: readonly AuditedResource[],
): Promise<readonly AuditedChange[]> {
  const found: AuditedChange[] = [];
  for (const resource of resources.slice(0, mostResources)) {
    const events = await lookUp(source, region, endpoints, resource.id);
    const { accessKeyId } = revealed(await source.get());
    // Events come newest first. If the platform made the last change, the resource has no external author.
    const last = events.find((event) => event.ReadOnly !== "true" && !hasFailed(event));
    if (last?.Username === undefined || isOwnSession(last.Username) || last.AccessKeyId === accessKeyId) continue;
    found.push({ ...resource, author: last.Username, action: last.EventName ?? "", at: new Date((last.EventTime ?? 0) * 1000) });
  }
  return found;
}

interface TrailEvent {
  readonly EventName?: string;
  /** Seconds since 1970. */
  readonly EventTime?: number;
  readonly Username?: string;
  readonly AccessKeyId?: string;
  readonly ReadOnly?: string;
  /** The complete event as JSON text. */
  readonly CloudTrailEvent?: string;
}

function hasFailed({ CloudTrailEvent: text = "{}" }: TrailEvent): boolean {
  try {
    return (JSON.parse(text) as { errorCode?: unknown }).errorCode !== undefined;
  } catch {
    return false;
  }
}

async function lookUp(
  source: CredentialSource,
  region: string,
  endpoints: AwsEndpoints,
  resource: string,
): Promise<readonly TrailEvent[]> {
  const doing = "look up events in CloudTrail";
  try {
    const { SignatureV4 } = await import("@smithy/signature-v4");
    const url = new URL(endpointFor(endpoints, "cloudtrail") ?? `https://cloudtrail.${region}.${suffixOf(region)}`);
    const attribute = { AttributeKey: "ResourceName", AttributeValue: resource };
    const body = JSON.stringify({ LookupAttributes: [attribute], MaxResults: 20 });
    const signer = new SignatureV4({ service: "cloudtrail", region, sha256: Sha256, credentials: revealed(await source.get()) });
    const signed = await signer.sign({
      method: "POST",
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port === "" ? {} : { port: Number(url.port) }),
      path: "/",
      headers: {
        host: url.host,
        "content-type": "application/x-amz-json-1.1",
        "x-amz-target": "com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101.LookupEvents",
      },
      body,
    });
    const { host: _host, ...headers } = signed.headers;
    const response = await fetch(new URL("/", url), { method: "POST", headers, body, signal: AbortSignal.timeout(attemptMs) });
    const answer = (await response.json()) as Readonly<Record<string, unknown>>;
    if (response.ok) return (answer["Events"] ?? []) as readonly TrailEvent[];
    const { __type: type, message } = answer;
    const name = typeof type === "string" ? (type.split("#").at(-1) ?? "") : "";
    throw Object.assign(new Error(typeof message === "string" ? message : `status ${response.status}`), { name });
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw toCloudFault(error, doing);
  }
}
