import type { HookContext, Problem } from "../../provider/definition.ts";
import { textOf } from "../../values/read-value.ts";
import type { Value, ValueMap } from "../../values/value.ts";
import { hash, numericId } from "../place.ts";
import type { Refusal } from "../refusal.ts";
import type { GcpChange, GcpResource, GcpResources } from "../resource.ts";

const account: GcpResource = {
  noun: "service account",
  path: "projects/{project}/serviceAccounts/{account_id}@{project}.iam.gserviceaccount.com",
  api: "iam/v1",
  takes: { create: 11, update: 2, delete: 2 },
  defaults: { disabled: false },
  limits: [
    {
      quota: "service-accounts",
      within: "",
      refusal: (limit) => ({
        status: 429,
        message: `A quota has been reached for project: Service accounts per project (${limit})`,
        code: "rateLimitExceeded",
      }),
    },
  ],
  validate: ({ account_id: id }) =>
    typeof id === "string" && !/^[a-z](?:[-a-z0-9]{4,28}[a-z0-9])$/.test(id)
      ? [
          {
            summary: `"account_id" (${JSON.stringify(id)}) doesn't match regexp "^[a-z](?:[-a-z0-9]{4,28}[a-z0-9])$"`,
            path: ["account_id"],
          },
        ]
      : [],
  compute: ({ id }) => {
    const email = id.split("/").at(-1) ?? "";
    return { email, name: id, member: `serviceAccount:${email}`, unique_id: `1${numericId(id)}` };
  },
};

/**
 * Creates a resource type that grants a member a role on a resource. As with the real provider, granting the same role twice is not an
 * error.
 */
function grant(noun: string, path: string, parent?: { readonly path: string; readonly type: string }): GcpResource {
  return {
    noun,
    path,
    api: "cloudresourcemanager/v1",
    forceNew: ["condition"],
    isRepeatable: true,
    takes: { create: 6, update: 1, delete: 6 },
    names:
      parent === undefined
        ? []
        : [{ path: parent.path, to: [parent.type], tie: "follows", idOf: (written) => written.replace("projects/-/", "") }],
    check: checkMember,
    compute: ({ id }): Record<string, Value> => ({
      etag: `BwY${hash(id).slice(0, 9)}=`,
    }),
  };
}

async function checkMember({ operation, planned }: GcpChange, context: HookContext): Promise<readonly Refusal[]> {
  if (operation === "delete") return [];
  const [role, member] = [textOf(planned["role"]), textOf(planned["member"])];
  if (!/^(roles\/[A-Za-z0-9._]+|(projects|organizations)\/[^/]+\/roles\/[A-Za-z0-9._]+)$/.test(role))
    return [{ code: "badRequest", message: `Role ${role} is not supported for this resource.`, path: ["role"] }];
  const [, email = "", project = ""] = /^serviceAccount:([^[]+@([a-z0-9-]+)\.iam\.gserviceaccount\.com)$/.exec(member) ?? [];
  // Service agents belong to Google's own projects. Their email addresses start with `service-`.
  const isOwn = project !== "" && !email.startsWith("service-");
  const accounts = isOwn ? await context.list("google_service_account") : [];
  const isKnownProject = accounts.some(({ attributes }) => attributes["project"] === project);
  if (
    isKnownProject &&
    (await context.find({ type: "google_service_account", id: `projects/${project}/serviceAccounts/${email}` })) === undefined
  )
    return [{ code: "badRequest", message: `Service account ${email} does not exist.`, path: ["member"] }];
  return [];
}

const accountName =
  /^projects\/[^/]+\/serviceAccounts\/([a-z][-a-z0-9]{4,28}[a-z0-9]@[-a-z0-9.]{1,63}\.iam|[0-9]{1,20}-compute@developer|[^@]+@[a-z]+)\.gserviceaccount\.com$/;

/**
 * Returns a problem if no service account can have this name, for example because its id is shorter than six characters. The provider
 * rejects such names.
 */
function checkAccountName({ service_account_id: name }: ValueMap): readonly Problem[] {
  if (typeof name !== "string" || accountName.test(name)) return [];
  const summary = `"service_account_id" (${JSON.stringify(name)}) doesn't match regexp ${JSON.stringify(accountName.source)}`;
  return [{ summary, path: ["service_account_id"] }];
}

/** The IAM resource types. */
export const iamResources: GcpResources = {
  google_service_account: account,
  google_project_iam_member: grant("IAM policy for project", "{project}/{role}/{member}"),
  google_service_account_iam_member: {
    ...grant("IAM policy for service account", "{service_account_id}/{role}/{member}", {
      path: "service_account_id",
      type: "google_service_account",
    }),
    validate: checkAccountName,
  },
  google_kms_crypto_key_iam_member: grant("IAM policy for KMS CryptoKey", "{crypto_key_id}/{role}/{member}", {
    path: "crypto_key_id",
    type: "google_kms_crypto_key",
  }),
};
