import { Fault, isUid } from "@cloudwright/platform";
import { findStateRun, type RunCredential, type StateRun } from "@cloudwright/store";
import type { FastifyRequest } from "fastify";
import type { ApiDeps } from "../../deps.ts";
import { apiFaults } from "../../faults.ts";
import type { Gatekeeper, SentRun } from "../../calls/gatekeeper.ts";
import { hashCredential } from "../../identity/api-keys.ts";

/** Authenticates a run and returns it with its current state. A credential for a different state is rejected like an unknown one. */
export async function admitRun(
  deps: Pick<ApiDeps, "pool"> & { readonly gatekeeper: Pick<Gatekeeper, "lookUpRun"> },
  request: FastifyRequest,
  part: "head" | "small" | "content" = "head",
): Promise<StateRun> {
  const credential = readCredential(request);
  const run = await deps.gatekeeper.lookUpRun(credential, { source: request.ip, requestId: request.id }, async () => {
    const found = credential && (await findStateRun(deps.pool, credential.hash, credential.entityUid, part));
    return found?.taskUid === credential?.taskUid ? found : undefined;
  });
  if (run === undefined) throw new Fault(apiFaults.run_ended, "this credential is not valid for this state, or has expired");
  if (!run.isRenewed)
    throw new Fault(apiFaults.lease_lapsed, `the lease of task ${run.taskUid} has expired and has not been renewed yet`);
  return run;
}

/** Reads a run's credential and the uid of the requested state. Returns undefined if the request is malformed. */
export function readCredential(request: FastifyRequest): (RunCredential & SentRun) | undefined {
  const { uid: entityUid } = request.params as { uid: string };
  const run = isUid(entityUid) ? readRun(request) : undefined;
  return run && { ...run, entityUid };
}

/** Reads a run's credential. Returns undefined if the Authorization header is malformed. */
export function readRun(request: FastifyRequest): (Pick<RunCredential, "hash"> & SentRun) | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]{1,512}={0,2})$/i.exec(request.headers.authorization ?? "")?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  const taskUid = text.slice(0, Math.max(colon, 0));
  const password = text.slice(colon + 1);
  return isUid(taskUid) ? { hash: hashCredential(password), taskUid, password } : undefined;
}
