import type { Method } from "@cloudwright/contract";
import type { Answer } from "../calls/answer.ts";
import { denied, type Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { createApiKey } from "../identity/api-keys.ts";
import { retryStale } from "../entities/retry-stale.ts";
import { saveEntity } from "../entities/save-entity.ts";
import { requireEntity, resolveTarget } from "../entities/target.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { EntityRef } from "./get-entity.ts";

/** Replaces the secret of an API key. Only this response contains the new key, and the old key stops working immediately. */
export async function rotateApiKey(deps: ApiDeps, call: Call, method: Method, input: EntityRef): Promise<Answer> {
  if (call.caller?.credential === "token" || call.caller?.credential === "agent")
    throw denied(method, "and an API key or a session; tokens cannot create keys");
  const target = await resolveTarget(deps, call, method, input);
  return retryStale(deps, `ApiKey "${input.name}"`, async () => {
    const row = await requireEntity(deps, call, target, input.name);
    const entity = parseEntity(row.object);
    const { key, hash, prefix } = createApiKey();
    const saved = await saveEntity(deps, call, method, {
      row,
      entity: { ...entity, status: { ...entity.status, prefix } },
      environmentUid: row.environment_uid,
      sealed: row.sealed,
      apiKey: { hash, prefix },
      reason: "Rotated",
      message: "replaced by a new key",
    });
    if (saved === undefined) return undefined;
    const shown = parseEntity(saved.body);
    return { ...saved, body: JSON.stringify({ ...shown, status: { ...shown.status, key: key.reveal() } }) };
  });
}
