import type { JsonObject, Method } from "@cloudwright/contract";
import { capCovers, denied, hide, reachesPlatform, requireCaller, type Call, type Cap } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import { parseEntity } from "../calls/trace-call.ts";
import { textAt } from "../entities/json-tree.ts";
import { notFound } from "../entities/not-found.ts";
import { createApiKey } from "../identity/api-keys.ts";
import type { KindRules } from "./kind-rules.ts";

export const apiKeyRules: KindRules = {
  requireAccess(call, method, row, ref) {
    const caller = requireCaller(call);
    const own = row.parent_uid === caller.userUid && capCovers(caller.cap, capOf(parseEntity(row.object).spec));
    if (!own && !reachesPlatform(caller, "owner")) throw hide(notFound(method.kind, ref));
  },
  limitToVisible: (caller) => (reachesPlatform(caller, "owner") ? {} : { parentUid: caller.userUid }),
  // A limited key can list only itself.
  limitList: ({ cap, keyUid }) =>
    cap.project === "" && cap.role === ""
      ? {}
      : { fields: [{ path: ["metadata", "uid"], equal: true, value: keyUid ?? "none" }] },
  requireCreation: requireNarrowerKey,
  // More than enough for a user's machines and pipelines.
  mostPerOwner: 500,
  issueCredential(spec) {
    const { key, hash, prefix } = createApiKey();
    const limits = { ...capOf(spec), expiresAt: textAt(spec, "expiresAt") || null };
    return { status: { prefix }, columns: { apiKey: { hash, prefix, ...limits } }, revealed: { key: key.reveal() } };
  },
  changesRightsOf: (change, caller) => change.uid === caller.keyUid,
};

/** Throws if the new key would have more rights or a later expiry than the credential that creates it. */
function requireNarrowerKey(call: Call, method: Method, spec: JsonObject): void {
  const { cap: outer, credential, keyExpiresAtMs } = requireCaller(call);
  // Without this check, a token that is valid for five minutes could create a key that never expires.
  if (credential === "token" || credential === "agent")
    throw denied(method, "and an API key or a session; tokens cannot create keys");
  const expiresAt = textAt(spec, "expiresAt");
  if (keyExpiresAtMs !== undefined && (expiresAt === "" || Date.parse(expiresAt) > keyExpiresAtMs)) {
    const latest = new Date(keyExpiresAtMs).toISOString();
    const message = `must not be later than ${latest}, when the creating key expires`;
    throw invalid("the ApiKey", [{ field: "spec.expiresAt", message }]);
  }
  if (!capCovers(outer, capOf(spec))) {
    const message = "grants more rights than the creating key has; set a project and a role within the limits of that key";
    throw invalid("the ApiKey", [{ field: "spec", message }]);
  }
}

/** Returns the limits in an API key's spec. */
function capOf(spec: JsonObject): Cap {
  return { project: textAt(spec, "project"), role: textAt(spec, "role") as Cap["role"] };
}
