import { isOwnSession, type AuditedChange, type AuditedResource } from "../cloud-provider.ts";
import type { GcpApi } from "./api.ts";

/** Cloud Logging allows 60 reads per minute, so only the first few resources are looked up. */
const mostResources = 10;

interface LogEntry {
  readonly timestamp?: string;
  readonly protoPayload?: {
    readonly methodName?: string;
    readonly authenticationInfo?: { readonly principalEmail?: string; readonly principalSubject?: string };
    readonly requestMetadata?: { readonly callerSuppliedUserAgent?: string };
    readonly status?: { readonly code?: number };
  };
}

/**
 * Returns who last changed each resource, according to the Admin Activity audit log. Cloud Logging keeps this log for 400 days, and entries
 * appear after about a minute. `getIdentity` returns the identity of the platform itself.
 */
export async function findGcpAuthors(
  api: GcpApi,
  getIdentity: () => Promise<string>,
  resources: readonly AuditedResource[],
): Promise<readonly AuditedChange[]> {
  const found: AuditedChange[] = [];
  const own = resources.length === 0 ? "" : await getIdentity();
  for (const resource of resources.slice(0, mostResources)) {
    const last = (await lookUp(api, resource.id)).find(({ protoPayload }) => (protoPayload?.status?.code ?? 0) === 0);
    const { principalEmail, principalSubject } = last?.protoPayload?.authenticationInfo ?? {};
    const author = principalEmail ?? principalSubject;
    // If the platform made the last change, the resource has no external author.
    if (last === undefined || author === undefined || author === own || isOwnSession(author)) continue;
    found.push({ ...resource, author, action: last.protoPayload?.methodName ?? "", at: new Date(last.timestamp ?? 0) });
  }
  return found;
}

async function lookUp(api: GcpApi, id: string): Promise<readonly LogEntry[]> {
  const project = await api.getProject();
  const log = `projects/${project}/logs/cloudaudit.googleapis.com%2Factivity`;
  const { entries = [] } = await api.call<{ readonly entries?: readonly LogEntry[] }>("read the audit log", {
    service: "logging",
    path: "entries:list",
    method: "POST",
    body: {
      resourceNames: [`projects/${project}`],
      filter: `logName = ${JSON.stringify(log)} AND protoPayload.resourceName = ${JSON.stringify(id)}`,
      orderBy: "timestamp desc",
      pageSize: 20,
    },
  });
  return entries;
}
