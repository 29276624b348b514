import { Fault, isObject, type Json, type JsonObject } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity } from "../../task.ts";

/** A role on a bucket and the member that has it. */
export type Grant = { readonly role: string; readonly member: string };

const rolePattern = /^(roles\/storage\.[A-Za-z]+|(projects|organizations)\/[^/]+\/roles\/[A-Za-z0-9_.]+)$/;
const memberPattern = /^(user|serviceAccount|group|domain|principal|principalSet):.+$/;

/** Renders the bindings of a user's IAM policy as grants. Throws if the document is not a policy that Cloud Storage would accept. */
export function renderGrants({ name }: DeployedEntity<"Storage">, policy: JsonObject | undefined): Grant[] {
  if (policy === undefined) return [];
  const wrong = findWrong(policy);
  if (wrong !== undefined) throw new Fault(deployerFaults.bad_spec, `spec.bucket.policy${wrong} (${name})`);
  return listGrants(policy);
}

/** Lists the grants of a policy. Leaves out malformed bindings. */
export function listGrants(policy: JsonObject | undefined): Grant[] {
  const grants = listBindings(policy).flatMap((binding) => {
    const { role = null, members = null } = isObject(binding) ? binding : {};
    return (Array.isArray(members) ? members : []).flatMap((member) =>
      typeof role === "string" && typeof member === "string" ? [{ role, member }] : [],
    );
  });
  return [...new Map(grants.map((grant) => [`${grant.role} ${grant.member}`, grant])).values()];
}

function listBindings(policy: JsonObject | undefined): readonly Json[] {
  const bindings = policy?.["bindings"];
  return Array.isArray(bindings) ? bindings : [];
}

function findWrong(policy: JsonObject): string | undefined {
  const stranger = Object.keys(policy).find((key) => key !== "bindings");
  if (stranger !== undefined) return ` contains ${stranger}; a Google Cloud IAM policy consists of bindings`;
  if (!Array.isArray(policy["bindings"])) return ".bindings must be a list";
  for (const [index, binding] of listBindings(policy).entries()) {
    const at = `.bindings[${index}]`;
    if (!isObject(binding)) return `${at} must be an object`;
    const { role, members } = binding;
    const extra = Object.keys(binding).find((key) => key !== "role" && key !== "members");
    if (extra !== undefined) return `${at} contains ${extra}; use role and members`;
    if (typeof role !== "string" || !rolePattern.test(role))
      return `${at}.role must be a Cloud Storage role such as roles/storage.objectViewer, or a custom role`;
    if (!Array.isArray(members) || members.length === 0) return `${at}.members must be a list of members`;
    const open = members.find((member) => member === "allUsers" || member === "allAuthenticatedUsers");
    if (open !== undefined) return `${at}.members contains ${open}; buckets are never public`;
    if (!members.every((member) => typeof member === "string" && memberPattern.test(member)))
      return `${at}.members must look like serviceAccount:website@my-project.iam.gserviceaccount.com`;
  }
  return undefined;
}
