import { Fault, isUid } from "@cloudwright/platform";
import { findStateRun, type StateRun } from "@cloudwright/store";
import type { FastifyRequest } from "fastify";
import type { ApiDeps } from "../../deps.ts";
import { apiFaults } from "../../faults.ts";
import type { Gatekeeper } from "../../gatekeeper.ts";
import { hashCredential } from "../../identity/api-keys.ts";

/** The run that asks, with the state as it is at this moment. A credential of another state is answered as one that nobody made. */
export async function admitRun(
  deps: Pick<ApiDeps, "pool"> & { readonly gatekeeper: Pick<Gatekeeper, "turnAway"> },
  request: FastifyRequest,
): Promise<StateRun> {
  const credential = readBasic(request.headers.authorization);
  const { uid } = request.params as { uid: string };
  const run = credential && isUid(uid) ? await findStateRun(deps.pool, hashCredential(credential.password), uid) : undefined;
  if (run === undefined || run.taskUid !== credential?.username) {
    await deps.gatekeeper.turnAway(apiFaults.run_ended.code, request.ip, request.id);
    throw new Fault(apiFaults.run_ended, "this credential is not, or no longer, good for this state");
  }
  if (!run.isRenewed)
    throw new Fault(apiFaults.lease_lapsed, `the lease of task ${run.taskUid} has run out and was not renewed yet`);
  return run;
}

function readBasic(header: string | undefined): { username: string; password: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]{1,512}={0,2})$/i.exec(header ?? "")?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
