import { isOwnSession, type AuditedChange, type AuditedResource } from "../cloud-provider.ts";
import { revealed, type CredentialSource } from "./credentials.ts";
import { callJson } from "./call-json.ts";
import type { AwsEndpoints } from "./endpoints.ts";

/** CloudTrail allows two lookups per second per account, so only the first few resources are looked up. */
const mostResources = 10;

/**
 * Returns who last changed each resource, according to CloudTrail. CloudTrail covers the last 90 days, and events appear after a few
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
  /** Seconds since the Unix epoch. */
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
  const attribute = { AttributeKey: "ResourceName", AttributeValue: resource };
  const answer = await callJson(source, {
    region,
    endpoints,
    service: "cloudtrail",
    target: "com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101.LookupEvents",
    doing: "look up events in CloudTrail",
    body: { LookupAttributes: [attribute], MaxResults: 20 },
  });
  return (answer["Events"] ?? []) as readonly TrailEvent[];
}
