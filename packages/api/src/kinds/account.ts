import { cloudOf, findCloud, renderExternalId, usesAgentIdentity, type JsonObject } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { hasIdentityGrant } from "@cloudwright/store";
import { reachesPlatform, requireCaller } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import { isEqual } from "../entities/json-tree.ts";
import { apiFaults } from "../faults.ts";
import type { AdmittedEntity, KindRules } from "./kind-rules.ts";

export const accountRules: KindRules = {
  renderStatus(spec, secretsSet, projectUid) {
    const externalId = findExternalIdField(spec) === undefined ? "" : renderExternalId(projectUid);
    return { secretsSet, cloud: cloudOf(spec) ?? "", externalId };
  },
  // Operators may create an account before they grant it an identity, because the grant needs the account's uid.
  async admit({ pool }, call, account) {
    const { project, uid, spec } = account;
    if (!usesAgentIdentity(spec) || isUnchanged(account)) return;
    requireNoExternalId(account);
    if (reachesPlatform(requireCaller(call), "admin") || (await hasIdentityGrant(pool, { project, accountUid: uid }))) return;
    const message = `the account uses its agent's cloud identity, but no agent's identity is granted to the project "${project}"`;
    throw new Fault(apiFaults.identity_not_granted, message);
  },
};

/**
 * Returns the spec field that contains the external id. Undefined unless the account uses the agent's identity and its cloud has external
 * ids.
 */
function findExternalIdField(spec: JsonObject): string | undefined {
  return usesAgentIdentity(spec) ? findCloud(cloudOf(spec) ?? "")?.agent.externalIdField : undefined;
}

function isUnchanged({ spec, secrets, before }: AdmittedEntity): boolean {
  const cloud = cloudOf(spec) ?? "";
  if (before === undefined || !usesAgentIdentity(before.spec)) return false;
  return isEqual(before.spec[cloud], spec[cloud]) && isEqual({ ...before.secrets }, { ...secrets });
}

/** Rejects an external id chosen by the caller. Such an id could let the agent assume a role that trusts another project. */
function requireNoExternalId({ spec, secrets, projectUid }: AdmittedEntity): void {
  const name = findExternalIdField(spec);
  const field = `spec.${cloudOf(spec) ?? ""}.${name ?? ""}`;
  if (name === undefined || secrets[field] === undefined) return;
  const own = renderExternalId(projectUid);
  const message = `must be cleared, because an agent's identity assumes the role; the platform sends the project's own external id, "${own}"`;
  throw invalid("the Account", [{ field, message }]);
}
