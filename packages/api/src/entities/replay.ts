import { createHash } from "node:crypto";
import type { Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { findIdempotent, isViolation, storeFaults } from "@cloudwright/store";
import { followedBy, type Answer } from "../calls/answer.ts";
import type { Call } from "../calls/caller.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { rulesOf } from "../kinds/rules.ts";
import type { CreationInput } from "./read-creation.ts";
import { requireEntity, type Target } from "./target.ts";

/** Hashes of an idempotency key, with everything that makes it unique, and of the request it was sent with. */
export interface RequestHashes {
  readonly hash: Buffer;
  readonly requestHash: Buffer;
}

/** Returns the hashes by which a repeated request is recognised. */
export function hashRequest(call: Call, method: Method, input: CreationInput, key: string): RequestHashes {
  const place = [call.caller?.userUid ?? "", method.id, input.project, input.parent, key];
  return { hash: sha256(JSON.stringify(place)), requestHash: sha256(JSON.stringify(input.entity)) };
}

/** Returns the response to an earlier request with this idempotency key, if the caller may still see what it created. */
export async function findReplay(
  deps: ApiDeps,
  call: Call,
  target: Target,
  idempotency: RequestHashes,
): Promise<Answer | undefined> {
  const found = await findIdempotent(deps.pool, idempotency.hash);
  if (found === undefined) return undefined;
  if (!found.request_hash.equals(idempotency.requestHash)) {
    throw new Fault(storeFaults.key_reused, "this Idempotency-Key was used before with another request");
  }
  const entity = parseEntity(found.object);
  const { metadata } = entity;
  await requireEntity(deps, call, target, metadata.uid ?? "");
  const kind = target.kind.kind;
  // The credential is not stored, so it cannot be shown again.
  if (rulesOf(kind).issueCredential !== undefined) {
    const message = `${kind} "${metadata.name ?? ""}" was created by this request before; rotate it to get a key`;
    throw new Fault(storeFaults.exists, message);
  }
  const { resourceVersion = "", name = "" } = metadata;
  return { body: found.object, created: true, version: resourceVersion, name, ...followedBy(entity) };
}

/** Returns whether a concurrent equal request was faster: it used the same key or took the name. */
export function isRepeat(error: unknown): boolean {
  return isViolation(error, "23505", "idempotency_pkey") || (error instanceof Fault && error.code === storeFaults.exists.code);
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
