import { createHash } from "node:crypto";
import type { Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { findIdempotent, isViolation, storeFaults } from "@cloudwright/store";
import { followedBy, type Answer } from "../calls/answer.ts";
import type { Call } from "../calls/authorise.ts";
import { parseEntity } from "../calls/trace-call.ts";
import type { ApiDeps } from "../deps.ts";
import { rulesOf } from "../kinds/rules.ts";
import type { CreationInput } from "./read-creation.ts";
import { requireEntity, type Target } from "./target.ts";

/** `hash` identifies one caller's idempotency key for one method, project and parent. `requestHash` identifies the request body. */
export interface RequestHashes {
  readonly hash: Buffer;
  readonly requestHash: Buffer;
}

/** Computes the hashes that identify a repeated request. */
export function hashRequest(call: Call, method: Method, input: CreationInput, key: string): RequestHashes {
  const place = [call.caller?.userUid ?? "", method.id, input.project, input.parent, key];
  return { hash: sha256(JSON.stringify(place)), requestHash: sha256(JSON.stringify(input.entity)) };
}

/**
 * Returns the response to an earlier request with this idempotency key, or undefined if there was no such request. Throws if the caller
 * may no longer see the created entity.
 */
export async function findReplay(
  deps: ApiDeps,
  call: Call,
  target: Target,
  idempotency: RequestHashes,
): Promise<Answer | undefined> {
  const found = await findIdempotent(deps.pool, idempotency.hash);
  if (found === undefined) return undefined;
  if (!found.request_hash.equals(idempotency.requestHash)) {
    throw new Fault(storeFaults.key_reused, "this Idempotency-Key was already used with a different request");
  }
  const entity = parseEntity(found.object);
  const { metadata } = entity;
  await requireEntity(deps, call, target, metadata.uid ?? "");
  const kind = target.kind.kind;
  // The credential is not stored, so the response cannot be repeated.
  if (rulesOf(kind).issueCredential !== undefined) {
    const message = `${kind} "${metadata.name ?? ""}" was already created by an earlier request; rotate it to get a new key`;
    throw new Fault(storeFaults.exists, message);
  }
  const { resourceVersion = "", name = "" } = metadata;
  return { body: found.object, created: true, version: resourceVersion, name, ...followedBy(entity) };
}

/** Returns whether a concurrent request with the same idempotency key or the same name succeeded first. */
export function isRepeat(error: unknown): boolean {
  return isViolation(error, "23505", "idempotency_pkey") || (error instanceof Fault && error.code === storeFaults.exists.code);
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
