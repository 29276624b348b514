import { systemClock } from "@cloudwright/platform";
import { isOwnSession, type AuditedChange, type AuditedResource } from "../cloud-provider.ts";
import type { AzureApi } from "./api.ts";
import { readClaims } from "./azure-token.ts";
import type { CredentialSource } from "./credentials.ts";
import { managementScope } from "./endpoints.ts";
import type { EventData } from "./models.ts";
import { operations } from "./operations.ts";

const mostResources = 10;
const trailMs = 89 * 24 * 3_600_000;

/**
 * Returns who last changed each resource, according to the activity log. The log covers the last 90 days, and events appear in it after a
 * few minutes. Changes by the account's own identity count as changes by the platform.
 */
export async function findAzureAuthors(
  api: AzureApi,
  source: CredentialSource,
  resources: readonly AuditedResource[],
): Promise<readonly AuditedChange[]> {
  const found: AuditedChange[] = [];
  const since = new Date(systemClock.now() - trailMs).toISOString();
  for (const resource of resources.filter(({ id }) => id.startsWith("/subscriptions/")).slice(0, mostResources)) {
    const $filter = `eventTimestamp ge '${since}' and resourceUri eq '${resource.id.replaceAll("'", "''")}'`;
    const query = { $filter, $select: "caller,claims,eventTimestamp,operationName,status" };
    const events = await api.list<EventData>("read the activity log", operations.listEvents, { query });
    const own = readClaims(await source.get(managementScope(api.endpoints)));
    const changes = events.filter(({ operationName, status }) => isChange(operationName?.value) && status?.value === "Succeeded");
    const last = changes.toSorted((a, b) => (b.eventTimestamp ?? "").localeCompare(a.eventTimestamp ?? ""))[0];
    const author = last?.caller ?? "";
    const ids = [author, last?.claims?.["appid"]].filter((id) => id !== undefined && id !== "");
    if (author === "" || isOwnSession(author) || ids.some((id) => id === own.objectId || id === own.clientId)) continue;
    found.push({ ...resource, author, action: last?.operationName?.value ?? "", at: new Date(last?.eventTimestamp ?? 0) });
  }
  return found;
}

function isChange(action = ""): boolean {
  return /\/(write|delete|action)$/i.test(action) && !/\/list\w*\/action$/i.test(action);
}
