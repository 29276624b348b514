import { objectOf, textOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { findRecord, listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { issueToken } from "../credentials.ts";
import { invalid, refuse } from "../errors.ts";
import { pageOf } from "../page.ts";
import { tokenMs } from "../oauth/operations.ts";

const type = "google_service_account";

/** Operations on service accounts and their tokens. */
export const iamOperations: readonly ApiOperation[] = [
  {
    name: "iam.projects.serviceAccounts.create",
    match: { method: "POST", path: "/v1/projects/{project}/serviceAccounts" },
    touches: { type, operation: "create" },
    async run(call) {
      const { accountId, serviceAccount } = objectOf(call.body);
      const { displayName, description } = objectOf(serviceAccount);
      const config = {
        project: call.parameters["project"] ?? "",
        account_id: textOf(accountId),
        display_name: textOf(displayName),
        description: textOf(description),
      };
      const { record } = await call.operations.create(type, config, { isInstant: true });
      return { content: renderAccount(record) };
    },
  },
  {
    name: "iam.projects.serviceAccounts.list",
    match: { method: "GET", path: "/v1/projects/{project}/serviceAccounts" },
    touches: { type, operation: "read" },
    async run(call) {
      const own = (await listRecords(call, type)).filter(({ id }) => id.startsWith(`projects/${call.parameters["project"]}/`));
      const { items, ...rest } = pageOf(call, own, ({ id }) => id, { size: "pageSize", usual: 20, most: 100 });
      return { content: { ...(items.length === 0 ? {} : { accounts: items.map(renderAccount) }), ...rest } };
    },
  },
  {
    name: "iam.projects.serviceAccounts.get",
    match: { method: "GET", path: "/v1/projects/{project}/serviceAccounts/{account}" },
    touches: { type, operation: "read" },
    run: async (call) => ({ content: renderAccount(await getAccount(call)) }),
  },
  {
    name: "iam.projects.serviceAccounts.delete",
    match: { method: "DELETE", path: "/v1/projects/{project}/serviceAccounts/{account}" },
    touches: { type, operation: "delete" },
    async run(call) {
      await call.operations.delete(await getAccount(call), { isInstant: true });
      return { content: {} };
    },
  },
  {
    name: "iamcredentials.projects.serviceAccounts.generateAccessToken",
    match: { method: "POST", path: "/v1/projects/{project}/serviceAccounts/{account}:generateAccessToken" },
    async run(call) {
      const { scope, lifetime = "3600s" } = objectOf(call.body);
      const seconds = Number(/^(\d{1,5})s$/.exec(textOf(lifetime))?.[1] ?? Number.NaN);
      if (!Array.isArray(scope) || scope.length === 0) refuse(invalid("The request must have at least one scope."));
      if (!(seconds >= 1 && seconds * 1000 <= tokenMs)) refuse(invalid("The lifetime must be at most 3600s."));
      const email = await getEmail(call);
      const { tenant, origin } = call.caller;
      const { token, expiresAtMs } = await issueToken(call.identity, { tenant, email, origin }, call.nowMs + seconds * 1000);
      return { content: { accessToken: token, expireTime: new Date(expiresAtMs).toISOString() } };
    },
  },
];

/** Returns the service account to impersonate. Callers may impersonate any service account in their own projects. */
async function getEmail(call: ApiCall): Promise<string> {
  const email = call.parameters["account"] ?? "";
  return email === call.caller.name ? email : textOf((await getAccount(call)).attributes["email"]);
}

async function getAccount(call: ApiCall): Promise<CloudRecord> {
  const { project = "", account = "" } = call.parameters;
  const owner = project === "-" ? (/^[^@]*@([^.]+)\./.exec(account)?.[1] ?? "") : project;
  const found = await findRecord(call, type, `projects/${owner}/serviceAccounts/${account}`);
  if (found !== undefined) return found;
  return refuse({ code: "notFound", message: `Service account ${account.slice(0, 200)} does not exist.`, status: 404 });
}

function renderAccount({ id, attributes }: CloudRecord): Record<string, unknown> {
  const text = (name: string): string | undefined => textOf(attributes[name]) || undefined;
  return {
    name: id,
    projectId: id.split("/")[1],
    uniqueId: text("unique_id"),
    email: text("email"),
    displayName: text("display_name"),
    description: text("description"),
    etag: "MDEwMjE5MjA=",
    oauth2ClientId: text("unique_id"),
    ...(attributes["disabled"] === true ? { disabled: true } : {}),
  };
}
